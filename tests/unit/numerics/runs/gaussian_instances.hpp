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

}  // namespace attest_test
