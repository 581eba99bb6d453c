// The shifted margin problem (theory.md section 13, case (b)): the unit matrix u whose least shifted margin
//
//   min_c (<Delta_c, u> + h_i),   h_i = ratio e_i >= 0 for every row of group i,
//
// is largest. With both steps normalised the decoder leaves samples off its support behind at this rate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/joint/direction.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

// With r = sum mu_c Delta_c, sum mu_c = 1: every unit matrix has a least shifted margin of at most
// ||r|| + sum mu_c h_c, and r/||r|| attains all of it but for `gap`; so <r/||r||, u> >= 1 - gap/||r||.
struct ShiftedDirection {
  Direction direction;            // .margin is the largest least shifted margin
  Ball least_margin;              // least <Delta_c, u>, without the shift
  std::size_t merged = 0;         // rows that equal another one with no larger a shift
  std::vector<Ball> combination;  // mu by row: exact dyadics, >= 0, sum 1 but for rounding
  double gap = 0;                 // an upper bound, relative to ||r||
};

// `shift`: h by group, finite. Nothing, with the reason, where no direction is known to 2^-20.
std::optional<ShiftedDirection> shifted_direction(const EnclosedRows& rows, const std::vector<Ball>& shift,
                                                  const Budget& budget, std::string& reason);

}  // namespace attest
