#include "numerics/factored/singular_values.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/factored/square_root.hpp"
#include "numerics/numbers/decompositions.hpp"

namespace attest {
namespace {

using Eigen::Index;

std::vector<Ball> columns_of(const Eigen::MatrixXd& matrix) {
  std::vector<Ball> balls;
  for (Index c = 0; c < matrix.cols(); ++c) {
    for (Index j = 0; j < matrix.rows(); ++j) balls.emplace_back(matrix(j, c));
  }
  return balls;
}

// ||U'U - I||_F for columns of the given length.
Ball askew(const std::vector<Ball>& columns, std::size_t length, long bits) {
  const std::size_t count = columns.size() / length;
  Ball sum;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      Ball entry = dot({columns.data() + a * length, length}, {columns.data() + b * length, length}, bits);
      if (a == b) entry = sub(entry, Ball(1), bits);
      sum = add(sum, square(entry, bits), bits);
    }
  }
  return root_of_nonnegative(sum, bits);
}

Ball upper_end(const Ball& x, long bits) {
  Ball result;
  arb_get_abs_ubound_arf(arb_midref(result.raw()), x.raw(), bits);
  return result;
}

}  // namespace

std::vector<Ball> singular_values(const std::vector<Ball>& matrix, std::size_t rows, std::size_t columns,
                                  long bits) {
  const std::size_t count = std::min(rows, columns);
  Ball whole;
  for (const Ball& entry : matrix) whole = add(whole, abs(entry), bits);
  std::vector<Ball> found(count, upper_end(whole, bits));
  if (arb_is_zero(whole.raw()) != 0) return found;
  if (!whole.is_finite()) return std::vector<Ball>(count, whole);
  // Scaled into the range of doubles: exactly, by a power of two.
  const Ball size = div(log(upper_end(whole, 64), 64), log(Ball(2), 64), 64);
  const auto shift = static_cast<long>(std::floor(size.approx_mid()));
  std::vector<Ball> scaled, turned(matrix.size());
  Eigen::MatrixXd guess(static_cast<Index>(rows), static_cast<Index>(columns));
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    scaled.push_back(scale_by_power_of_two(matrix[k], -shift));
    guess(static_cast<Index>(k / columns), static_cast<Index>(k % columns)) = scaled.back().approx_mid();
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(guess, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const std::vector<Ball> u = columns_of(svd.matrixU()), v = columns_of(svd.matrixV());
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t c = 0; c < columns; ++c)
      turned[c * rows + j] =
          dot({scaled.data() + j * columns, columns}, {v.data() + c * columns, columns}, bits);
  }
  Ball rest;
  for (std::size_t a = 0; a < rows; ++a) {
    for (std::size_t c = 0; c < columns; ++c) {
      Ball entry = dot({u.data() + a * rows, rows}, {turned.data() + c * rows, rows}, bits);
      if (a == c) entry = sub(entry, Ball(svd.singularValues()[static_cast<Index>(a)]), bits);
      rest = add(rest, square(entry, bits), bits);
    }
  }
  const Ball left = upper_end(askew(u, rows, bits), bits), right = upper_end(askew(v, columns, bits), bits);
  const Ball off = upper_end(root_of_nonnegative(rest, bits), bits), one(1);
  const Ball least = mul(sub(one, left, bits), sub(one, right, bits), bits);
  const Ball most = mul(add(one, left, bits), add(one, right, bits), bits);
  if (!certainly_positive(least) || !off.is_finite())
    return std::vector<Ball>(count, hull(Ball(), upper_end(whole, bits), bits));
  for (std::size_t k = 0; k < count; ++k) {
    const Ball middle(svd.singularValues()[static_cast<Index>(k)]);
    const Ball low = max(Ball(), div(sub(middle, off, bits), sqrt(most, bits), bits), bits);
    const Ball high = div(add(middle, off, bits), sqrt(least, bits), bits);
    found[k] = scale_by_power_of_two(hull(low, high, bits), shift);
  }
  return found;
}

}  // namespace attest
