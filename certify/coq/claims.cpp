// Certificates as Coq terms: see coq/claims.hpp.
#include <algorithm>
#include <cctype>
#include <numeric>

#include "certify/coq/claim_export.hpp"
#include "certify/coq/gram_hints.hpp"
#include "certify/coq/text.hpp"
#include "certify/coq/tokens.hpp"

namespace attest {

using attest_check::Certificate;
using attest_check::Constraint;
using attest_check::ConstraintVector;
using attest_check::Rational;

CoqRows coq_rows_of(const attest_check::Problem& problem) {
  const std::string number = "_" + std::to_string(problem.number);
  if (problem.decoder)
    return {"data" + number, "decoder_problem" + number, "values" + number, "member" + number, {}};
  return {"data", "attention_problem", "values", "member", problem.plain() ? "" : "senses" + number};
}

std::size_t CoqClaims::position(const attest_check::Problem& problem) const {
  return static_cast<std::size_t>(std::find(problems.begin(), problems.end(), &problem) - problems.begin());
}

std::string coq_loss(attest_check::Loss loss) {
  using attest_check::Loss;
  if (loss == Loss::cross_entropy || loss == Loss::classifier) return "cross_entropy";
  const Loss plain = attest_check::several_outputs(loss) ? attest_check::loss_of_output(loss) : loss;
  return attest_check::loss_names[static_cast<std::size_t>(plain)];
}

std::string ClaimExport::loss_constructor() const {
  if (loss_ == "cross_entropy") return "CrossEntropy";
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
  std::vector<std::size_t> groups(problem_.features->groups());
  std::iota(groups.begin(), groups.end(), 0);
  return define_vector(word, vector, groups);
}

std::string ClaimExport::define_vector(const std::string& word, const ConstraintVector& vector,
                                       const std::vector<std::size_t>& groups) {
  std::size_t k = 0;
  const auto group = [&](std::size_t place) {
    const std::size_t i = groups[place];
    const std::vector<std::size_t> tokens = problem_tokens(problem_, i);
    return "numbers " + coq_list(tokens.size(), [&](std::size_t t) {
             const bool listed = k < vector.size() && vector.at[k] == Constraint{i, tokens[t]};
             return listed ? coq_digits(vector.numerator[k++]) : std::string("[::]");
           });
  };
  claim_.definitions += "Definition " + named(word) + " : vector big_integers := Vector " +
                        coq_number(vector.denominator) + "\n  " + coq_list(groups.size(), group) + ".\n";
  return named(word);
}

std::string ClaimExport::define_tokens(const std::string& word, const std::vector<Constraint>& listed) {
  std::size_t k = 0;
  const auto group = [&](std::size_t i) {
    const std::vector<std::size_t> tokens = problem_tokens(problem_, i);
    return coq_list(tokens.size(), [&](std::size_t t) {
      const bool member = k < listed.size() && listed[k] == Constraint{i, tokens[t]};
      if (member) ++k;
      return std::string(member ? "true" : "false");
    });
  };
  claim_.definitions += "Definition " + named(word) + " : seq (seq bool) :=\n  " +
                        coq_list(problem_.features->groups(), group) + ".\n";
  return named(word);
}

std::string ClaimExport::define_real(const std::string& word, const CoqReal& value) {
  claim_.definitions +=
      "Definition " + named(word) + " : fraction big_integers := " + value.fraction() + ".\n";
  return named(word);
}

std::string ClaimExport::citation(const attest_check::Citation& from) {
  const auto found = exported_.find(from.claim);
  if (found == exported_.end()) {
    claim_.skipped = not_exported(from.claim);
    return {};
  }
  cited_ = &found->second;
  return " " + std::to_string(found->second.position);
}

namespace {

// The instances that the problems are about, with the problems.
std::vector<CoqClaims> sorted_by_instance(const Certificate& certificate) {
  const bool sentences = certificate.features.instance().setting == attest_check::Setting::next_token;
  std::vector<CoqClaims> parts;
  for (const attest_check::Problem& problem : certificate.problems) {
    const attest_check::Features* features = sentences ? problem.features : &certificate.features;
    const auto same = [&](const CoqClaims& part) { return part.features == features; };
    auto part = std::find_if(parts.begin(), parts.end(), same);
    if (part == parts.end()) {
      part = parts.emplace(parts.end());
      part->features = features;
    }
    part->problems.push_back(&problem);
  }
  return parts;
}

// Of the rows of all problems; the decoder's are those of X.
std::size_t refinement_of(const Certificate& certificate, const attest_check::Features& features,
                          std::size_t bits) {
  const std::size_t attention = gram_refinement(features, bits);
  return certificate.decoder ? std::max(attention, gram_refinement(*certificate.decoder, bits)) : attention;
}

void state_refined(const Certificate& certificate, std::size_t refinement, CoqClaims& part) {
  part.refinement = refinement;
  part.claims.clear();
  Exported exported;
  for (const attest_check::StatedClaim& stated : certificate.claims) {
    const std::size_t place = part.position(stated.problem);
    if (place == part.problems.size()) continue;
    CoqClaim& claim = part.claims.emplace_back();
    claim.number = stated.number;
    claim.kind = stated.kind;
    claim.problem = stated.problem.number;
    claim.skipped = unverified_of_head(certificate.features.instance(), claim.kind);
    if (!claim.skipped.empty()) continue;
    ClaimExport stating(stated, claim, exported, {place, refinement});
    if (!stating.state_claim(*stated.evidence)) {
      claim.unknown = claim.kind;
    }
    if (!claim.unknown.empty()) claim.skipped = "attest export does not know " + claim.unknown;
    if (claim.skipped.empty()) {
      stating.left.position = exported.size();
      stating.left.problem = claim.problem;
      exported.emplace(claim.number, std::move(stating.left));
    }
  }
}

}  // namespace

std::vector<CoqClaims> state_coq_claims(const Certificate& certificate) {
  std::vector<CoqClaims> parts = sorted_by_instance(certificate);
  for (CoqClaims& part : parts) {
    for (const std::size_t bits : {48, 128, 320}) {  // small eigenvalues need longer integers
      CoqClaims refined = part;
      state_refined(certificate, refinement_of(certificate, *part.features, bits), refined);
      const bool complete = std::none_of(refined.claims.begin(), refined.claims.end(),
                                         [](const CoqClaim& claim) { return claim.skipped == coq_no_hints; });
      if (complete || part.claims.empty()) part = std::move(refined);
      if (complete) break;
    }
  }
  return parts;
}

}  // namespace attest
