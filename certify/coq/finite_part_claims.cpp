// Claims about the finite part of selected sets as Coq terms; the statements are those of
// proofs/coq/theories/claims/FinitePartKinds.v with its definitions written out, and of a run's steps those
// of proofs/coq/theories/claims/StatedSets.v.
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

// Of W_fin + c W_mm; the angle as a term. Bands are rounded outward, which only weakens the claim.
std::string ClaimExport::state_angle(const attest_check::RunFinitePart& evidence, const std::string& w,
                                     CoqParts& parts) {
  if (!evidence.solution) return "None";
  const CoqBand factor = coq_band(evidence.factor->lo, evidence.factor->hi),
                corr = coq_band(evidence.one_minus_corr->lo, evidence.one_minus_corr->hi);
  const std::string nearest = "one_minus_corr (fin + c * wmm)%V " + w;
  parts.comment("of all W_fin + c W_mm the one nearest in direction");
  parts.add("(exists wmm c, " + about("max_margin") + " wmm /\\ 0 < c /\\ " + factor.around("c") +
            " /\\\n      " + corr.around(nearest) + " /\\\n      (forall c', 0 < c' -> " + nearest +
            " <= one_minus_corr (fin + c' * wmm)%V " + w + "))");
  return "(Some (" + std::to_string(exported_.at(evidence.solution->claim).position) + "%nat, (" +
         factor.pair() + ", " + corr.pair() + ")))";
}

// What is said of W_fin, as `shares_N` it is defined. The radius, on which the angle rests, and the bounds of
// the attention are given exactly.
std::string ClaimExport::state_shares(const attest_check::RunFinitePart& evidence) {
  const ExportedClaim& cited = exported_.at(evidence.run.claim);
  const attest_check::LeastNorm& part = evidence.part;
  const std::string w = "(w " + coq_natural(evidence.step) + ")", rows = alpha_ + " " + rows_.senses;
  GramHints hints;  // of no constraints none are needed
  if (!part.spanning.empty()) {
    const auto found = find_gram_hints(problem_, part.spanning, part.eigenvalue.bound, refinement_);
    if (!found) {
      claim_.skipped = coq_no_hints;
      return {};
    }
    hints = *found;
  }
  const CoqBand norm = coq_band(part.lo, part.hi);
  const CoqReal radius = coq_real(part.radius), selected = coq_real(evidence.selected),
                masked = coq_real(evidence.masked);
  const std::string coefficients = define_vector("coefficients", part.coefficients);
  CoqParts parts;
  parts.add("finite_part_of " + rows + " " + w + " fin");
  parts.add(norm.lo.text + " <= vnorm2 fin <= " + norm.hi.text);
  parts.add("vnorm (" + solution(coefficients) + " - fin)%V <= " + coq_about(radius));
  parts.add("(forall i, " + coq_about(selected) + " < attention " + w + " (" + alpha_ + " i))");
  parts.add("(forall t, equal_row " + rows + " t -> " + coq_about(selected) + " < attention " + w + " t)");
  parts.add("(forall t, constraint " + alpha_ + " t -> ~~ equal_row " + rows + " t -> attention " + w +
            " t < " + coq_about(masked) + ")");
  const std::string angle = state_angle(evidence, w, parts);
  const std::string spanning = define_tokens("spanning", part.spanning),
                    least = define_number("least_eigenvalue", part.eigenvalue.bound),
                    proved = define_hints(hints);
  const std::string combinations = coq_list(evidence.combinations.size(), [&](std::size_t k) {
    return define_vector("combination_" + std::to_string(k + 1), evidence.combinations[k]);
  });
  claim_.definitions +=
      "Definition " + named("shares") + " : run_finite_data big_integers :=\n  RunFiniteData " +
      std::to_string(cited.position) + " selection_" + std::to_string(cited.problem) + " " + cited.run->name +
      " " + std::to_string(evidence.step) + "\n  " + norm.lo.fraction() + " " + norm.hi.fraction() + " " +
      radius.fraction() + "\n  " + angle + "\n  " + selected.fraction() + " " + masked.fraction() + "\n  " +
      spanning + " " + least + " " + proved + " " + coefficients + " " + combinations + ".\n";
  return "(exists fin, " + parts.text() + ")";
}

void ClaimExport::state(const attest_check::RunFinitePart& evidence) {
  if (evidence.solution) {
    citation(*evidence.solution);
    if (claim_.skipped.empty() && cited_->gap) {
      claim_.skipped = "beside a solution enclosed by a gap Coq does not check this kind; attest-check does";
    }
  }
  const auto found = exported_.find(evidence.run.claim);
  if (found == exported_.end()) claim_.skipped = not_exported(evidence.run.claim);
  if (!claim_.skipped.empty()) return;
  const ExportedRun& run = *found->second.run;
  const std::string shares = state_shares(evidence);
  if (!claim_.skipped.empty()) return;
  CoqParts parts;
  if (attest_check::update_rule(run.specification.rule).divides) {
    parts.add("(forall t, (t < " + std::to_string(evidence.step) + ")%nat -> 0 < vnorm (" +
              (several_outputs_ ? "head_gradient h" : "gradient " + run.loss) + " (w t)))");
  }
  parts.add(shares);
  claim_.term = "RunFinitePart" + problem_index() + " " + named("shares");
  claim_.proof = std::string(several_outputs_ ? "output_" : "") +
                 "run_finite_stated (I := instance) (q := problem_" + std::to_string(problem_.number) +
                 ") (alpha := " + alpha_ + ") (p := 0) (x := " + named("shares") + ") " +
                 (several_outputs_ ? "(beta := " + run.alpha + ") (h := " + run.head + ") erefl erefl " +
                                         run.alpha + "_selects "
                                   : std::string("erefl best_tokens_best ")) +
                 run.start_proof;
  claim_.statement = state_iteration(run) + parts.text();
}

}  // namespace attest
