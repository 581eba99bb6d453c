#include "certify/reports/html/margins.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/html/cells.hpp"
#include "certify/reports/margin_facts.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

constexpr std::size_t most_bars = 400;     // of the chart by sequence; beyond, one stands for several
constexpr std::size_t most_columns = 200;  // of the map
constexpr std::size_t most_map_rows = 64;

std::string hint(const Constraint& c) {
  return "sequence " + std::to_string(c.group) + ", token " + std::to_string(c.token);
}

// Constraints, with what is marked among them.
class Rows {
 public:
  explicit Rows(const MarginFacts& facts)
      : facts_(facts), marked_(facts.data.first_row.empty() ? 0 : facts.data.first_row.back()) {
    if (facts.solution.feasibility == Feasibility::feasible && facts.solution.support)
      rows_ = *facts.solution.support;
    if (facts.solution.feasibility == Feasibility::infeasible) rows_ = conflict_rows(facts.solution);
    for (const Constraint& c : rows_) marked_[facts.data.row(c.group, c.token)] = true;
  }

  const std::vector<Constraint>& marked() const { return rows_; }
  bool is_marked(const Constraint& c) const { return marked_[facts_.data.row(c.group, c.token)]; }
  // Rows come by sequence: the margins of the last one that was asked about are at hand.
  const Interval& margin(const Constraint& c) const {
    if (margins_.empty() || group_ != c.group) {
      margins_ = facts_.geometry->margins(facts_.data, facts_.selection, c.group);
      group_ = c.group;
    }
    return margins_[c.token];
  }
  Rational gap(const Constraint& c) const { return score_gap(facts_.data, facts_.selection, c); }

 private:
  const MarginFacts& facts_;
  mutable std::vector<Interval> margins_;
  mutable std::size_t group_ = 0;
  std::vector<bool> marked_;
  std::vector<Constraint> rows_;
};

// The constraints of one sequence at W*.
struct SequenceRow {
  std::size_t group = 0, tokens = 0, support = 0;
  Constraint nearest;
  Interval least, largest;
  Rational least_gap;
};

std::vector<SequenceRow> by_sequence(const MarginFacts& facts, const Rows& rows) {
  std::vector<SequenceRow> found;
  for (const Constraint& c : constraints(facts.data, facts.selection)) {
    const Interval& margin = rows.margin(c);
    const Rational gap = rows.gap(c);
    if (found.empty() || found.back().group != c.group)
      found.push_back({c.group, facts.data.tokens(c.group), 0, c, margin, margin, gap});
    SequenceRow& row = found.back();
    row.support += rows.is_marked(c);
    if (margin.hi < row.least.hi) row.nearest = c;
    row.least = lower_of(row.least, margin);
    row.largest = upper_of(row.largest, margin);
    row.least_gap = std::min(row.least_gap, gap);
  }
  return found;
}

Chart margins_chart(const MarginFacts& facts, const std::vector<SequenceRow>& sequences) {
  Chart chart;
  chart.title = "Margins by sequence";
  chart.description =
      "For every sequence the margins of its tokens at W*, from the least to the largest. The problem asks "
      "for 1 at least; sequences that reach 1 hold the margin down.";
  const std::size_t each = (sequences.size() + most_bars - 1) / most_bars;
  if (each > 1)
    chart.description += " Each bar stands for " + std::to_string(each) + " neighbouring sequences.";
  ChartRanges bars{"from the least to the largest margin", Hue::grey, {}};
  ChartMarks tight{"with a support token: least margin 1", Hue::vermillion, MarkShape::diamond, {}};
  ChartMarks free{"least margin above 1", Hue::blue, MarkShape::circle, {}};
  double most = 1;
  for (std::size_t first = 0; first < sequences.size(); first += each) {
    const std::size_t last = std::min(first + each, sequences.size());
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    std::size_t support = 0;
    for (std::size_t k = first; k < last; ++k) {
      least = std::min(least, approximately(sequences[k].least));
      largest = std::max(largest, approximately(sequences[k].largest));
      support += sequences[k].support;
    }
    const double x = static_cast<double>(sequences[first].group + sequences[last - 1].group) / 2;
    bars.ranges.push_back({x, least, largest});
    most = std::max(most, largest);
    const std::string note =
        each > 1 ? "" : hint(sequences[first].nearest) + ": " + short_number(sequences[first].least);
    (support > 0 ? tight : free).marks.push_back({x, least, note});
  }
  const double end = static_cast<double>(facts.data.groups());
  chart.lines.push_back({"what is asked for: 1", Hue::green, Dash::dashed, 1.5, {{-0.5, 1}, {end - 0.5, 1}}});
  chart.ranges.push_back(std::move(bars));
  chart.marks.push_back(std::move(tight));
  chart.marks.push_back(std::move(free));
  chart.x = {"sequence", false, -0.5, end - 0.5, true};
  const bool logarithmic = most > 30;
  chart.y = {"margin at W*", logarithmic, logarithmic ? 1.0 : 0.0, most};
  return chart;
}

