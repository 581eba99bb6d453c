// The text of training (K,Q).
#include <algorithm>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/factored_run.hpp"
#include "certify/reports/margin_facts.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/run_lines.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

constexpr std::size_t most_values = 6;

std::string factored_row(const std::string& t, const std::vector<std::string>& columns) {
  return table_row(t, 8, columns, 13);
}

std::string points(const FactoredOutcome& outcome) {
  std::string out = factored_row("t", {"1-corr fro", "1-corr nuc", "margin/best", "alignment", "||KQ'||_*",
                                       "L - L*", "K'K-Q'Q"}) +
                    "\n";
  const bool settled = outcome.settled();
  for (const FactoredObservation& point : outcome.record.checkpoints) {
    const auto seen = [&](const Ball& ball) { return settled ? short_number(ball) : std::string("-"); };
    out += factored_row(std::to_string(point.step),
                        {seen(point.one_minus_corr), seen(point.one_minus_corr_nuclear),
                         seen(point.margin_share_nuclear), short_number(point.alignment),
                         short_number(point.nuclear_norm), short_number(point.loss_gap),
                         short_number(point.balance)}) +
           "checked\n";
  }
  return out +
         "c margin/best: least margin of KQ'/||KQ'||_* over the largest there is; alignment: "
         "<V,KQ'>/(||V||_2\n"
         "c ||KQ'||_*), V = -grad L; 1-corr nuc: with the matrix that `certify --norm nuc` proves, whose\n"
         "c problem need not have one solution\n";
}

std::string singular_values(const FactoredObservation& point) {
  std::string text;
  for (std::size_t k = 0; k < std::min(point.singular_values.size(), most_values); ++k)
    text += (k == 0 ? "" : " ") + short_number(point.singular_values[k]);
  if (point.singular_values.size() > most_values)
    text += " ... (" + std::to_string(point.singular_values.size()) + ")";
  return fact("singular values of KQ'", text, "checked");
}

std::string later_lines(const FactoredOutcome& outcome) {
  if (!outcome.proof)
    return fact("later steps",
                "undecided" + (outcome.proof_reason.empty() ? "" : ": " + outcome.proof_reason));
  const FactoredLaterSteps& later = outcome.proof->later;
  const std::uint64_t t0 = outcome.proof->t0, first = *outcome.first_proof;
  const std::string from = "from t = " + std::to_string(t0) +
                           (first < t0 ? " (first " + std::to_string(first) + ")" : std::string());
  std::string out =
      fact("loss for ever",
           from + " by T22: L tends to L*, L - L* <= 1/(1/S + " + decimal_down(later.loss_growth.lower(), 4) +
               " (t - t0)), S = " + decimal_up(later.loss_gap.upper(), 4),
           "checked");
  out += fact("margins for ever",
              "at least " + decimal_down(later.margin_floor.lower(), 6) +
                  " (||K||^2 + ||Q||^2)/2, which is at least ||KQ'||_*",
              "checked");
  if (later.share.is_finite())
    out += fact("margin/best for ever", "at least " + decimal_down(later.share.lower(), 6), "checked");
  out += fact("attention for ever",
              "at least " + decimal_down(later.attention.lower(), 4) + " on every best token, tending to 1",
              "checked");
  out += fact("K'K - Q'Q for ever",
              "moves by at most " + decimal_up(later.balance_drift.upper(), 4) + " in the nuclear norm",
              "checked");
  return out + "c T22 says nothing of the limit of KQ'/||KQ'||\n";
}

}  // namespace

std::string text(const FactoredRunAnswer& answer) {
  const FactoredOutcome& outcome = answer.outcome;
  const FactoredLimits& limits = outcome.limits;
  std::string out = fact("instance", answer.instance_path);
  out += fact("run", "(K,Q) with " + std::to_string(answer.spec.rank) + " columns, " + answer.optimizer +
                         ", step " + show(answer.spec.steps.step) + " (" + name(answer.spec.steps.schedule) +
                         "), " + name(answer.spec.steps.loss) + " loss");
  out += fact("start", answer.start);
  if (!answer.merged.empty()) out += fact("equal tokens", merged_text(answer.merged));
  if (!outcome.record.checkpoints.empty())
    out += points(outcome) + singular_values(outcome.record.checkpoints.back());
  out += fact("selected at last step", listed_tokens(outcome.selection), "checked");
  if (limits.euclidean)
    out += fact("least ||W||_F", short_number(limits.euclidean->optimum.value), "checked");
  if (limits.nuclear) out += fact("least ||W||_*", short_number(limits.nuclear->value), "checked");
  if (!limits.euclidean && !limits.euclidean_reason.empty())
    out += fact("no solution to compare", limits.euclidean_reason);
  if (!limits.conflict.empty()) out += fact("conflict", not_together(limits.conflict), "checked");
  if (outcome.record.step > 0 && outcome.record.correct_bits < (1L << 30))
    out += fact("correct bits of (K,Q)", std::to_string(outcome.record.correct_bits), "checked");
  out += later_lines(outcome);
  return out + last_lines(answer);
}

}  // namespace attest
