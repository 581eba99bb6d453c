// A margin problem on a page: its margins by sequence, its support as a map, score gaps against margins, and
// the tables behind them; of an infeasible one the rows that contradict each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/catalogue/optimum_geometry.hpp"
#include "certify/reports/html/page.hpp"

namespace attest {

struct MarginFacts {
  const TokenData& data;
  const Selection& selection;
  const MarginSolution& solution;
  const OptimumGeometry* geometry;  // null where the margins are not known
};

// What the numbers of a solved problem are: exact where its solution is.
Level level_of(const MarginSolution& solution);

// Is its norm known?
bool is_solved(const MarginSolution& solution);
// Of a solved problem.
Interval norm(const MarginSolution& solution);
// Norm, square and margin of what is called `name`, "W*"; nothing unless it is solved and has rows >= 1.
std::vector<Fact> solution_facts(const MarginSolution& solution, const std::string& name);
// "yes", "no" or "undecided".
Fact yes_no(const std::string& what, std::optional<bool> holds);

// What is told of one problem of several, whose rows have senses: verdict, reason, norm and margin of `name`,
// support tokens and strict complementarity. `rows`: how many there are.
std::vector<Fact> problem_facts(const MarginSolution& solution, const std::string& name, std::size_t rows);
// Its conflict, or its support tokens: what decides it. Nothing where neither is known.
std::optional<Table> deciding_rows(const MarginSolution& solution, const std::string& support_caption);

// Sections with pictures and tables of what is known.
void add_margin_problem(PageContent& page, const MarginFacts& facts);

// The selection over sequences and tokens with the rows that matter: support tokens, or those of a conflict.
CellMap token_map(const MarginFacts& facts);

}  // namespace attest
