#include "certify/reports/html/run.hpp"

#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/comparison.hpp"
#include "certify/reports/html/provenance.hpp"
#include "certify/reports/html/run_parts.hpp"
#include "certify/reports/run.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

std::string iteration(const RunAnswer& answer) {
  return std::string(answer.spec.rule->long_name()) + ", " + answer.spec.rule->step_word() + " " +
         show(answer.spec.step) + " (" + name(answer.spec.schedule) + ")" + state_words(answer.spec) + ", " +
         name(answer.spec.loss) + " loss";
}

RunStory story(const RunAnswer& answer) {
  const RunOutcome& outcome = *answer.outcome;
  const ForeverAnswer& forever = answer.forever;
  RunStory story{iteration(answer), outcome.record.step, outcome.verdict, outcome.reason, {}, forever.reason};
  if (forever.verdict != "holds") return story;
  story.proved.push_back(
      "From step " + std::to_string(*forever.t0) + " on it is proved for all later steps (" +
      forever.theorem + ") that the direction of W tends to the max-margin direction of the selection " +
      tokens(forever.selection) + ", with 1 - correlation of the order " + forever.rate + ".");
  if (forever.dominates_from)
    story.proved.push_back(
        "From step " + std::to_string(*forever.dominates_from) +
        " on every selected token has more than half of its sequence's attention, for ever.");
  return story;
}

void add_verdict(Page& page, const RunAnswer& answer) {
  if (answer.outcome) return add_verdict(page, story(answer));
  page.verdict(
      Tone::open, "Computed, not proved",
      {"The run was made in " + answer.arithmetic + " arithmetic: nothing on this page is proved.",
       answer.computed->stopped_by.empty() ? "" : "It was ended early: " + answer.computed->stopped_by});
}

Table checkpoint_table(const RunOutcome& outcome) {
  Table table{"Checkpoints (enclosed)",
              {{"step t", true},
               {"1 - corr", true},
               {"its band", true},
               {"\xE2\x80\x96W\xE2\x80\x96", true},
               {"along the direction", true},
               {"across it", true},
               {"loss above its infimum", true},
               {"gradient norm", true},
               {"largest 1 - attention", true}},
              {}};
  const bool directed = outcome.direction.has_value();
  const Cell none{"-"};
  for (const RunPoint& point : reported(outcome.record)) {
    const bool corr = directed && point.one_minus_corr.is_finite();
    table.rows.push_back({count(point.step), corr ? number(point.one_minus_corr) : none,
                          corr ? Cell{band_width(point.one_minus_corr)} : none, number(point.norm),
                          directed ? number(point.along) : none, directed ? number(point.across) : none,
                          number(point.loss_gap), number(point.gradient_norm), number(point.max_unselected)});
  }
  return table;
}

Table computed_table(const ComputedRun& computed) {
  Table table{"Checkpoints (measured)",
              {{"step t", true},
               {"1 - corr", true},
               {"\xE2\x80\x96W\xE2\x80\x96", true},
               {"loss above its infimum", true},
               {"largest 1 - attention", true}},
              {}};
  for (const PlainObservation& seen : computed.observations) {
    table.rows.push_back({count(seen.step), number(seen.one_minus_corr), number(seen.norm),
                          number(seen.loss_gap), number(seen.max_unselected)});
  }
  return table;
}

Table attention_table(const std::vector<LaterAttention>& bounds) {
  Table table{"Attention at all later steps (proved exactly)",
              {{"from step", true},
               {"1 - that of a selected token, at most", true},
               {"that of another one, at most", true}},
              {}};
  for (const LaterAttention& later : bounds) {
    table.rows.push_back(
        {count(later.from), {decimal_up(later.most_lacking(), 6)}, {decimal_up(later.greatest_masked(), 6)}});
  }
  return table;
}

void add_theorems(Page& page, const RunAnswer& answer) {
  const ForeverAnswer& forever = answer.forever;
  if (!forever.proofs.empty()) {
    Table table{"Theorems about all later steps (proved exactly)",
                {{"theorem"},
                 {"from step", true},
                 {"1 - corr is of the order"},
                 {"attention above 1/2 from step", true}},
                {}};
    for (const ForeverAnswer::Proof& proof : forever.proofs) {
      table.rows.push_back({{proof.theorem},
                            count(proof.t0),
                            {proof.rate},
                            proof.dominates_from ? count(*proof.dominates_from) : Cell{"not stated"}});
    }
    page.table(table);
  }
  if (!forever.attention.empty()) page.table(attention_table(forever.attention));
  if (!answer.outcome->settled) return;
  const Table shapes =
      shape_table("Least constants c of 1 - corr \xE2\x89\xA4 c \xC2\xB7 shape over all steps",
                  answer.outcome->record.shapes);
  if (!shapes.rows.empty()) page.table(shapes);
}

void add_comparison(Page& page, const std::optional<Comparison>& comparison) {
  if (!comparison) return;
  std::vector<Fact> facts;
  for (const ComparisonLine& line : comparison_lines(*comparison)) {
    const bool proved = !line.what.empty() && line.what != "compared with";
    facts.push_back(
        {line.what.empty() ? "as it is" : line.what, line.value, proved ? Level::exact : Level::none});
  }
  page.facts("A recorded run beside it", facts);
}

void add_pictures(Page& page, const RunAnswer& answer) {
  page.section("Pictures");
  if (answer.plot) {
    add_chart(page, *answer.plot,
              "One minus the correlation of W with the max-margin direction against the step, both on "
              "logarithmic axes. The band is proved, however narrow it looks; a dashed line, where there is "
              "one, is a bound at every step for ever; the plain double-precision run shows where "
              "rounding takes over.");
  }
  if (answer.outcome) add_attention(page, attention_left(reported(answer.outcome->record)), answer.groups);
}

}  // namespace

std::string html(const RunAnswer& answer) {
  Page page("Training run on " + file_name(answer.instance_path));
  add_verdict(page, answer);
  page.section("Results");
  std::vector<Fact> facts = {{"iteration", iteration(answer)}, {"arithmetic", answer.arithmetic}};
  if (answer.outcome) {
    const RunRecord& record = answer.outcome->record;
    facts.push_back(dominating_tokens(answer.outcome->selection));
    if (record.step > 0 && record.correct_bits < (1L << 30))
      facts.push_back({"correct bits at every step", std::to_string(record.correct_bits), Level::exact});
    if (record.step > 0)
      facts.push_back({"loss decreases at every step before",
                       std::to_string(record.first_loss_increase.value_or(record.step)), Level::exact});
  } else {
    facts.push_back(
        {"dominating tokens at the last step", tokens(answer.computed->selection), Level::measured});
  }
  page.facts("The run", facts);
  add_comparison(page, answer.comparison);
  add_pictures(page, answer);
  page.section("Tables");
  if (answer.outcome) {
    add_theorems(page, answer);
    page.table(checkpoint_table(*answer.outcome));
  } else {
    page.table(computed_table(*answer.computed));
  }
  Provenance provenance;
  provenance.instance_path = answer.instance_path;
  provenance.instance_sha256 = answer.instance_sha256;
  provenance.certificate = &answer.file;
  provenance.claims = answer.claims;
  provenance.costs = {time_fact("time in all", answer.total_seconds)};
  add_provenance(page, provenance);
  return std::move(page).text();
}

}  // namespace attest
