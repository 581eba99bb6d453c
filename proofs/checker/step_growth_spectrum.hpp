// Upper bounds of eigenvalues in word-size fixed point (RUNS.md section 4). Words are in units of 2^-52.
#pragma once

#include <cstdint>
#include <vector>

#include "proofs/checker/exact.hpp"

namespace attest_check {

__extension__ typedef __int128 WideWord;

inline constexpr long word_point = 52;

// x 2^-52, rounded down; Imprecise beyond 2^54.
std::int64_t word_down(WideWord x);
// sum a_k b_k.
WideWord word_dot(const std::int64_t* a, const std::int64_t* b, std::size_t count);
Integer word_integer(WideWord x);
// The least integer whose square is at least x >= 0.
std::int64_t word_root(WideWord x);

// An upper bound of the largest eigenvalue of a symmetric matrix (size x size) whose entries are within `error` units of
// these words.
std::int64_t largest_eigenvalue(const std::vector<std::int64_t>& matrix, std::size_t size, std::int64_t error);

}  // namespace attest_check
