// Exact sums of products of data with long integers: nearly all work of a replay.
//
// A sum of x_t a_t has data x_t and integers a_t of a few words. Both are cut once and used in many sums: an
// a_t into signed digits of radix 2^52; the x_t of a table into words times one power of two, where that is
// exact. Binary floating-point numbers of about one size are all such words; the other entries are kept as
// they are and added one by one. Words and digits are multiplied in halves, four columns of the table at
// once. No sum is rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "proofs/checker/base/exact.hpp"
#include "proofs/checker/runs/step_growth_words.hpp"

namespace attest_check {

// Integers a_0, a_1, ... as digits: a_t = sum_l (half(2 l)[t] + half(2 l + 1)[t] 2^26) 2^(52 l), |half| <
// 2^26.
class Digits {
 public:
  static constexpr int bits = 52, half_bits = bits / 2;

  // The integers must stay as they are while sums are made.
  void assign(const std::vector<Integer>& integers);
  const Integer& integer(std::size_t t) const { return (*integers_)[t]; }
  std::size_t size() const { return integers_->size(); }
  std::size_t levels() const { return levels_; }
  // Both halves of one after those of the other.
  const Word* halves(std::size_t level) const { return halves_.data() + 2 * level * size(); }

 private:
  friend class WordTable;
  const std::vector<Integer>* integers_ = nullptr;
  std::size_t levels_ = 0;
  std::vector<Word> halves_;  // levels x size x 2
  std::vector<Word> sums_;    // levels x 2 x four columns: the sums that are being made
};

// A table of integers x whose columns are summed.
class WordTable {
 public:
  using Entry = std::function<Integer(std::size_t row, std::size_t column)>;
  WordTable() = default;
  // Asks for each entry twice.
  WordTable(std::size_t rows, std::size_t columns, const Entry& entry);

  // results[k] = sum_t x(t, k) a_t, exactly, for every column; there is one a_t for each row.
  void sums(std::vector<Integer>& results, Digits& a) const;

 private:
  struct Other {
    std::size_t row, column;
    Integer value;
  };

  std::size_t columns_ = 0, rows_ = 0;  // of `words_`
  mp_bitcnt_t shift_ = 0;
  // By four columns, their rows one after another: the entry over 2^shift as two signed halves; 0 for the
  // others.
  std::vector<Word> words_;
  std::vector<Other> others_;
};

}  // namespace attest_check
