// How many bits the verified replay of a run loses (proofs/coq/theories/checks/Replay.v): a guess that
// nothing trusts.
#pragma once

#include <cstddef>

#include "proofs/checker/problem/problem.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest {

// Bits that a replay of training on sentences or of factors works with beyond those that the claim says.
inline constexpr std::size_t spare_bits = 64;

// log2 of the factor by which the replay's bound of the distance to the exact iterate grows within `steps`
// steps, about: every step's factor from the same enclosures, in doubles and to first order in the distance.
std::size_t guess_lost_bits(const attest_check::Features& features, attest_check::Loss loss,
                            const attest_check::Specification& specification,
                            const attest_check::StartPoint& start, std::size_t steps);

}  // namespace attest
