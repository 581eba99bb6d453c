// Integers in units of 2^-52, the arithmetic of the Jacobian bound (RUNS.md section 4), and an eigenvalue bound in them.
#pragma once

#include <cstdint>
#include <vector>

#include "proofs/checker/interval.hpp"

namespace attest_check {

__extension__ typedef __int128 WideWord;
using Word = std::int64_t;

inline constexpr long word_point = 52;

// x 2^-52, rounded down; Imprecise beyond 2^54.
Word word_down(WideWord x);
// The integer itself, within the same limits.
Word word(const Integer& x);
// At least every member of a non-negative interval.
Word word_above(const Interval& x);
// a b rounded down; rounded up, for a, b >= 0.
inline Word product(Word a, Word b) { return word_down(static_cast<WideWord>(a) * b); }
inline Word product_up(Word a, Word b) { return product(a, b) + 1; }
// sum a_k b_k, exactly.
WideWord word_dot(const Word* a, const Word* b, std::size_t count);
// The least integer whose square is at least x >= 0.
Word word_root(WideWord x);
Integer word_integer(WideWord x);
inline Interval units(Word count) { return Interval::between(count, count, -word_point, 64); }

// An upper bound of the largest eigenvalue of a symmetric matrix (size x size) whose entries are within `error` units of
// these words.
Word largest_eigenvalue(const std::vector<Word>& matrix, std::size_t size, Word error);

}  // namespace attest_check
