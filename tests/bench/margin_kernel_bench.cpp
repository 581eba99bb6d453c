// Cost of rigorous double margins against the plain Eigen product, at the sizes S3 and S4 of the benchmark
// instances.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "numerics/margin/kernel.hpp"
#include "numerics/problem/integer_constraints.hpp"

namespace {

using attest::RowMatrix;

std::vector<double> unit_rows(std::mt19937_64& random, std::size_t rows, std::size_t columns) {
  std::normal_distribution<double> normal;
  std::vector<double> values(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    double squares = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      values[r * columns + j] = normal(random);
      squares += values[r * columns + j] * values[r * columns + j];
    }
    for (std::size_t j = 0; j < columns; ++j) values[r * columns + j] /= std::sqrt(squares);
  }
  return values;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(const char* name, std::size_t n, std::size_t tokens, std::size_t d) {
  std::mt19937_64 random(1);
  attest::TokenData data;
  data.left_dimension = data.right_dimension = d;
  for (std::size_t i = 0; i <= n; ++i) data.first_row.push_back(i * tokens);
  data.token_factor = attest::ExactArray::from_binary64(unit_rows(random, n * tokens, d));
  data.query_factor = attest::ExactArray::from_binary64(unit_rows(random, n, d));
  data.scores.assign(n * tokens, attest::Rational(0));
  const attest::IntegerConstraints constraints(data, attest::Selection(n, 0));
  const attest::ScaledConstraints scaled = attest::scale_constraints(constraints, attest::Budget{});
  const attest::MarginKernel kernel(scaled);
  const std::vector<double> entries = unit_rows(random, d, d);
  const RowMatrix w =
      Eigen::Map<const RowMatrix>(entries.data(), static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(d));
  std::vector<double> plain, rigorous;
  double sink = 0;
  for (int round = 0; round < 200; ++round) {
    auto start = std::chrono::steady_clock::now();
    const Eigen::VectorXd product = attest::approx_margins(scaled, w);
    plain.push_back(seconds_since(start));
    start = std::chrono::steady_clock::now();
    const attest::RigorousMargins margins = kernel.margins(w);
    rigorous.push_back(seconds_since(start));
    sink += product[0] + margins.value[0] + margins.error_factor;
  }
  const auto median = [](std::vector<double>& times) {
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                     times.end());
    return times[times.size() / 2];
  };
  const double plain_median = median(plain);
  const double rigorous_median = median(rigorous);
  std::printf(
      "%s: %zu constraints, %zu variables: plain Eigen %.3f ms, rigorous %.3f ms, ratio %.3f (checksum "
      "%.3g)\n",
      name, scaled.size(), d * d, 1e3 * plain_median, 1e3 * rigorous_median, rigorous_median / plain_median,
      sink);
}

}  // namespace

int main() {
  measure("S3", 100, 32, 64);
  measure("S4", 1000, 64, 64);
}