Chart gaps_chart(const MarginFacts& facts, const Rows& rows) {
  Chart chart;
  chart.title = "Score gaps against margins";
  chart.description =
      "Every token that is not selected: how much less it scores than the selected token of its sequence "
      "(left of 0: how much more), and its margin at W*. Training can only end at the selection if no "
      "support token stands at 0 or left of it.";
  ChartMarks tight{"support token", Hue::vermillion, MarkShape::diamond, {}};
  ChartMarks other{"other token", Hue::blue, MarkShape::circle, {}};
  double least = 0, most = 0, margin_most = 1;
  for (const Constraint& c : constraints(facts.data, facts.selection)) {
    const double gap = approximately(rows.gap(c)), margin = approximately(rows.margin(c));
    least = std::min(least, gap);
    most = std::max(most, gap);
    margin_most = std::max(margin_most, margin);
    ChartMarks& marks = rows.is_marked(c) ? tight : other;
    marks.marks.push_back({gap, margin, marks.marks.size() < 500 ? hint(c) : ""});
  }
  const bool logarithmic = margin_most > 30;
  if (least < 0)
    chart.lines.push_back(
        {"equal scores", Hue::green, Dash::dashed, 1.5, {{0, logarithmic ? 1 : 0}, {0, margin_most}}});
  chart.marks.push_back(std::move(tight));
  chart.marks.push_back(std::move(other));
  chart.x = {"score gap", false, least, most > least ? most : least + 1};
  chart.y = {"margin at W*", logarithmic, logarithmic ? 1.0 : 0.0, margin_most};
  return chart;
}

// What one cell of the map stands for.
struct CellCount {
  std::size_t tokens = 0, selected = 0, marked = 0;
};

void add_cells(CellMap& map, const MarginFacts& facts, const Rows& rows) {
  std::map<std::pair<std::size_t, std::size_t>, CellCount> cells;
  for (std::size_t i = 0; i < facts.data.groups(); ++i) {
    for (std::size_t t = 0; t < facts.data.tokens(i); ++t) {
      CellCount& cell = cells[{map.columns.cell_of(i), map.rows.cell_of(t)}];
      ++cell.tokens;
      cell.selected += facts.selection[i] == t;
    }
  }
  for (const Constraint& c : rows.marked())
    ++cells[{map.columns.cell_of(c.group), map.rows.cell_of(c.token)}].marked;
  const bool single = map.columns.cells == map.columns.meant && map.rows.cells == map.rows.meant;
  const bool few = cells.size() < 1500;
  for (const auto& [at, cell] : cells) {
    const double share = static_cast<double>(cell.selected) / static_cast<double>(cell.tokens);
    const bool marked = cell.marked > 0, selected = !marked && cell.selected > 0;
    map.cells.push_back({at.first, at.second,
                         marked     ? Hue::vermillion
                         : selected ? Hue::blue
                                    : Hue::grey,
                         marked     ? 1.0
                         : selected ? 0.25 + 0.6 * share
                                    : 0.22,
                         marked, single && few ? hint({at.first, at.second}) : ""});
  }
}

