// Claims about the finite part of selected sets as Coq terms; the statements are those of
// proofs/coq/theories/claims/FinitePartKinds.v with its definitions written out.
#include "certify/coq/claim_export.hpp"
#include "certify/coq/gram_hints.hpp"
#include "certify/coq/text.hpp"
#include "certify/coq/tokens.hpp"

namespace attest {

using attest_check::Constraint;
using attest_check::Ratios;

// One for each token, and their logarithms' bits, as arguments.
std::string ClaimExport::define_ratios(const Ratios& ratios) {
  std::size_t k = 0;
  const auto group = [&](std::size_t i) {
    const std::vector<std::size_t> tokens = problem_tokens(problem_, i);
    return coq_list(tokens.size(), [&](std::size_t t) {
      const bool given = k < ratios.at.size() && ratios.at[k] == Constraint{i, tokens[t]};
      return given ? "Some " + coq_fraction(ratios.value[k++]) : std::string("None");
    });
  };
  claim_.definitions += "Definition " + named("ratios") +
                        " : seq (seq (option (fraction big_integers))) :=\n  " +
                        coq_list(problem_.features->groups(), group) + ".\n";
  return named("ratios") + " " + std::to_string(ratios.bits) + "%Z";
}

// "let rho : ... in" and that the ratios are positive, for what follows.
std::string ClaimExport::let_ratios() const {
  return "let rho : token attention_problem -> R := ratio_at " + named("ratios") +
         " in\n    (forall t, equal_row " + alpha_ + " " + rows_.senses + " t -> 0 < rho t) /\\\n    ";
}

void ClaimExport::state(const attest_check::FinitePart& evidence) {
  const auto hints =
      find_gram_hints(problem_, evidence.part.spanning, evidence.part.eigenvalue.bound, refinement_);
  if (!hints) {
    claim_.skipped = coq_no_hints;
    return;
  }
  const std::string lo = define_number("norm_squared_lo", evidence.part.lo),
                    hi = define_number("norm_squared_hi", evidence.part.hi),
                    radius = define_number("radius", evidence.part.radius),
                    least = define_number("least_eigenvalue", evidence.part.eigenvalue.bound);
  const std::string ratios = define_ratios(evidence.ratios);
  const std::string spanning = define_tokens("spanning", evidence.part.spanning);
  const std::string coefficients = define_vector("coefficients", evidence.part.coefficients);
  const std::string bases =
      coq_list(evidence.bases.size(), [&](std::size_t k) { return coq_digits(evidence.bases[k]); });
  const std::string combinations = coq_list(evidence.combinations.size(), [&](std::size_t k) {
    return define_vector("combination_" + std::to_string(k + 1), evidence.combinations[k]);
  });
  claim_.term = "FinitePart" + problem_index() + " " + lo + " " + hi + " " + radius + " " + ratios + " " +
                spanning + " " + least + " " + define_hints(*hints) + " " + coefficients + " (numbers " +
                bases + ") " + combinations;
  claim_.statement = let_ratios() + "exists w, [/\\ finite_part " + alpha_ + " " + rows_.senses +
                     " rho w, fraction_real " + lo + " <= vnorm2 w <= fraction_real " + hi +
                     " &\n        vnorm (" + solution(coefficients) + " - w)%V <= fraction_real " + radius +
                     "]";
}

void ClaimExport::state(const attest_check::NoFinitePart& evidence) {
  const std::string ratios = define_ratios(evidence.ratios);
  const std::string combination = define_vector("combination", evidence.combination);
  claim_.term = "NoFinitePart" + problem_index() + " " + ratios + " " + combination;
  claim_.statement = let_ratios() + "~ exists w, shares_attention " + alpha_ + " " + rows_.senses + " rho w";
}

}  // namespace attest
