// Products of queries, from a Gram matrix or from the queries themselves: see query_products.hpp.
#include "numerics/runs/query_products.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/numbers/parallel.hpp"

namespace attest {
namespace {

// What a matrix stored with rounding costs, in ulps of a dot product with numbers whose absolute values add
// up to `sum`.
double truncation_ulps(const WordMatrix& matrix, double sum, const FixedFormat& format) {
  return std::ldexp(matrix.truncation() * sum, static_cast<int>(format.fraction_bits));
}

}  // namespace

QueryProducts::QueryProducts(std::size_t groups, std::size_t dimension, const std::vector<Rational>& entries,
                             std::size_t max_planes, std::size_t most, const Budget& budget) {
  if (groups <= most) {
    keep_gram(groups, dimension, entries, max_planes, budget);
    return;
  }
  rows_ = WordMatrix(groups, dimension, entries, max_planes);
  budget.poll();
  const auto entry = [&](std::size_t j, std::size_t i) { return entries[i * dimension + j]; };
  transposed_ = WordMatrix(dimension, groups, entry, max_planes);
  budget.poll();
  for (std::size_t i = 0; i < groups; ++i) largest_query_ = std::max(largest_query_, rows_.row_sum(i));
  bound_row_sums(groups, dimension, entries);
}

void QueryProducts::keep_gram(std::size_t groups, std::size_t dimension, const std::vector<Rational>& entries,
                              std::size_t max_planes, const Budget& budget) {
  Integer unit = 1;  // a common denominator
  for (const Rational& x : entries) unit = lcm(unit, denominator(x));
  std::vector<Integer> numerators;
  for (const Rational& x : entries) numerators.push_back(numerator(x) * (unit / denominator(x)));
  const Integer unit_squared = unit * unit;
  const auto product = [&](std::size_t i, std::size_t k) {
    if (k == 0) budget.poll();
    Integer sum = 0;
    for (std::size_t j = 0; j < dimension; ++j) {
      mpz_addmul(sum.backend().data(), numerators[i * dimension + j].backend().data(),
                 numerators[k * dimension + j].backend().data());
    }
    return Rational(sum, unit_squared);
  };
  rows_ = WordMatrix(groups, groups, product, max_planes + 1);
  for (std::size_t i = 0; i < groups; ++i) row_sum_ = std::max(row_sum_, rows_.row_sum(i));
}

// sum_k |z_i . z_k| <= sum_j |z_ij| sum_k |z_kj|. Entries are taken a little too large, and never so small
// that their products lose accuracy.
void QueryProducts::bound_row_sums(std::size_t groups, std::size_t dimension,
                                   const std::vector<Rational>& entries) {
  const auto above = [&](std::size_t k) {
    return std::abs(mpq_get_d(entries[k].backend().data())) * (1 + 0x1p-50) + 0x1p-500;
  };
  std::vector<double> column(dimension, 0);
  for (std::size_t k = 0; k < groups * dimension; ++k) column[k % dimension] += above(k);
  for (std::size_t i = 0; i < groups; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < dimension; ++j) sum += above(i * dimension + j) * column[j];
    row_sum_ = std::max(row_sum_, sum);
  }
  row_sum_ *= 1 + static_cast<double>(groups + dimension + 4) * 0x1p-51;
}

bool QueryProducts::image(std::size_t column, const FixedVector& a, std::size_t columns, FixedVector& out,
                          Scratch& scratch) const {
  const FixedFormat& format = a.format();
  const std::size_t groups = rows_.rows(), dimension = transposed_.rows();
  scratch.operand.prepare(format, a[column], groups, columns * format.limbs);
  if (!kept()) {
    if (!transposed_.dots(scratch.sums[0], format.limbs, 0, dimension, scratch.operand)) return false;
    scratch.operand.prepare(format, scratch.sums[0], dimension, format.limbs);
    if (rows_.truncation() > 0)
      scratch.largest = std::max(scratch.largest, fixed_absolute_sum(scratch.sums, 0, dimension));
  }
  return rows_.dots(out[column], columns * format.limbs, 0, groups, scratch.operand);
}

bool QueryProducts::images(const FixedVector& a, std::size_t columns, FixedVector& out, double& error,
                           const Budget* budget) const {
  constexpr std::size_t least_products = 1 << 15;  // of words, a piece: some 50 microseconds
  const FixedFormat& format = a.format();
  const std::size_t groups = rows_.rows(), dimension = transposed_.rows();
  const std::size_t products = std::max<std::size_t>(2 * groups * (kept() ? groups : dimension), 1);
  const std::size_t together = least_products / products + 1, pieces = (columns + together - 1) / together;
  std::vector<double> of_piece(pieces, -1);  // Scratch::largest; negative where a number is out of range
  parallel_for(pieces, [&](std::size_t piece) {
    if (budget != nullptr && !on_helper_thread()) budget->poll();
    Scratch scratch;
    scratch.sums = FixedVector(format, dimension);
    for (std::size_t j = piece * together; j < std::min(columns, (piece + 1) * together); ++j)
      if (!image(j, a, columns, out, scratch)) return;
    of_piece[piece] = scratch.largest;
  });
  double largest = 0;
  for (const double sum : of_piece) {
    if (sum < 0) return false;
    largest = std::max(largest, sum);
  }
  error = 1;
  const bool rounded = rows_.truncation() > 0 || transposed_.truncation() > 0;
  const double sum = rounded ? fixed_absolute_sum(a, 0, groups * columns) : 0;
  if (kept()) {
    if (rounded) error += truncation_ulps(rows_, sum, format);
  } else {
    error += largest_query_ * (1 + truncation_ulps(transposed_, sum, format)) +
             truncation_ulps(rows_, largest, format);
    error *= 1 + 0x1p-48;
  }
  return true;
}

}  // namespace attest