Table support_table(const MarginFacts& facts, const Rows& rows) {
  const ConstraintVector* values = facts.solution.exact      ? &facts.solution.exact->multipliers
                                   : facts.solution.enclosed ? &facts.solution.enclosed->multipliers
                                                             : nullptr;
  const Rational radius = facts.solution.enclosed && !facts.solution.exact
                              ? facts.solution.enclosed->multiplier_radius
                              : Rational(0);
  std::map<Constraint, Interval> multipliers;
  for (std::size_t k = 0; values != nullptr && k < values->size(); ++k) {
    const Rational value = values->value(k);
    multipliers[values->constraint[k]] = {value - radius, value + radius};
  }
  Table table{"Support tokens: margin exactly 1 at W*",
              {{"sequence", true},
               {"token", true},
               {"selected token", true},
               {"score gap", true},
               {"multiplier", true}},
              {}};
  for (const Constraint& c : rows.marked()) {
    const auto found = multipliers.find(c);
    table.rows.push_back({count(c.group), count(c.token), count(facts.selection[c.group]),
                          number(point(rows.gap(c))),
                          found == multipliers.end() ? Cell{"0", 0.0} : number(found->second)});
  }
  return table;
}

Table conflict_table(const MarginFacts& facts, const Rows& rows) {
  Table table{"Rows that contradict each other",
              {{"sequence", true},
               {"token", true},
               {"selected token", true},
               {"score gap", true},
               {"multiplier", true}},
              {}};
  for (std::size_t k = 0; k < rows.marked().size(); ++k) {
    const Constraint& c = rows.marked()[k];
    const bool known = facts.solution.farkas && k < facts.solution.farkas->size();
    table.rows.push_back({count(c.group), count(c.token), count(facts.selection[c.group]),
                          number(point(rows.gap(c))),
                          known ? number(point(facts.solution.farkas->value(k))) : Cell{"-"}});
  }
  return table;
}

Table sequence_table(const std::vector<SequenceRow>& sequences, const Selection& selection) {
  Table table{"Sequences by their margins at W*",
              {{"sequence", true},
               {"tokens", true},
               {"selected", true},
               {"least margin", true},
               {"at token", true},
               {"largest margin", true},
               {"least score gap", true},
               {"support tokens", true}},
              {}};
  for (const SequenceRow& row : sequences) {
    table.rows.push_back({count(row.group), count(row.tokens), count(selection[row.group]), number(row.least),
                          count(row.nearest.token), number(row.largest), number(point(row.least_gap)),
                          count(row.support)});
  }
  return table;
}

}  // namespace

Level level_of(const MarginSolution& solution) {
  return solution.exact ? Level::exact : Level::enclosed;
}

bool is_solved(const MarginSolution& solution) {
  return solution.exact || solution.enclosed || solution.gap;
}

Interval norm(const MarginSolution& solution) {
  return square_root(solution.exact ? point(solution.exact->norm_squared) : solution.norm_squared, 256);
}

std::vector<Fact> solution_facts(const MarginSolution& solution, const std::string& name) {
  if (solution.feasibility != Feasibility::feasible || !is_solved(solution)) return {};
  const Interval length = norm(solution);
  if (length.lo <= 0) return {};
  const Interval margin = point(1) / length;
  const std::string written = "\xE2\x80\x96" + name + "\xE2\x80\x96";
  return {{"norm " + written, short_number(length, 15), Level::enclosed, both_ends(length, 40)},
          {"its square",
           short_number(solution.exact ? point(solution.exact->norm_squared) : solution.norm_squared, 16),
           level_of(solution),
           solution.exact ? show(solution.exact->norm_squared, 40) : both_ends(solution.norm_squared, 40)},
          {"margin 1/" + written, short_number(margin, 15), Level::enclosed, both_ends(margin, 40)}};
}

Fact yes_no(const std::string& what, std::optional<bool> holds) {
  return {what, !holds ? "undecided" : *holds ? "yes" : "no", holds ? Level::exact : Level::none};
}

