// Sums of words with long integers are exact: against GMP's own, at the ends of what a word and a digit hold.
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "proofs/checker/runs/word_sums.hpp"

using namespace attest_check;

namespace {

// Within 2^bits, of a size of its own; sometimes 0 or all ones.
Integer number(std::mt19937& random, int bits) {
  const std::size_t size = random() % static_cast<std::size_t>(bits + 1);
  Integer x = (Integer(1) << size) - 1;
  if (random() % 4 != 0) {
    x = 0;
    for (std::size_t k = 0; k < size; k += 32) x = (x << 32) + Integer(random());
    mpz_fdiv_r_2exp(x.get_mpz_t(), x.get_mpz_t(), size);
  }
  return random() % 2 == 0 ? x : Integer(-x);
}

void check_sums(const std::vector<std::vector<Integer>>& table, const std::vector<Integer>& a) {
  const WordTable words(table.size(), a.size(),
                        [&](std::size_t row, std::size_t k) { return table[row][k]; }),
      transposed(a.size(), table.size(), [&](std::size_t k, std::size_t row) { return table[row][k]; });
  Digits digits;
  digits.assign(a);
  std::vector<Integer> sums(table.size(), 12345);  // what was there before does not matter
  transposed.sums(sums, digits);
  for (std::size_t row = 0; row < table.size(); ++row) {
    CAPTURE(row);
    Integer exact;
    for (std::size_t k = 0; k < a.size(); ++k) exact += table[row][k] * a[k];
    CHECK(sums[row] == exact);
  }
  std::vector<Integer> of_rows;
  for (std::size_t row = 0; row < table.size(); ++row) of_rows.push_back(a[row % a.size()]);
  digits.assign(of_rows);
  sums.assign(a.size(), 12345);
  words.sums(sums, digits);
  for (std::size_t k = 0; k < a.size(); ++k) {
    CAPTURE(k);
    Integer exact;
    for (std::size_t row = 0; row < table.size(); ++row) exact += table[row][k] * of_rows[row];
    CHECK(sums[k] == exact);
  }
}

}  // namespace

TEST_CASE("sums of words with long integers are exact") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    const std::size_t columns = 1 + random() % (trial % 10 == 0 ? 700 : 20);
    const int data_bits = std::array{1, 53, 61, 62, 63, 80, 200}[trial % 7],
              bits = std::array{0, 1, 51, 52, 53, 104, 128, 465}[trial % 8];
    // Multiples of a power of two are words whatever their size.
    const std::size_t zeros = trial % 3 == 0 ? random() % 200 : 0;
    std::vector<std::vector<Integer>> table(3);
    std::vector<Integer> a;
    for (std::size_t k = 0; k < columns; ++k) {
      a.push_back(number(random, bits));
      for (auto& row : table) row.push_back(number(random, data_bits) << zeros);
    }
    check_sums(table, a);
  }
}

TEST_CASE("the largest words and digits of one sign add up without a carry that is lost") {
  for (const std::size_t columns : {1UL, 63UL, 64UL, 65UL, 1024UL, 5000UL}) {
    CAPTURE(columns);
    for (const int bits : {52, 104, 520}) {
      const Integer largest = (Integer(1) << bits) - 1, word = (Integer(1) << 62) - 1;
      const Integer halves = word - ((Integer(1) << 31) - 1);  // its low half is -2^31
      for (const int sign : {-1, 1}) {
        check_sums({std::vector<Integer>(columns, word), std::vector<Integer>(columns, -word),
                    std::vector<Integer>(columns, halves)},
                   std::vector<Integer>(columns, sign * largest));
      }
    }
  }
}

TEST_CASE("rows beyond those that are added in words are added, too") {
  const std::size_t rows = (1UL << 20) + 70;
  const Integer word = (Integer(1) << 62) - 1, largest = (Integer(1) << 104) - 1;
  const WordTable words(rows, 1, [&](std::size_t row, std::size_t) { return row % 3 == 0 ? -word : word; });
  Digits digits;
  const std::vector<Integer> a(rows, largest);
  digits.assign(a);
  std::vector<Integer> sums(1);
  words.sums(sums, digits);
  CHECK(sums[0] == (static_cast<long>(rows) - 2 * static_cast<long>((rows + 2) / 3)) * word * largest);
}
