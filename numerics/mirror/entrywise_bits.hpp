// Mirror descent where every number is enclosed by itself, as a checker may do: the bits that it takes.
#pragma once

#include "numerics/mirror/iteration.hpp"

namespace attest {

// With which all numbers of so many steps have 120 bits that are right, in balls, and some more; at least
// `most` where that is not enough. The start as MirrorIteration's. Throws BudgetReached.
double entrywise_bits(const TokenData& data, const MirrorSpec& spec, const ExactArray& start,
                      std::uint64_t steps, const Budget& budget, double most);

}  // namespace attest
