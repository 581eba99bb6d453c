// The use case `path`: the regularisation path of an instance in a norm, bounded for every radius (T21).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/certificate_file.hpp"
#include "certify/audits/report_file.hpp"
#include "certify/certificates/margin.hpp"
#include "numerics/forever/path_residual.hpp"
#include "numerics/forever/regularisation_path.hpp"

namespace attest {

struct PathAnswer;

struct PathRequest {
  std::string instance;                  // path
  std::shared_ptr<const Instance> held;  // one in memory, instead of the file
  std::string certificate;               // path to write to; empty: nowhere
  std::string loss;                      // empty: the head's own (training_loss)
  NormRequest norm;                      // of the balls; the gap is for norms other than the Euclidean one
  std::size_t memory_limit = 0;
  bool residual =
      false;           // asks how far from its ray the path is, in the Euclidean norm (claim path-residual)
  bool force = false;  // replace an existing file that is not a certificate
  ReportRequest<PathAnswer> report;
};

// The path is bounded, or the theorem does not apply and why.
enum class PathOutcome {
  bounded,
  tie,         // several tokens of a group share the best score
  rival,       // of several outputs: attention on several tokens may be better than on the best one
  infeasible,  // no W separates the best tokens
  vacuous,     // no group has two tokens: every W is a minimiser
  undecided,   // `reason` says which budget was reached
};

struct PathAnswer {
  std::string instance_path;
  Instance instance;
  TokenData data;
  std::vector<TokenClass> merged;
  Loss loss = Loss::logistic;
  PathOutcome outcome = PathOutcome::undecided;
  Selection selection;  // the best tokens, the first ones on a tie, whatever the instance's alpha is
  std::optional<ScoreTie> tie;
  std::optional<Constraint> rival;  // path_rival()
  Norm norm;
  MarginSolution solution;            // of the best tokens; undecided where there is a tie
  std::optional<NormAnswer> in_norm;  // another norm than the Euclidean one, when feasible
  std::optional<PathBound> bound;
  bool residual_asked = false;
  std::optional<PathResidual> residual;  // where it is asked for and known
  std::string reason;                    // when undecided
  Certificate certificate;               // everything that is proved
  CertificateFile file;
  double read_seconds = 0, total_seconds = 0;

  bool decided() const { return outcome != PathOutcome::undecided; }
};

Result<PathAnswer> path(const PathRequest& request, AuditWatch& watch);

}  // namespace attest
