// Instances for tests of runs: unit-normalised Gaussian tokens and queries, exact scores, fixed seeds.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "numerics/problem/selection_problem.hpp"

namespace attest_test {

inline std::vector<double> unit_rows(std::mt19937_64& random, std::size_t rows, std::size_t columns) {
  std::normal_distribution<double> normal;
  std::vector<double> values(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    double square = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      values[i * columns + j] = normal(random);
      square += values[i * columns + j] * values[i * columns + j];
    }
    for (std::size_t j = 0; j < columns; ++j) values[i * columns + j] /= std::sqrt(square);
  }
  return values;
}

// Groups of the given sizes in R^{d x e}; scores Y_i v'x_it with random signs Y_i.
inline attest::TokenData gaussian_instance(const std::vector<std::size_t>& sizes, std::size_t d,
                                           std::size_t e, unsigned seed) {
  std::mt19937_64 random(seed);
  attest::TokenData data;
  data.left_dimension = d;
  data.right_dimension = e;
  data.first_row.push_back(0);
  for (const std::size_t size : sizes) data.first_row.push_back(data.first_row.back() + size);
  data.token_factor = attest::ExactArray::from_binary64(unit_rows(random, data.first_row.back(), d));
  data.query_factor = attest::ExactArray::from_binary64(unit_rows(random, sizes.size(), e));
  const attest::ExactArray v = attest::ExactArray::from_binary64(unit_rows(random, 1, d));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int sign = random() % 2 == 0 ? 1 : -1;
    for (std::size_t t = 0; t < sizes[i]; ++t) {
      data.scores.push_back(sign * attest::exact_dot(data.token_factor, data.row(i, t), v, 0, d));
    }
  }
  return data;
}

// The same data twice: with equal tokens merged and counts, and token by token. In each group of three tokens
// or more the last one equals the first, with a score of its own.
struct CountedInstance {
  attest::TokenData merged;
  attest::TokenData unfolded;                        // every token as often as it stands there
  std::vector<std::vector<std::size_t>> stands_for;  // unfolded group, token: the merged one
};

inline CountedInstance counted_instance(const std::vector<std::size_t>& sizes, std::size_t d, std::size_t e,
                                        unsigned seed) {
  CountedInstance result;
  result.merged = gaussian_instance(sizes, d, e, seed);
  attest::TokenData &merged = result.merged, &unfolded = result.unfolded;
  std::vector<double> rows = merged.token_factor.binary64().doubles(), all;
  std::vector<std::uint64_t> counts;
  std::mt19937_64 random(seed + 1000);
  unfolded = merged;
  unfolded.first_row = {0};
  unfolded.scores.clear();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t first = merged.row(i, 0), last = merged.row(i, sizes[i] - 1);
    const bool repeats = sizes[i] >= 3;
    if (repeats)
      std::copy_n(rows.begin() + static_cast<long>(first * d), d, rows.begin() + static_cast<long>(last * d));
    result.stands_for.emplace_back();
    for (std::size_t t = 0; t < sizes[i]; ++t) {
      counts.push_back(1 + random() % 5);
      for (std::uint64_t k = 0; k < counts.back(); ++k) {
        const auto row = rows.begin() + static_cast<long>(merged.row(i, t) * d);
        all.insert(all.end(), row, row + static_cast<long>(d));
        unfolded.scores.push_back(merged.score(i, t));
        result.stands_for[i].push_back(repeats && t + 1 == sizes[i] ? 0 : t);
      }
    }
    unfolded.first_row.push_back(unfolded.scores.size());
  }
  merged.token_factor = attest::ExactArray::from_binary64(std::move(rows));
  unfolded.token_factor = attest::ExactArray::from_binary64(std::move(all));
  attest::merge_equal_tokens(merged, counts);
  return result;
}

}  // namespace attest_test
