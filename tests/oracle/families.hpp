// Instance families with fixed seeds: ordinary data and every degenerate case that a margin solver or a
// checker must survive (ties, duplicates, dependent constraints, tiny gaps, infeasible data), in all three
// settings.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/dataset.hpp"

namespace reference {

struct Case {
  std::string name;
  Dataset data;
  Choice choice;
};

// Unit-normalised pseudo-Gaussian X rows, z (or keys) and v in binary64; alternating labels.
Dataset gaussian(Kind kind, std::uint64_t seed, const std::vector<std::size_t>& tokens, std::size_t dimension,
                 std::size_t factor_dimension);

// All families, all small enough for the reference (at most about 45 constraints).
std::vector<Case> families();

// Groups and tokens reordered; the choice follows its tokens. Self-attention keeps its query token in place.
Case permuted(const Case& original, std::uint64_t seed);

}  // namespace reference
