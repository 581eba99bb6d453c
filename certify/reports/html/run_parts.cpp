#include "certify/reports/html/run_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/html/provenance.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {

Fact enclosed_fact(const std::string& what, const Interval& ends) {
  return {what, short_number(ends, 15), Level::enclosed, both_ends(ends, 40)};
}

std::string tokens(const Selection& selection) {
  constexpr std::size_t most_shown = 24;
  std::string text;
  for (std::size_t i = 0; i < std::min(selection.size(), most_shown); ++i)
    text += (i == 0 ? "" : " ") + std::to_string(selection[i]);
  return selection.size() > most_shown ? text + " ... (" + std::to_string(selection.size()) + " sequences)"
                                       : text;
}

Fact dominating_tokens(const std::vector<std::optional<std::size_t>>& selection) {
  Selection known;
  for (const auto& token : selection) {
    if (token) known.push_back(*token);
  }
  const std::string some = std::to_string(known.size()) + " of " + std::to_string(selection.size()) +
                           " sequences have a proved one";
  return {"dominating tokens at the last step", known.size() == selection.size() ? tokens(known) : some,
          Level::exact};
}

void add_verdict(Page& page, const RunStory& story) {
  std::vector<std::string> sentences = {"The exact iteration (" + story.iteration + ") was followed for " +
                                        std::to_string(story.steps) +
                                        " steps with a proved bound of every rounding error."};
  sentences.insert(sentences.end(), story.proved.begin(), story.proved.end());
  if (!story.proved.empty()) return page.verdict(Tone::good, "Proved for all later steps", sentences);
  if (story.verdict == RunVerdict::stationary)
    return page.verdict(Tone::open, "Stationary: the gradient at the start is exactly zero", sentences);
  sentences.push_back("Nothing is proved about later steps: " +
                      (story.open.empty() ? std::string("no theorem's hypotheses hold yet") : story.open) +
                      ".");
  if (!story.reason.empty()) sentences.push_back("The run ended early: " + story.reason + ".");
  page.verdict(Tone::open,
               story.verdict == RunVerdict::complete ? "Complete: every step enclosed, later steps open"
                                                     : "Undecided: the run ended early",
               sentences);
}

Table shape_table(const std::string& caption, const std::vector<RateShape>& shapes) {
  Table table{
      caption + " (enclosed)", {{"shape"}, {"c at most", true}, {"from step", true}, {"to step", true}}, {}};
  for (const RateShape& shape : shapes) {
    if (shape.whole.to == 0 || !std::isfinite(shape.whole.hi)) continue;
    table.rows.push_back({{shape.name},
                          {decimal_up(Rational(shape.whole.hi), 6), shape.whole.hi},
                          count(shape.whole.from),
                          count(shape.whole.to)});
  }
  return table;
}

void add_chart(Page& page, const RunPlot& plot, const std::string& described) {
  Chart chart = run_chart(plot);
  chart.title = plot.measured;
  chart.description = described;
  const auto drawn = [](const auto& part) { return part.points.size() > 1; };
  if (std::any_of(chart.bands.begin(), chart.bands.end(), drawn) ||
      std::any_of(chart.lines.begin(), chart.lines.end(), drawn))
    page.figure(chart);
}

void add_attention(Page& page, const std::vector<AttentionLeft>& checkpoints,
                   const std::vector<std::size_t>& groups) {
  if (checkpoints.empty() || groups.empty()) return;
  page.figure(attention_over_time(checkpoints, groups));
  if (checkpoints.back().step > 1) page.figure(left_over_time(checkpoints, groups));
}

std::string followed_run_page(const FollowedRunAnswer& answer, const FollowedRunPage& told) {
  Page page(told.what + " on " + file_name(answer.instance_path));
  add_verdict(page, told.story);
  page.section("Results");
  std::vector<Fact> facts = {{"iteration", told.story.iteration}};
  if (!answer.merged.empty()) facts.push_back({"equal tokens", merged_text(answer.merged), Level::exact});
  facts.insert(facts.end(), told.facts.begin(), told.facts.end());
  page.facts("The run", facts);
  page.section("Pictures");
  add_chart(page, answer.pictures.plot, told.chart);
  add_attention(page, told.attention, answer.groups);
  page.section("Tables");
  for (const Table& table : told.tables) page.table(table);
  add_provenance(page, provenance_of(answer));
  return std::move(page).text();
}

}  // namespace attest
