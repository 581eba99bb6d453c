#include "certify/certificates/factored.hpp"

#include <boost/multiprecision/integer.hpp>

#include "certify/certificates/norm_optimum.hpp"
#include "certify/certificates/stated_bounds.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

WrittenMatrix written(const ExactArray& entries, std::size_t columns) {
  WrittenMatrix matrix;
  matrix.rows = entries.size() / columns;
  matrix.columns = columns;
  matrix.denominator = 1;
  for (std::size_t k = 0; k < entries.size(); ++k)
    matrix.denominator = lcm(matrix.denominator, denominator(entries.exact(k)));
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Rational x = entries.exact(k);
    matrix.numerator.push_back(numerator(x) * (matrix.denominator / denominator(x)));
  }
  return matrix;
}

std::string checkpoint_line(const FactoredObservation& point, bool euclidean, bool nuclear) {
  std::string line = "checkpoint " + std::to_string(point.step) + stated_band("left-norm", point.left_norm) +
                     stated_band("right-norm", point.right_norm) + stated_band("norm", point.norm) +
                     stated_band("balance", point.balance) + stated_band("loss-gap", point.loss_gap, true) +
                     stated_band("unselected", point.off_limit, true);
  // None where K Q' = 0.
  if (euclidean && point.one_minus_corr.is_finite())
    line += stated_band("one-minus-corr", point.one_minus_corr);
  if (nuclear && point.one_minus_corr_nuclear.is_finite())
    line += stated_band("nuclear-one-minus-corr", point.one_minus_corr_nuclear);
  return line;
}

// `nuclear`: the claim of that norm's problem, 0 when there is none.
void write_forever(CertificateText& text, std::size_t problem, std::size_t run, std::size_t nuclear,
                   const FactoredOutcome& outcome) {
  const FactoredLaterSteps& later = outcome.proof->later;
  const Rational margin = claimed_below(later.margin_floor);
  std::string words = "run " + std::to_string(run) + " at " + std::to_string(outcome.proof->t0);
  if (nuclear != 0)
    words += " nuclear " + std::to_string(nuclear) + " share " +
             certificate_number(dyadic_below(margin * outcome.limits.nuclear->value.lo, claim_bits));
  text.claim("factored-forever", problem,
             words + " margin " + certificate_number(margin) + " growth " + number_below(later.loss_growth) +
                 " attention " + number_below(later.attention) + " drift " +
                 number_above(later.balance_drift));
}

}  // namespace

void write_factored_claims(CertificateText& text, std::size_t problem, std::size_t optimum,
                           const FactoredRunProof& run) {
  const FactoredOutcome& outcome = *run.outcome;
  std::size_t nuclear = 0;
  if (outcome.limits.nuclear) {
    Norm norm;
    norm.kind = NormKind::nuclear;
    norm.word = "nuclear";
    nuclear = write_norm_claims(text, problem, norm, *outcome.limits.nuclear);
  }
  const std::vector<FactoredObservation>& points = outcome.record.checkpoints;
  std::string words = "rank " + std::to_string(run.spec->rank);
  if (optimum != 0) words += " from " + std::to_string(optimum);
  if (nuclear != 0) words += " nuclear " + std::to_string(nuclear);
  const std::size_t claim =
      text.claim("factored-run", problem, words + " steps " + std::to_string(points.back().step));
  const OptimizerSpec& steps = run.spec->steps;
  text.line(std::string("optimizer ") + (run.spec->normalised ? "ngd" : "gd") + " schedule " +
            name(steps.schedule) + " step " + certificate_number(steps.step));
  write_matrix(text, "left", written(run.start->left, run.spec->rank));
  write_matrix(text, "right", written(run.start->right, run.spec->rank));
  text.line("checkpoints " + std::to_string(points.size()) + " bits " + std::to_string(run.bits));
  for (const FactoredObservation& point : points)
    text.line(checkpoint_line(point, optimum != 0, nuclear != 0));
  if (outcome.proof && outcome.proof->later.selection == outcome.limits.selection)
    write_forever(text, problem, claim, nuclear, outcome);
}

}  // namespace attest
