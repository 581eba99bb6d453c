#include "certify/reports/html/attention.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace attest {
namespace {

constexpr std::size_t most_rows = 60;        // of the map; beyond, a row is the least of several sequences
constexpr std::size_t most_sequences = 200;  // likewise
constexpr std::size_t most_each_line = 12;   // groups that have a line of their own

double left_over(const AttentionLeft& point, std::size_t group) {
  return std::clamp(point.by_group[group].approx_mid(), 0.0, 1.0);
}

}  // namespace

CellMap attention_over_time(const std::vector<AttentionLeft>& checkpoints,
                            const std::vector<std::size_t>& groups) {
  CellMap map;
  map.title = "Attention over time";
  map.description =
      "The attention of the selected token of every sequence at the checkpoints of the run: blank is none, "
      "full colour is all of it.";
  map.columns = {"step t", checkpoints.size(), checkpoints.size(), {}};
  for (const AttentionLeft& point : checkpoints) map.columns.names.push_back(std::to_string(point.step));
  map.rows = {"sequence", std::min(groups.size(), most_rows), groups.size(), {}};
  const bool single = map.rows.cells == map.rows.meant;
  if (single) {
    for (const std::size_t group : groups) map.rows.names.push_back(std::to_string(group));
  } else {
    map.description += " A row stands for several neighbouring sequences: the one with the least attention.";
  }
  for (std::size_t k = 0; k < checkpoints.size(); ++k) {
    std::vector<double> least(map.rows.cells, 1);
    const std::size_t count = std::min(groups.size(), checkpoints[k].by_group.size());
    for (std::size_t i = 0; i < count; ++i) {
      double& cell = least[map.rows.cell_of(i)];
      cell = std::min(cell, 1 - left_over(checkpoints[k], i));
    }
    for (std::size_t row = 0; row < least.size() && count > 0; ++row) {
      char note[80];
      std::snprintf(note, sizeof note, "t = %llu: attention %.4g",
                    static_cast<unsigned long long>(checkpoints[k].step), least[row]);
      map.cells.push_back({k, row, Hue::blue, least[row], false,
                           single ? "sequence " + std::to_string(groups[row]) + ", " + note : ""});
    }
  }
  map.legend = {{"attention 1", Hue::blue, 1, false}, {"attention 1/2", Hue::blue, 0.5, false}};
  return map;
}

CellMap attention_map(const std::vector<SequenceAttention>& sequences) {
  std::size_t longest = 1;
  for (const SequenceAttention& sequence : sequences) longest = std::max(longest, sequence.attention.size());
  CellMap map;
  map.title = "Attention by sequence and token";
  map.description =
      "The softmax of every sequence at W: blank is none, full colour is all of it. The token with the "
      "largest logit is marked.";
  map.columns = {"sequence", std::min(sequences.size(), most_sequences), sequences.size(), {}};
  map.rows = {"token", std::min(longest, most_rows), longest, {}};
  const bool single = map.columns.cells == map.columns.meant && map.rows.cells == map.rows.meant;
  if (!single) map.description += " A cell stands for several tokens: it has the largest attention of them.";
  std::map<std::pair<std::size_t, std::size_t>, MapCell> cells;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    for (std::size_t t = 0; t < sequences[i].attention.size(); ++t) {
      const std::size_t column = map.columns.cell_of(i), row = map.rows.cell_of(t);
      MapCell& cell =
          cells.try_emplace({column, row}, MapCell{column, row, Hue::blue, 0, false, ""}).first->second;
      const double share = std::clamp(sequences[i].attention[t].approx_mid(), 0.0, 1.0);
      cell.strength = std::max(cell.strength, share);
      cell.marked = cell.marked || sequences[i].nearest == t;
      if (!single) continue;
      char note[80];
      std::snprintf(note, sizeof note, "sequence %zu, token %zu: %.4g", i, t, share);
      cell.note = note;
    }
  }
  for (auto& [at, cell] : cells) map.cells.push_back(std::move(cell));
  map.legend = {{"attention 1, largest logit", Hue::blue, 1, true}, {"attention 1/2", Hue::blue, 0.5, false}};
  return map;
}

Chart left_over_time(const std::vector<AttentionLeft>& checkpoints, const std::vector<std::size_t>& groups) {
  Chart chart;
  chart.title = "Attention that is left for other tokens";
  chart.description =
      "One minus the attention of the selected token at the checkpoints, on logarithmic axes: the largest "
      "over all sequences, and the least. What is below 1e-40 is drawn at the border.";
  ChartLine largest{"largest of all sequences", Hue::vermillion, Dash::solid, 2.5, {}};
  ChartLine smallest{"least of all sequences", Hue::blue, Dash::dashed, 2, {}};
  const bool each = groups.size() <= most_each_line;
  std::vector<ChartLine> lines(each ? groups.size() : 0);
  double least = 1, last = 10;
  for (const AttentionLeft& point : checkpoints) {
    if (point.step == 0 || point.by_group.empty()) continue;
    const double t = static_cast<double>(point.step);
    last = std::max(last, t);
    double low = 1, high = 0;
    for (std::size_t i = 0; i < point.by_group.size(); ++i) {
      const double left = left_over(point, i);
      low = std::min(low, left);
      high = std::max(high, left);
      if (i < lines.size()) lines[i].points.emplace_back(t, left);
    }
    largest.points.emplace_back(t, high);
    smallest.points.emplace_back(t, low);
    if (low > 0) least = std::min(least, std::max(low, 1e-40));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].label = "sequence " + std::to_string(groups[i]);
    lines[i].hue = Hue::grey;
    lines[i].width = 1;
    lines[i].dash = i % 2 == 0 ? Dash::solid : Dash::dotted;
  }
  chart.lines = std::move(lines);
  chart.lines.push_back(std::move(smallest));
  chart.lines.push_back(std::move(largest));
  chart.x = {"step t", true, 1, last};
  chart.y = {"1 - attention of the selected token", true, std::min(least, 0.1), 1};
  return chart;
}

}  // namespace attest
