#include "certify/reports/html/mirror_run.hpp"

#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/html/run_parts.hpp"
#include "certify/reports/margin_facts.hpp"

namespace attest {
namespace {

std::string power(const MirrorRunAnswer& answer) {
  return show(answer.spec.exponent);
}

RunStory story(const MirrorRunAnswer& answer) {
  const MirrorOutcome& outcome = answer.outcome;
  const OptimizerSpec& steps = answer.spec.steps;
  RunStory story{std::string(answer.spec.normalised ? "normalised " : "") +
                     "mirror descent, potential P = " + power(answer) + ", step " + show(steps.step) + " (" +
                     name(steps.schedule) + "), " + name(steps.loss) + " loss",
                 outcome.record.step,
                 outcome.verdict,
                 outcome.reason,
                 {},
                 outcome.limit ? outcome.proof_reason : outcome.limit_reason};
  if (!outcome.proof) return story;
  const MirrorRegion& region = outcome.proof->region;
  story.proved = {
      "From step " + std::to_string(outcome.proof->t0) +
          " on it is proved for all later steps (T17) that the direction of W tends to that of least " +
          power(answer) + "-norm for the selection " + tokens(outcome.limit->selection) +
          ", with a Bregman divergence of the order " + region.rate + ".",
      "Every selected token then leaves at most " + decimal_up(Rational(region.unselected), 4) +
          " of its sequence's attention to others, for ever."};
  return story;
}

std::vector<Fact> facts(const MirrorOutcome& outcome) {
  std::vector<Fact> facts = {dominating_tokens(outcome.selection)};
  if (outcome.limit)
    facts.push_back(enclosed_fact("least \xE2\x80\x96W\xE2\x80\x96_P", outcome.limit->optimum.value));
  if (!outcome.conflict.empty()) facts.push_back({"conflict", not_together(outcome.conflict), Level::exact});
  const MirrorRecord& record = outcome.record;
  if (record.step > 0 && record.correct_bits < (1L << 30))
    facts.push_back({"correct bits at every step", std::to_string(record.correct_bits), Level::exact});
  const LeastConstant& needed = record.inequality.needed;
  if (outcome.settled() && needed.to != 0 && std::isfinite(needed.hi)) {
    facts.push_back({"T13's inequality needs C_0",
                     decimal_up(Rational(needed.hi), 4) + " at steps " + std::to_string(needed.from) +
                         " to " + std::to_string(needed.to),
                     Level::enclosed});
  }
  return facts;
}

Table checkpoints(const MirrorOutcome& outcome) {
  Table table{"Checkpoints (enclosed)",
              {{"step t", true},
               {"Bregman divergence", true},
               {"1 - corr", true},
               {"\xE2\x80\x96W\xE2\x80\x96_P", true},
               {"loss above its infimum", true},
               {"gradient's dual norm", true},
               {"largest 1 - attention", true}},
              {}};
  const auto seen = [&](const Ball& ball) { return outcome.limit ? number(ball) : Cell{"-"}; };
  for (const MirrorPoint& point : outcome.record.checkpoints) {
    table.rows.push_back({count(point.step), seen(point.bregman), seen(point.euclidean), number(point.norm),
                          number(point.loss_gap), number(point.gradient_norm), number(point.max_unselected)});
  }
  return table;
}

Table against(const MirrorOutcome& outcome) {
  Table table{
      "The last step against solutions in these norms (enclosed)",
      {{"norm", false}, {"Bregman divergence", true}, {"1 - corr", true}, {"measured against", false}},
      {}};
  for (const MirrorAgainst& other : outcome.against) {
    const bool known = other.reason.empty();
    const std::string what = known ? words(other.standing) : "nothing: " + other.reason;
    table.rows.push_back({{other.norm.word},
                          known ? number(other.bregman) : Cell{"-"},
                          known ? number(other.euclidean) : Cell{"-"},
                          {what}});
  }
  return table;
}

}  // namespace

std::string html(const MirrorRunAnswer& answer) {
  FollowedRunPage told;
  told.what = "Mirror descent";
  told.story = story(answer);
  told.facts = facts(answer.outcome);
  told.chart =
      "The Bregman divergence D(u, W/\xE2\x80\x96W\xE2\x80\x96_P) of the potential, u the direction of least "
      "P-norm, against the step, both on logarithmic axes. The band is proved, however narrow it looks; a "
      "dashed line, where there is one, holds at every step for ever.";
  told.attention = attention_left(answer.outcome.record.checkpoints);
  told.tables.push_back(checkpoints(answer.outcome));
  if (!answer.outcome.against.empty()) told.tables.push_back(against(answer.outcome));
  if (answer.outcome.settled()) {
    Table shapes = shape_table("Least constants c of divergence \xE2\x89\xA4 c \xC2\xB7 shape over all steps",
                               answer.outcome.record.shapes);
    if (!shapes.rows.empty()) told.tables.push_back(std::move(shapes));
  }
  return followed_run_page(answer, told);
}

}  // namespace attest
