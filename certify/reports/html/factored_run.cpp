#include "certify/reports/html/factored_run.hpp"

#include "certify/numbers/decimal.hpp"
#include "certify/reports/html/run_parts.hpp"
#include "certify/reports/margin_facts.hpp"

namespace attest {
namespace {

RunStory story(const FactoredRunAnswer& answer) {
  const FactoredOutcome& outcome = answer.outcome;
  const OptimizerSpec& steps = answer.spec.steps;
  RunStory story{std::string(answer.spec.normalised ? "normalised " : "") +
                     "gradient descent on K and Q of W = KQ' with " + std::to_string(answer.spec.rank) +
                     " columns, step " + show(steps.step) + " (" + name(steps.schedule) + "), " +
                     name(steps.loss) + " loss",
                 outcome.record.step,
                 outcome.verdict,
                 outcome.reason,
                 {},
                 outcome.proof_reason};
  if (!outcome.proof) return story;
  const FactoredLaterSteps& later = outcome.proof->later;
  story.proved = {
      "From step " + std::to_string(outcome.proof->t0) +
          " on it is proved for all later steps (T22) that the loss tends to its infimum, like 1/t, and the "
          "attention of every best token to 1; it is at least " +
          decimal_down(later.attention.lower(), 4) + " there.",
      "The margins of KQ' stay at least " + decimal_down(later.margin_floor.lower(), 6) +
          " (\xE2\x80\x96K\xE2\x80\x96\xC2\xB2 + \xE2\x80\x96Q\xE2\x80\x96\xC2\xB2)/2.",
      "Nothing is said of the limit of the direction of KQ'."};
  return story;
}

std::vector<Fact> facts(const FactoredRunAnswer& answer) {
  const FactoredOutcome& outcome = answer.outcome;
  const FactoredLimits& limits = outcome.limits;
  std::vector<Fact> facts = {{"start", answer.start}, dominating_tokens(outcome.selection)};
  if (limits.euclidean) {
    facts.push_back(enclosed_fact("least \xE2\x80\x96W\xE2\x80\x96_F", limits.euclidean->optimum.value));
  } else if (!limits.euclidean_reason.empty()) {
    facts.push_back({"no solution to compare with", limits.euclidean_reason});
  }
  if (!limits.conflict.empty()) facts.push_back({"conflict", not_together(limits.conflict), Level::exact});
  if (limits.nuclear)
    facts.push_back(enclosed_fact("least \xE2\x80\x96W\xE2\x80\x96_* (nuclear)", limits.nuclear->value));
  if (outcome.record.step > 0 && outcome.record.correct_bits < (1L << 30)) {
    facts.push_back(
        {"correct bits of K and Q at every step", std::to_string(outcome.record.correct_bits), Level::exact});
  }
  return facts;
}

Table checkpoints(const FactoredOutcome& outcome) {
  Table table{"Checkpoints (enclosed)",
              {{"step t", true},
               {"1 - corr, Frobenius", true},
               {"1 - corr, nuclear", true},
               {"margin over the largest", true},
               {"alignment", true},
               {"\xE2\x80\x96KQ'\xE2\x80\x96_*", true},
               {"loss above its infimum", true},
               {"\xE2\x80\x96K'K - Q'Q\xE2\x80\x96", true},
               {"largest 1 - attention", true}},
              {}};
  const bool settled = outcome.settled();
  const auto seen = [&](const Ball& ball) { return settled ? number(ball) : Cell{"-"}; };
  for (const FactoredObservation& point : outcome.record.checkpoints) {
    table.rows.push_back({count(point.step), seen(point.one_minus_corr), seen(point.one_minus_corr_nuclear),
                          seen(point.margin_share_nuclear), number(point.alignment),
                          number(point.nuclear_norm), number(point.loss_gap), number(point.balance),
                          number(point.max_unselected)});
  }
  return table;
}

Table singular_values(const FactoredOutcome& outcome) {
  Table table{"Singular values of KQ' at the last checkpoint (enclosed)", {{"", true}, {"value", true}}, {}};
  if (outcome.record.checkpoints.empty()) return table;
  const std::vector<Ball>& values = outcome.record.checkpoints.back().singular_values;
  for (std::size_t k = 0; k < values.size(); ++k) table.rows.push_back({count(k + 1), number(values[k])});
  return table;
}

}  // namespace

std::string html(const FactoredRunAnswer& answer) {
  FollowedRunPage told;
  told.what = "Training of K and Q";
  told.story = story(answer);
  told.facts = facts(answer);
  told.chart =
      "One minus the correlation of KQ' with the max-margin direction in the Frobenius norm, and with a "
      "matrix of least nuclear norm, against the step, both on logarithmic axes. The bands are proved, "
      "however narrow they look; the nuclear norm's problem need not have one solution.";
  told.attention = attention_left(answer.outcome.record.checkpoints);
  told.tables.push_back(checkpoints(answer.outcome));
  if (!answer.outcome.record.checkpoints.empty()) told.tables.push_back(singular_values(answer.outcome));
  return followed_run_page(answer, told);
}

}  // namespace attest
