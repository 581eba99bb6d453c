// A margin problem on a page: its margins by sequence, its support as a map, score gaps against margins, and
// the tables behind them; of an infeasible one the rows that contradict each other.
#pragma once

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

// Sections with pictures and tables of what is known.
void add_margin_problem(Page& page, const MarginFacts& facts);

// The selection over sequences and tokens with the rows that matter: support tokens, or those of a conflict.
CellMap token_map(const MarginFacts& facts);

}  // namespace attest
