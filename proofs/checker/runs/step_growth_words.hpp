// Integers in units of 2^-52, the arithmetic of the Jacobian bound (step_growth.hpp), and an eigenvalue bound
// in them.
//
// Ranges. A word that is made here is at most word_limit. Words are only added, subtracted and multiplied by
// the functions below, which hold every result, or throw Imprecise: products of two words fit a wide word
// whatever they are, and sums stop where they leave their type. So no size of the data makes this arithmetic
// wrong; differences that the callers form themselves are of at most word_terms words, which fit a word.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "proofs/checker/base/interval.hpp"

namespace attest_check {

__extension__ typedef __int128 WideWord;
using Word = std::int64_t;

inline constexpr long word_point = 52;
inline constexpr Word word_limit = Word{1} << (word_point + 2);
inline constexpr int word_terms = 8;
static_assert(word_limit <= std::numeric_limits<Word>::max() / word_terms,
              "a difference of a few words fits a word");
static_assert(2 * std::numeric_limits<Word>::digits < 127, "the product of two words fits a wide word");
static_assert(std::numeric_limits<Word>::digits + word_point < 127,
              "a word over a word's unit fits a wide word");

// x 2^-52, rounded down; Imprecise beyond word_limit.
Word word_down(WideWord x);
// The integer itself, within the same limits.
Word word(const Integer& x);
// At least every member of a non-negative interval.
Word word_above(const Interval& x);
// a b rounded down; rounded up, for a, b >= 0.
inline Word product(Word a, Word b) {
  return word_down(static_cast<WideWord>(a) * b);
}
inline Word product_up(Word a, Word b) {
  return product(a, b) + 1;
}
// sum += a b, and sum += x, exactly; Imprecise where the type does not hold the sum.
inline void add_product(WideWord& sum, Word a, Word b) {
  if (__builtin_add_overflow(sum, static_cast<WideWord>(a) * b, &sum)) throw Imprecise{};
}
inline void add_word(Word& sum, Word x) {
  if (__builtin_add_overflow(sum, x, &sum)) throw Imprecise{};
}
// sum a_k b_k, exactly; Imprecise where a wide word does not hold it.
WideWord word_dot(const Word* a, const Word* b, std::size_t count);
// The least integer whose square is at least x >= 0; Imprecise where a word does not hold it.
Word word_root(WideWord x);
// At least sqrt x.
inline long root_up(std::size_t x) {
  return static_cast<long>(Integer(sqrt(Integer(x))).get_si()) + 1;
}
Integer word_integer(WideWord x);
inline Interval units(Word count) {
  return Interval::between(count, count, -word_point, 64);
}

// An upper bound of the largest eigenvalue of a symmetric matrix (size x size) whose entries are within
// `error` units of these words.
Word largest_eigenvalue(const std::vector<Word>& matrix, std::size_t size, Word error);

// At least values[i] / total, for 0 <= values[i] <= total; at most one unit above.
std::vector<Word> relative_shares(const std::vector<Word>& values, Word total);

// An upper bound of the largest eigenvalue of sum_i s_i y_i y_i' for 0 <= s_i <= share[i] whose sum is at
// most 1 + a unit for each, and vectors of that dimension and norm at most 1, every coordinate within `error`
// units of the words. It is the matrix itself that is made: where there are more vectors than dimensions it
// is smaller than their Gram matrix.
Word largest_scatter_eigenvalue(const std::vector<const Word*>& vectors, const std::vector<Word>& share,
                                std::size_t dimension, Word error);

}  // namespace attest_check