std::vector<Fact> problem_facts(const MarginSolution& solution, const std::string& name, std::size_t rows) {
  std::vector<Fact> facts = {{"verdict", verdict_word(solution.feasibility),
                              solution.feasibility == Feasibility::undecided ? Level::none : Level::exact}};
  if (!solution.reason.empty()) facts.push_back({"reason", solution.reason});
  if (solution.feasibility != Feasibility::feasible) return facts;
  const std::vector<Fact> solved = solution_facts(solution, name);
  facts.insert(facts.end(), solved.begin(), solved.end());
  facts.push_back(
      {"support tokens", support_text(solution, rows), solution.support ? Level::exact : Level::none});
  facts.push_back(yes_no("strictly complementary", solution.strictly_complementary));
  return facts;
}

std::optional<Table> deciding_rows(const MarginSolution& solution, const std::string& support_caption) {
  const bool conflict = solution.feasibility == Feasibility::infeasible;
  const std::vector<Constraint> rows = conflict           ? conflict_rows(solution)
                                       : solution.support ? *solution.support
                                                          : std::vector<Constraint>{};
  if (rows.empty()) return std::nullopt;
  Table table{conflict ? "Rows that contradict each other" : support_caption,
              {{"sequence", true}, {"token", true}},
              {}};
  for (const Constraint& c : rows) table.rows.push_back({count(c.group), count(c.token)});
  return table;
}

CellMap token_map(const MarginFacts& facts) {
  const Rows rows(facts);
  std::size_t longest = 1;
  for (std::size_t i = 0; i < facts.data.groups(); ++i) longest = std::max(longest, facts.data.tokens(i));
  const bool conflict = facts.solution.feasibility == Feasibility::infeasible;
  CellMap map;
  map.title = conflict ? "The conflict, by sequence and token" : "Support tokens, by sequence and token";
  map.description =
      conflict ? "Every token of every sequence. The marked ones cannot all stay behind the selected "
                 "tokens of their sequences."
               : "Every token of every sequence. The marked ones have margin exactly 1: they decide "
                 "where W* points; all others could move a little without changing it.";
  map.columns = {"sequence", std::min(facts.data.groups(), most_columns), facts.data.groups(), {}};
  map.rows = {"token", std::min(longest, most_map_rows), longest, {}};
  if (map.columns.cells != map.columns.meant || map.rows.cells != map.rows.meant)
    map.description += " A cell stands for several; it is marked if one of its tokens is.";
  add_cells(map, facts, rows);
  map.legend = {{conflict ? "row of the conflict" : "support token", Hue::vermillion, 1, true},
                {"selected token", Hue::blue, 0.85, false},
                {"other token", Hue::grey, 0.22, false}};
  return map;
}

void add_margin_problem(PageContent& page, const MarginFacts& facts) {
  const Rows rows(facts);
  if (facts.solution.feasibility == Feasibility::infeasible) {
    page.section("What contradicts what");
    page.paragraph((facts.solution.farkas
                        ? std::string("With the multipliers of the table, all positive, these rows add up to "
                                      "exactly 0: whatever W is, they cannot all have a positive margin.")
                        : std::string("Whatever W is, these rows cannot all have a positive margin.")) +
                   " Without one of these sequences, or with another token of it selected, this conflict is "
                   "gone; there may be others.");
    page.figure(token_map(facts));
    page.table(conflict_table(facts, rows));
    return;
  }
  if (facts.solution.feasibility != Feasibility::feasible) return;
  page.section("Margins");
  if (facts.geometry == nullptr) {
    page.paragraph("The margins of W* are not shown: W* is not enclosed, or time or memory did not suffice.");
    if (facts.solution.support && !rows.marked().empty()) page.figure(token_map(facts));
    return;
  }
  const std::vector<SequenceRow> sequences = by_sequence(facts, rows);
  page.figure(margins_chart(facts, sequences));
  if (facts.solution.support) page.figure(token_map(facts));
  page.figure(gaps_chart(facts, rows));
  page.section("Tables");
  if (facts.solution.support) page.table(support_table(facts, rows));
  page.table(sequence_table(sequences, facts.selection));
}

}  // namespace attest
