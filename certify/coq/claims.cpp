// Certificates read into Coq terms: see coq/claims.hpp.
#include <algorithm>
#include <cctype>
#include <set>

#include "certify/coq/claim_export.hpp"
#include "certify/coq/gram_hints.hpp"
#include "certify/coq/text.hpp"

namespace attest {

using attest_check::CertificateText;
using attest_check::Constraint;
using attest_check::ConstraintVector;
using attest_check::Line;
using attest_check::Loss;
using attest_check::Problem;
using attest_check::Rational;

std::string ClaimExport::loss_constructor() const {
  std::string constructor = loss_;
  constructor.front() = static_cast<char>(std::toupper(loss_.front()));
  return constructor;
}

std::string ClaimExport::define_number(const std::string& word, const Rational& value) {
  claim_.definitions += "Definition " + named(word) + " := fraction_of " + coq_digits(value.get_num()) + " " +
                        coq_digits(value.get_den()) + ".\n";
  return named(word);
}

std::string ClaimExport::define_vector(const std::string& word, const ConstraintVector& vector) {
  std::size_t k = 0;
  const auto group = [&](std::size_t i) {
    return "numbers " + coq_list(problem_.features->tokens_of(i), [&](std::size_t t) {
             const bool listed = k < vector.size() && vector.at[k] == Constraint{i, t};
             return listed ? coq_digits(vector.numerator[k++]) : std::string("[::]");
           });
  };
  claim_.definitions += "Definition " + named(word) + " : vector big_integers := Vector " +
                        coq_number(vector.denominator) + "\n  " +
                        coq_list(problem_.features->groups(), group) + ".\n";
  return named(word);
}

std::string ClaimExport::define_tokens(const std::string& word, const std::vector<Constraint>& listed) {
  std::size_t k = 0;
  const auto group = [&](std::size_t i) {
    return coq_list(problem_.features->tokens_of(i), [&](std::size_t t) {
      const bool member = k < listed.size() && listed[k] == Constraint{i, t};
      if (member) ++k;
      return std::string(member ? "true" : "false");
    });
  };
  claim_.definitions += "Definition " + named(word) + " : seq (seq bool) :=\n  " +
                        coq_list(problem_.features->groups(), group) + ".\n";
  return named(word);
}

std::string ClaimExport::citation() {
  line_.expect("from");
  const std::size_t cited = line_.index();
  const auto found = exported_.find(cited);
  if (found == exported_.end()) {
    claim_.skipped = not_exported(cited);
    return {};
  }
  cited_ = &found->second;
  return " " + std::to_string(found->second.position);
}

namespace {

// Lines that are left when a claim is skipped start with none of the words that begin a block.
bool begins_block(const Line& line) {
  const std::string_view word = line.peek();
  return word == "problem" || word == "claim" || word == "end";
}

Problem read_problem(CertificateText& text, const attest_check::Features& features, std::size_t number,
                     std::string& name_of_loss) {
  Problem problem;
  problem.number = number;
  problem.features = &features;
  for (int skipped = 0; skipped < 2; ++skipped)
    text.next();  // setting, norm: checked, not part of the statements
  Line loss = text.next();
  loss.expect("loss");
  name_of_loss = loss.word();
  if (name_of_loss == "logistic") problem.loss = Loss::logistic;
  if (name_of_loss == "exponential") problem.loss = Loss::exponential;
  if (name_of_loss == "correlation") problem.loss = Loss::correlation;
  Line selection = text.next();
  selection.expect("selection");
  const std::size_t count = selection.index();
  for (std::size_t i = 0; i < count; ++i) problem.selection.push_back(selection.index());
  return problem;
}

// The numbers of the runs that claims of kind path-inequality speak about.
std::set<std::size_t> runs_with_paths(const std::string& certificate_path) {
  std::set<std::size_t> runs;
  CertificateText text(certificate_path);
  for (Line line = text.next(); line.peek() != "end"; line = text.next()) {
    if (!line.accept("claim")) continue;
    line.index();
    if (line.word() != "path-inequality") continue;
    line.expect("problem");
    line.index();
    line.expect("run");
    runs.insert(line.index());
  }
  return runs;
}

CoqClaims read_refined(const std::string& certificate_path, const attest_check::Features& features,
                       std::size_t refinement) {
  CoqClaims result;
  result.refinement = refinement;
  Exported exported;
  std::vector<std::string> losses;  // of the problems
  const std::set<std::size_t> paths = runs_with_paths(certificate_path);
  CertificateText text(certificate_path);
  for (int header = 0; header < 3; ++header) text.next();
  Line line = text.next();
  while (line.peek() != "end") {
    if (line.accept("problem")) {
      result.problems.push_back(
          read_problem(text, features, result.problems.size() + 1, losses.emplace_back()));
      line = text.next();
      continue;
    }
    CoqClaim claim;
    line.expect("claim");
    claim.number = line.index();
    claim.kind = line.word();
    line.expect("problem");
    claim.problem = line.index();
    ClaimExport reading(text, line, result.problems[claim.problem - 1], losses[claim.problem - 1], claim,
                        exported, result.refinement, paths.contains(claim.number));
    if (!reading.read_margin_claim() && !reading.read_run_claim()) claim.unknown = claim.kind;
    if (!claim.unknown.empty()) {
      result.claims.push_back(std::move(claim));
      return result;
    }
    if (claim.skipped.empty()) {
      reading.left.position = exported.size();
      exported.emplace(claim.number, std::move(reading.left));
    }
    result.claims.push_back(std::move(claim));
    do line = text.next();
    while (!begins_block(line));
  }
  return result;
}

}  // namespace

CoqClaims read_coq_claims(const std::string& certificate_path, const attest_check::Features& features) {
  CoqClaims claims;
  for (const std::size_t bits : {48, 128, 320}) {  // small eigenvalues need longer integers
    CoqClaims refined = read_refined(certificate_path, features, gram_refinement(features, bits));
    const bool complete = std::none_of(refined.claims.begin(), refined.claims.end(),
                                       [](const CoqClaim& claim) { return claim.skipped == coq_no_hints; });
    if (complete || claims.claims.empty()) claims = std::move(refined);
    if (complete) break;
  }
  return claims;
}

}  // namespace attest
