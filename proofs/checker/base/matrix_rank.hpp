// Ranks of integer matrices: exactly, and modulo a prime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proofs/checker/base/exact.hpp"

namespace attest_check {

// True if the rank over the rationals is at most `bound`: fraction-free (Bareiss) elimination, exact.
bool rank_at_most(std::vector<std::vector<Integer>> rows, std::size_t bound);

// Rank modulo the prime (below 2^31) of rows with entries in [0, prime).
std::size_t rank_modulo(std::vector<std::vector<std::uint64_t>> rows, std::uint64_t prime);

// Trial division; for numbers below 2^32.
bool is_prime(std::uint64_t number);

}  // namespace attest_check
