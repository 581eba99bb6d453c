// Training of (K,Q) where every number is enclosed by itself, as a checker may do: the bits that it takes.
#pragma once

#include "numerics/factored/iteration.hpp"

namespace attest {

// As mirror/entrywise_bits.hpp, of the numbers of K and Q.
double entrywise_bits(const TokenData& data, const FactoredSpec& spec, const FactoredStart& start,
                      std::uint64_t steps, const Budget& budget, double most);

}  // namespace attest
