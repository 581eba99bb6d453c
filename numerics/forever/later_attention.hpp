// What a proof for all later steps says of the attention.
#pragma once

#include <vector>

#include "numerics/forever/proof.hpp"

namespace attest {

// Upper bound, over all later steps s >= t, of the attention that the tokens of these constraints, all of one
// group, have together, their copies included.
BallNumber later_attention(const ForeverProof& proof, const SelectionFacts<BallNumber>& facts,
                           const std::vector<std::size_t>& constraints, std::uint64_t t);

}  // namespace attest
