#include "certify/reports/html/checkpoint.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "certify/catalogue/observation.hpp"
#include "certify/reports/checkpoint.hpp"
#include "certify/reports/html/attention.hpp"
#include "certify/reports/html/cells.hpp"
#include "certify/reports/html/margins.hpp"
#include "certify/reports/html/provenance.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

Table sequence_table(const CheckpointAnswer& answer) {
  Table table{"Attention by sequence",
              {{"sequence", true},
               {"tokens", true},
               {"nearest token", true},
               {"its attention (enclosed)", true},
               {"left for others (enclosed)", true},
               {"tokens with the same logit", true}},
              {}};
  for (std::size_t i = 0; i < answer.attention.size(); ++i) {
    const SequenceAttention& sequence = answer.attention[i];
    table.rows.push_back({count(i), count(sequence.attention.size()), count(sequence.nearest),
                          number(sequence.attention[sequence.nearest]), number(sequence.left),
                          count(sequence.tied.size())});
  }
  return table;
}

Table blocking_table(const CheckpointAnswer& answer) {
  Table table{"Tokens that stand against a theorem (margins and gaps proved exactly)",
              {{"sequence", true},
               {"token", true},
               {"selected token", true},
               {"margin at W", true},
               {"score gap", true}},
              {}};
  for (const Constraint& c : answer.blocking) {
    table.rows.push_back({count(c.group), count(c.token), count(answer.selection[c.group]),
                          number(point(answer.margins[answer.data.row(c.group, c.token)])),
                          number(point(score_gap(answer.data, answer.selection, c)))});
  }
  return table;
}

Table training_table(const CheckpointAnswer& answer) {
  Table table{"Training on from W",
              {{"rule"},
               {"step"},
               {"for all later steps"},
               {"attention above 1/2 from step", true},
               {"margins needed (measured)", true}},
              {}};
  for (const CheckpointTraining& training : answer.training) {
    const ForeverAnswer& forever = training.forever;
    std::string proved;
    for (const ForeverAnswer::Proof& proof : forever.proofs)
      proved += (proved.empty() ? "" : "; ") + proof.theorem + ": 1 - corr of the order " + proof.rate;
    char level[32] = "-";
    if (training.shortfall) std::snprintf(level, sizeof level, "%.3g", training.shortfall->level);
    table.rows.push_back({{training.spec.rule->long_name()},
                          {show_short(training.spec.step)},
                          {proved.empty() ? "nothing: " + forever.reason : proved + " (proved exactly)"},
                          forever.dominates_from ? count(*forever.dominates_from) : Cell{"-"},
                          {level}});
  }
  return table;
}

void add_verdict(Page& page, const CheckpointAnswer& answer) {
  const bool holds = answer.blockage == Blockage::none;
  page.verdict(holds ? Tone::good : Tone::open,
               holds                                    ? "Proved for all later steps"
               : answer.blockage == Blockage::undecided ? "Undecided"
                                                        : "Open: no theorem applies at this W",
               summary(answer));
}

}  // namespace

std::string html(const CheckpointAnswer& answer) {
  Page page("Checkpoint on " + file_name(answer.instance_path));
  add_verdict(page, answer);
  page.section("Results");
  std::vector<Fact> facts = {{"setting", name(answer.setting)},
                             {"layer", answer.factored ? "W = K Q', multiplied exactly" : "W"}};
  if (answer.norm_squared) {
    const Interval norm = square_root(*answer.norm_squared, 128);
    facts.push_back(
        {"norm \xE2\x80\x96W\xE2\x80\x96", short_number(norm, 12), Level::enclosed, both_ends(norm)});
  }
  if (answer.one_minus_corr)
    facts.push_back({"1 - correlation with the max-margin direction", short_number(*answer.one_minus_corr, 8),
                     Level::enclosed, both_ends(*answer.one_minus_corr)});
  page.facts("The layer", facts);
  if (!answer.training.empty()) page.table(training_table(answer));
  if (!answer.attention.empty()) {
    page.section("Attention");
    page.figure(attention_map(answer.attention));
    page.table(sequence_table(answer));
  }
  if (!answer.blocking.empty()) {
    page.section("What stands against it");
    page.table(blocking_table(answer));
  }
  if (answer.blockage == Blockage::infeasible)
    page.figure(token_map({answer.data, answer.selection, answer.solution, nullptr}));
  add_provenance(page, provenance_of(answer));
  return std::move(page).text();
}

}  // namespace attest
