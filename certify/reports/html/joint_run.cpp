#include "certify/reports/html/joint_run.hpp"

#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/html/run_parts.hpp"
#include "certify/reports/margin_facts.hpp"

namespace attest {
namespace {

RunStory story(const JointRunAnswer& answer) {
  const JointOutcome& outcome = answer.outcome;
  RunStory story{"attention W by " + step_words(answer.spec, answer.spec.attention) + ", decoder v by " +
                     step_words(answer.spec, answer.spec.decoder) + ", " + name(answer.spec.loss) + " loss",
                 outcome.record.step,
                 outcome.verdict,
                 outcome.reason,
                 {},
                 outcome.proof_reason};
  if (!outcome.proof) return story;
  const JointRegion& region = outcome.proof->region;
  story.proved = {"From step " + std::to_string(outcome.proof->t0) +
                      " on it is proved for all later steps (T20) that the decoder tends to its max-margin "
                      "direction and the attention to that of the plain problem, for the selection " +
                      tokens(outcome.limits.selection) + ".",
                  "Every selected token then leaves at most " + decimal_up(region.unselected.upper(), 4) +
                      " of its sequence's attention to others, ever less of it; the loss tends to 0."};
  return story;
}

std::vector<Fact> facts(const JointOutcome& outcome) {
  std::vector<Fact> facts = {dominating_tokens(outcome.selection)};
  const std::optional<std::string> nearest = outcome.nearest();
  facts.push_back({"W is nearest to",
                   nearest ? "the " + *nearest + " problem's solution at the last step"
                           : "undecided: not every correlation is enclosed, or all of them overlap",
                   nearest ? Level::exact : Level::none});
  for (const JointLimit& limit : outcome.limits.attention) {
    if (limit.direction) continue;
    const bool infeasible = limit.feasibility == Feasibility::infeasible;
    const std::string why = limit.conflict.empty() ? limit.reason : not_together(limit.conflict);
    facts.push_back({limit.problem + " problem", (infeasible ? "infeasible: " : "undecided: ") + why,
                     infeasible ? Level::exact : Level::none});
  }
  if (!outcome.limits.attention.empty() && !outcome.limits.decoder)
    facts.push_back({"decoder's problem", outcome.limits.decoder_reason});
  if (outcome.limits.supporting) {
    facts.push_back({"sequences that support the decoder",
                     std::to_string(outcome.limits.supporting->size()) + " of " +
                         std::to_string(outcome.limits.selection.size()),
                     Level::exact});
  }
  if (outcome.record.step > 0 && outcome.record.correct_bits < (1L << 30))
    facts.push_back(
        {"correct bits of W and v at every step", std::to_string(outcome.record.correct_bits), Level::exact});
  return facts;
}

Table checkpoints(const JointOutcome& outcome) {
  Table table{"Checkpoints (enclosed)", {{"step t", true}}, {}};
  for (const JointLimit& limit : outcome.limits.attention)
    table.columns.push_back({"1 - corr of W, " + limit.problem + " problem", true});
  for (const char* heading : {"1 - corr of v", "label margin of v", "\xE2\x80\x96W\xE2\x80\x96",
                              "\xE2\x80\x96v\xE2\x80\x96", "loss", "largest 1 - attention"})
    table.columns.push_back({heading, true});
  for (const JointPoint& point : outcome.record.checkpoints) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back(count(point.step));
    for (std::size_t k = 0; k < outcome.limits.attention.size(); ++k)
      row.push_back(number(point.one_minus_corr[k]));
    for (const Ball* ball : {&point.decoder_one_minus_corr, &point.decoder_margin, &point.norm,
                             &point.decoder_norm, &point.loss, &point.max_unselected})
      row.push_back(number(*ball));
  }
  return table;
}

// Papers C's: 1 - corr <= c shape, loss <= exp(-c t^(1/3)).
Table constants_table(const JointOutcome& outcome) {
  Table table{"Constants c that hold over all of these steps (enclosed)",
              {{"of"}, {"shape"}, {"c", true}, {"from step", true}, {"to step", true}},
              {}};
  for (const JointShape& shape : outcome.record.shapes) {
    const bool loss = shape.of == "loss";
    const double c = loss ? shape.constant.lo : shape.constant.hi;
    if (shape.constant.to == 0 || !std::isfinite(c)) continue;
    table.rows.push_back(
        {{shape.of},
         {loss ? "loss \xE2\x89\xA4 " + shape.name : "1 - corr \xE2\x89\xA4 c \xC2\xB7 " + shape.name},
         {loss ? decimal_down(Rational(c), 4) : decimal_up(Rational(c), 4), c},
         count(shape.constant.from),
         count(shape.constant.to)});
  }
  return table;
}

// Sequences of one token have no attention to show.
std::vector<AttentionLeft> attention_of_groups(const JointRunAnswer& answer) {
  std::vector<AttentionLeft> left = attention_left(answer.outcome.record.checkpoints);
  for (AttentionLeft& point : left) {
    std::vector<Ball> kept;
    for (const std::size_t group : answer.groups) kept.push_back(point.by_group[group]);
    point.by_group = std::move(kept);
  }
  return left;
}

}  // namespace

std::string html(const JointRunAnswer& answer) {
  FollowedRunPage told;
  told.what = "Joint training";
  told.story = story(answer);
  told.facts = facts(answer.outcome);
  told.chart =
      "One minus the correlation of W with the plain problem's solution, against the step, both on "
      "logarithmic axes. The band is proved, however narrow it looks; the lines are the upper ends of what "
      "is proved of W against the other problems and of the decoder v against its own.";
  told.attention = attention_of_groups(answer);
  told.tables.push_back(checkpoints(answer.outcome));
  if (answer.outcome.settled()) {
    Table constants = constants_table(answer.outcome);
    if (!constants.rows.empty()) told.tables.push_back(std::move(constants));
  }
  return followed_run_page(answer, told);
}

}  // namespace attest
