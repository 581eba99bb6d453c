// Factors and multipliers near a solution in the nuclear norm.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/numbers/ball.hpp"

namespace attest {

// Guesses, of the problem scaled as ScaledConstraints are.
struct NuclearPoint {
  std::size_t rank = 0;
  std::vector<std::size_t> active;            // constraints, increasing
  std::vector<Ball> left, right, multiplier;  // K d x rank, Q e x rank, row by row; at the active constraints
};

}  // namespace attest
