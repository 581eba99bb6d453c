// The use case `certify`: the margin problem of a selection, decided with proof.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/certificate_file.hpp"
#include "certify/audits/report_file.hpp"
#include "certify/audits/resolution.hpp"
#include "certify/catalogue/optimum_geometry.hpp"
#include "certify/certificates/margin.hpp"
#include "numerics/norms/near_rank.hpp"
#include "numerics/norms/nuclear_solution.hpp"
#include "numerics/norms/optimum.hpp"
#include "numerics/norms/solution_face.hpp"

namespace attest {

struct CertifyAnswer;
class SharedPasses;  // shared_passes.hpp

struct CertifyRequest {
  std::string instance;                  // path
  std::shared_ptr<const Instance> held;  // one in memory, instead of the file
  std::string certificate;               // path to write to; empty: nowhere
  std::string select;                    // as for choose_selection
  Form form = Form::automatic;
  std::string loss = "none";  // of the smoothness claim: a loss's name, or "none"
  long precision_bits = 128;  // of enclosures
  NormRequest norm;           // form, loss and precision_bits speak of the Euclidean one
  std::size_t memory_limit = 0;
  bool force = false;              // replace an existing file that is not a certificate
  SharedPasses* passes = nullptr;  // processes that share the passes over the instance; may be null
  ReportRequest<CertifyAnswer> report;
};

struct CertifyAnswer {
  std::string instance_path;
  Instance instance;
  TokenData data;
  std::vector<TokenClass> merged;
  Selection selection;
  MarginSolution solution;
  std::string loss;
  Norm norm;
  std::size_t rank_asked = 0;          // of the nuclear norm: matrices of this rank, too; 0: none
  Rational gap;                        // relative, asked for
  std::optional<NormAnswer> in_norm;   // another norm than the Euclidean one, when feasible
  std::optional<SolutionFace> face;    // all solutions in it, where it is l1 or linf
  std::optional<NearRank> near_rank;   // of all solutions in the nuclear norm
  std::optional<Enclosure> enclosure;  // of the solution in the nuclear norm, or why there is none
  std::optional<RankEvidence> rank;    // when feasible and there was time
  std::optional<Rational> smoothness;  // beta, when a loss was given and there was time
  // How the answer stands against the data's own rounding; nothing where that is not measured.
  std::optional<Resolution> resolution;
  // The margins of W*, for the report: when one is written, W* is known and there was time and memory.
  std::optional<OptimumGeometry> geometry;
  long precision_bits = 0;
  Certificate certificate;
  CertificateFile file;
  double read_seconds = 0, solve_seconds = 0, write_seconds = 0, total_seconds = 0;

  // The only solution in the nuclear norm; null where none is enclosed.
  const NuclearSolution* nuclear_solution() const {
    return enclosure ? std::get_if<NuclearSolution>(&*enclosure) : nullptr;
  }
  // No constraints: the margin is infinite.
  bool vacuous() const { return constraint_count(data) == 0; }
  // Is there an answer that no limit and no signal cut short?
  bool decided() const;
};

// A relative gap: a number above 0 and at most 1, exactly; nothing for other text.
std::optional<Rational> parse_gap(const std::string& text);

Result<CertifyAnswer> certify(const CertifyRequest& request, AuditWatch& watch);

// Its steps, for use cases that certify among other things. The first takes an answer that has instance, data
// and selection and fills in the solution, the second what goes with a solution if the time allows.
void solve_margin_problem(CertifyAnswer& answer, const CertifyRequest& request, const Budget& budget,
                          AuditWatch& watch);
void add_claims(CertifyAnswer& answer, const Budget& budget);
// The geometry that a report shows, if time and memory allow.
void add_margins(CertifyAnswer& answer, const Budget& budget);
// What its certificate is written from: `answer` must outlive it.
CertifiedFacts certified_facts(const CertifyAnswer& answer);

}  // namespace attest
