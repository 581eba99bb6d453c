// One claim of a certificate while it becomes a term and a statement of the Coq development: what
// coq/margin_claims.cpp, coq/run_claims.cpp and coq/forever_claims.cpp share. Not for other files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "certify/coq/claims.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest {

// Why a claim is skipped for which no hints were found.
inline constexpr const char* coq_no_hints = "no hints prove its eigenvalue bound; a smaller bound may do";

inline std::string not_exported(std::size_t cited) {
  return "it cites claim " + std::to_string(cited) + ", which is not exported";
}

// What a run says of its iteration, for later claims about its steps.
struct ExportedRun {
  attest_check::Specification specification;
  attest_check::StartPoint start;
  std::size_t fraction_bits = 0;  // 0: none named
  // In Coq: the arguments of a specification, W_0 as a matrix and in statements, and why they are the same.
  std::string term, start_term, start_name, start_proof;
  std::string name;  // of the run
};

// What later claims need of an exported one.
struct ExportedClaim {
  std::size_t position = 0;                 // in the exported certificate
  attest_check::ConstraintVector solution;  // of a claim about the solution: its multipliers
  std::optional<ExportedRun> run;           // of a claim about a run
};
using Exported = std::map<std::size_t, ExportedClaim>;  // by the claims' numbers in the certificate

class ClaimExport {
 public:
  ClaimExport(attest_check::CertificateText& text, attest_check::Line& line,
              const attest_check::Problem& problem, std::string loss, CoqClaim& claim,
              const Exported& exported, std::size_t refinement, bool keeps_path)
      : text_(text),
        line_(line),
        problem_(problem),
        alpha_("alpha_" + std::to_string(problem.number)),
        loss_(std::move(loss)),
        claim_(claim),
        exported_(exported),
        refinement_(refinement),
        keeps_path_(keeps_path) {}

  // Reads the claim after its kind and problem. False when the kind is not one of theirs.
  bool read_margin_claim();
  bool read_run_claim();

  // What the claim leaves for later ones; `position` is not set.
  ExportedClaim left;

 private:
  std::string named(const std::string& word) const { return word + "_" + std::to_string(claim_.number); }
  std::string problem_index() const { return " " + std::to_string(problem_.number - 1); }
  // The loss as a constructor of loss_name.
  std::string loss_constructor() const;

  // Define a number, a vector with one numerator for each token, a set of tokens; the result is the name.
  std::string define_number(const std::string& word, const attest_check::Rational& value);
  std::string define_vector(const std::string& word, const attest_check::ConstraintVector& vector);
  std::string define_tokens(const std::string& word, const std::vector<attest_check::Constraint>& listed);

  // "from C": the cited claim's number in the exported certificate. Sets `skipped` when it is not there.
  std::string citation();

  void read_optimal();
  void read_enclosure();
  void read_gap(const attest_check::Rational& lo, const attest_check::Rational& hi);
  void read_lambda_min(const attest_check::Rational& lo, const attest_check::Rational& hi);
  void read_support();
  void read_strict();
  void read_not_strict();
  void read_not_local();
  void read_tie();
  void read_rank();
  void read_smoothness();
  std::string lower_bound(attest_check::Line line);
  std::string define_hints(const struct GramHints& hints);

  using EvidenceReader = std::string (ClaimExport::*)();
  EvidenceReader read_theorem(std::optional<std::size_t>& dominates);
  std::string read_absorbing();
  std::string read_absorbing_constants();
  std::string read_local();
  std::string read_local_constants();
  std::string read_residual();
  std::string read_lock_in();
  std::string read_bounded();
  std::string read_ranges(const std::vector<std::string>& words);
  std::string read_numbers(const std::vector<std::string>& words);
  std::string read_outside();
  std::string read_eigenvalue_bound();
  void read_start(ExportedRun& run);
  ExportedRun read_iteration();
  std::string state_iteration(const ExportedRun& run);
  std::string step_sizes(const ExportedRun& run) const;
  std::string define_run(const ExportedRun& run, std::size_t steps, const std::string& evidence);
  struct Conclusion;
  static Conclusion read_conclusion(attest_check::Line line, std::optional<std::size_t> dominates);
  std::string state_later(const ExportedRun& run, std::size_t t, const Conclusion& said) const;
  std::string define_conclusion(const std::string& term);
  void read_run();
  void read_path_inequality();
  void read_stationary();
  void read_forever_from_point();
  void read_forever_from_run();

  attest_check::CertificateText& text_;
  attest_check::Line& line_;
  const attest_check::Problem& problem_;
  const std::string alpha_;  // the problem's selection, as coq/file.cpp names it
  const std::string loss_;
  CoqClaim& claim_;
  const Exported& exported_;
  std::size_t refinement_;
  bool keeps_path_;  // a later claim speaks about the places that this run passes
  const ExportedClaim* cited_ = nullptr;
  bool natural_centre_ = true;  // of what holds for all later steps
};

}  // namespace attest
