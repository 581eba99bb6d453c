// The direction of a solved margin problem, W*/||W*||, as balls.
#pragma once

#include <optional>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/ball.hpp"

namespace attest {

// Numbers that enclose directions have so many bits.
inline constexpr long direction_bits = 256;

// The rows of a margin problem: Delta_c = difference_c query_c', each factor enclosed.
struct EnclosedRows {
  std::size_t d = 0, e = 0;
  std::vector<Constraint> at;
  std::vector<std::vector<Ball>> difference;  // by row: d
  std::vector<std::vector<Ball>> query;       // by group of the data: e

  // <Delta_a, Delta_b>, <Delta_c, M> for a d x e matrix M.
  Ball product(std::size_t a, std::size_t b) const;
  Ball margin(std::size_t c, const std::vector<Ball>& matrix) const;
  // sum_c value_c Delta_c.
  std::vector<Ball> combination(const std::vector<Ball>& values) const;
};

// All rows of the selection, in increasing (group, token) order.
EnclosedRows enclosed_rows(const TokenData& data, const Selection& selection);

struct Direction {
  std::vector<Ball> entries;  // d x e, of Frobenius norm 1
  Ball margin;                // gamma: its least margin over the rows that ask for one
  // By row of enclosed_rows(): >= 0, sum 1; sum_c mu_c Delta_c = gamma u. Empty where only a gap is known.
  std::vector<Ball> multipliers;
};

// Of a solved problem whose rows are among `rows`; nothing unless its solution is known and not zero.
std::optional<Direction> direction_of(const EnclosedRows& rows, const MarginSolution& solution);

}  // namespace attest
