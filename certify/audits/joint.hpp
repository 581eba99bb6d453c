// The use case `certify --joint`: decoder and attention are trained together; both margin problems, decided
// with proof, and the assumption that links them (papers.md A.vsvm, A.joint, A.margin).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/certificate_file.hpp"
#include "certify/audits/report_file.hpp"
#include "certify/catalogue/label_margins.hpp"
#include "certify/catalogue/shifted_problem.hpp"
#include "certify/certificates/margin.hpp"

namespace attest {

struct JointAnswer;

struct JointRequest {
  std::string instance;                  // path
  std::shared_ptr<const Instance> held;  // one in memory, instead of the file
  std::string certificate;               // path to write to; empty: nowhere
  std::string select;                    // as for choose_selection
  std::string shift;                     // eta_v/eta_W of the shifted problem, exact; empty: not asked
  bool path = false;                     // asks for the joint regularisation path, of training with `loss`
  std::string loss;                      // empty: logistic
  Form form = Form::automatic;
  long precision_bits = 128;  // of enclosures
  std::size_t memory_limit = 0;
  bool force = false;  // replace an existing file that is not a certificate
  ReportRequest<JointAnswer> report;
};

// The instance's v makes its scores, of which the best choose the selection where nothing else does; the
// decoder that is trained is another one, and starts anywhere.
struct JointAnswer {
  std::string instance_path;
  Instance instance;
  TokenData data;
  std::vector<TokenClass> merged;
  Selection selection;
  JointProblems problems;
  std::optional<RankEvidence> rank;  // of the attention's solution
  LabelMargins label_margins;
  bool path_asked = false;
  Loss loss = Loss::logistic;
  std::optional<MarginSolution> plain;  // where the path leans on it
  std::optional<JointPathBound> path;
  std::string path_reason;  // where it is not bounded
  std::optional<ShiftedProblem> shifted;
  long precision_bits = 0;
  Certificate certificate;
  CertificateFile file;
  double read_seconds = 0, solve_seconds = 0, total_seconds = 0;

  // Why there is no path to bound: a problem without solution, or A.margin is broken.
  bool no_path() const {
    return problems.feasibility() == Feasibility::infeasible || label_margins.supporting == Verdict::fails;
  }
  bool decided() const {
    if (path_asked) return path || no_path();
    return problems.feasibility() != Feasibility::undecided && (!shifted || shifted->solution);
  }
};

// What a certificate says first: of the decoder's problem, and of the attention's once it is known. All that
// is given must outlive it.
struct JointFacts {
  CertifiedFacts decoder;
  std::optional<CertifiedFacts> attention;
};
JointFacts joint_facts(const Instance& instance, const TokenData& data, const Selection& selection,
                       const JointProblems& problems);

Result<JointAnswer> certify_joint(const JointRequest& request, AuditWatch& watch);

}  // namespace attest
