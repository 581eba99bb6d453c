// Exact sums of products of data with long integers: nearly all work of a replay.
//
// A sum of x_k a_k has data x_k and integers a_k of a few words. Both are cut once and used in many sums: an
// a_k into signed digits of radix 2^58; the x_k of a table into words times one power of two, where that is
// exact. Binary floating-point numbers of about one size are all such words; the other entries are kept as
// they are and added one by one. No sum is rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "proofs/checker/base/exact.hpp"
#include "proofs/checker/runs/step_growth_words.hpp"

namespace attest_check {

// Integers a_0, a_1, ... as digits: a_k = sum_l digit(l)[k] 2^(58 l), |digit| < 2^58.
class Digits {
 public:
  static constexpr int bits = 58;

  // The integers must stay as they are while sums are made.
  void assign(const std::vector<Integer>& integers);
  const Integer& integer(std::size_t k) const { return (*integers_)[k]; }
  std::size_t size() const { return integers_->size(); }
  std::size_t levels() const { return levels_; }
  const Word* digit(std::size_t level) const { return digits_.data() + level * size(); }

 private:
  friend class WordTable;
  const std::vector<Integer>* integers_ = nullptr;
  std::size_t levels_ = 0;
  std::vector<Word> digits_;  // levels x size
  // Of the sum that is being made.
  std::vector<WideWord> sums_;           // in units of 2^(58 l)
  std::vector<std::uint64_t> positive_;  // digits of its magnitude
  std::vector<Word> column_;             // of a table
};

// A table of integers x.
class WordTable {
 public:
  using Entry = std::function<Integer(std::size_t row, std::size_t column)>;
  WordTable() = default;
  // Asks for each entry twice.
  WordTable(std::size_t rows, std::size_t columns, const Entry& entry);

  // result = sum_k x(row, k) a_k, exactly; there is one a_k for each column.
  void sum(Integer& result, std::size_t row, Digits& a) const;
  // results[k] = sum_t x(t, k) a_t, exactly, for every column; there is one a_t for each row.
  void column_sums(std::vector<Integer>& results, Digits& a) const;

 private:
  struct Other {
    std::size_t column;
    Integer value;
  };
  // result = sum_k x_k a_k 2^shift over words.
  void sum_of_words(Integer& result, const Word* x, Digits& a) const;

  std::size_t columns_ = 0;
  mp_bitcnt_t shift_ = 0;
  std::vector<Word> words_;         // rows x columns: the entry over 2^shift; 0 for the others
  std::vector<Other> others_;       // by rows
  std::vector<std::size_t> first_;  // rows + 1: each row's place among them
};

}  // namespace attest_check
