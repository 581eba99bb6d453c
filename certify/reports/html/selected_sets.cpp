#include "certify/reports/html/selected_sets.hpp"

#include "certify/reports/html/margins.hpp"
#include "certify/reports/html/provenance.hpp"
#include "numerics/margin/conflict_rows.hpp"

namespace attest {
namespace {

void add_verdict(Page& page, const SelectedSetsAnswer& answer) {
  const MarginSolution& solution = answer.solution;
  if (solution.feasibility == Feasibility::undecided) {
    page.verdict(
        Tone::open, "Undecided",
        {"Whether the selected tokens can share the attention was not decided: " + solution.reason + ".",
         "A longer --time-limit or a larger --memory-limit may decide it."});
  } else if (solution.feasibility == Feasibility::infeasible) {
    page.verdict(Tone::bad, "Infeasible: no attention matrix lets the selected tokens share the attention",
                 {"The rows of " + std::to_string(conflict_rows(solution).size()) +
                  " tokens contradict each other, whatever W is."});
  } else if (answer.vacuous()) {
    page.verdict(Tone::good, "Feasible, with nothing to separate",
                 {"Every token of every sequence is selected: the least W is 0."});
  } else {
    page.verdict(
        Tone::good, "Feasible: the selected tokens can share the attention",
        {"Some W gives the selected tokens of every sequence equal logits, larger than all others."});
  }
}

Table sets_table(const SelectedSetsAnswer& answer) {
  Table table{"Selected tokens", {{"sequence", true}, {"share the attention"}, {"tokens", true}}, {}};
  for (std::size_t i = 0; i < answer.sets.size(); ++i) {
    std::string words;
    for (const std::size_t token : answer.sets[i])
      words += (words.empty() ? "" : " ") + std::to_string(token);
    const std::size_t tokens = answer.data.tokens(i);
    table.rows.push_back({{std::to_string(i), static_cast<double>(i)},
                          {words},
                          {std::to_string(tokens), static_cast<double>(tokens)}});
  }
  return table;
}

}  // namespace

std::string html(const SelectedSetsAnswer& answer) {
  Page page("Selected sets of " + file_name(answer.instance_path));
  add_verdict(page, answer);
  page.section("Results");
  std::vector<Fact> facts = {{"margins of 1 asked for", std::to_string(answer.rows)},
                             {"equal logits asked for", std::to_string(answer.equalities)}};
  const std::vector<Fact> solved = problem_facts(answer.solution, "W*", answer.rows);
  facts.insert(facts.end(), solved.begin(), solved.end());
  if (answer.rank) facts.push_back({"rank of W*", std::to_string(answer.rank->rank), Level::exact});
  page.facts("What is proved", facts);
  if (const auto rows = deciding_rows(answer.solution, "Support tokens: margin exactly 1 at W*")) {
    const Selection& first = answer.first;
    CellMap map = token_map({answer.data, first, answer.solution, nullptr});
    map.description = answer.solution.feasibility == Feasibility::feasible
                          ? "Every token of every sequence. The marked ones have margin exactly 1; of every "
                            "selected set the first token is shown."
                          : "Every token of every sequence. No W satisfies the rows of all marked ones.";
    page.figure(map);
    page.table(*rows);
  }
  page.table(sets_table(answer));
  add_provenance(page, provenance_of(answer, "attest certify --selected-sets SETS"));
  return std::move(page).text();
}

}  // namespace attest
