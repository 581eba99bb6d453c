#include "numerics/norms/spectral_norm.hpp"

#include <cmath>

#include "numerics/norms/rounding.hpp"

namespace attest {
namespace {

Integer two_to(unsigned bits) {
  return Integer(1) << bits;
}

// True only if the symmetric matrix less reserve I, given by rows[i][j], j <= i, is positive semidefinite,
// the reserve being k + 1 units of 2^bits. Cholesky factorisation in integers: with the factor L, entries
// rounded towards zero, the remainder R = A - L L' has |R_ij| < l_jj <= 2^bits off and R_ii <= 2 l_ii on the
// diagonal, so its row sums are at most (k + 1) 2^bits (Gershgorin).
bool semidefinite(std::vector<std::vector<Integer>> rows, unsigned bits) {
  const Integer reserve = Integer(rows.size() + 1) * two_to(bits);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      Integer rest = rows[i][j];
      for (std::size_t m = 0; m < j; ++m) rest -= rows[i][m] * rows[j][m];
      rows[i][j] = rest / rows[j][j];
      if (abs(rows[i][j]) > two_to(bits)) return false;
    }
    Integer rest = rows[i][i] - reserve;
    for (std::size_t m = 0; m < i; ++m) rest -= rows[i][m] * rows[i][m];
    if (rest <= 0) return false;
    rows[i][i] = sqrt(rest);
  }
  return true;
}

}  // namespace

// N = the matrix times 2^bits / bound, rounded: entries within 1 of the exact ones as long as balls are
// narrower than half a unit, so ||N|| <= limit proves ||N exact|| <= limit + s, s = ceil sqrt(entries) the
// Frobenius norm of the error, and the checker's rounding is off by as much again. limit = 2^bits - 8 s - 8
// leaves its matrix a least eigenvalue above its reserves.
bool proves_spectral_norm(const std::vector<Ball>& matrix, std::size_t rows, std::size_t columns,
                          const Rational& bound, unsigned bits) {
  const long precision = static_cast<long>(bits) + 64;
  std::vector<Integer> scaled;
  for (const Ball& x : matrix) {
    const Ball y = scale_by_power_of_two(div(x, Ball(bound, precision), precision), static_cast<long>(bits));
    if (!y.is_finite() || y.radius_upper() > 0.25) return false;
    scaled.push_back(nearest_integer(y, 0));
  }
  const auto error = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(scaled.size()))));
  const Integer limit = two_to(bits) - Integer(8 * error + 8);
  if (limit <= 0) return false;
  const bool wide = rows <= columns;
  const std::size_t size = wide ? rows : columns, length = wide ? columns : rows;
  const std::size_t outer = wide ? columns : 1, inner = wide ? 1 : columns;
  std::vector<std::vector<Integer>> gram(size);
  for (std::size_t i = 0; i < size; ++i) {
    gram[i].resize(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < length; ++k)
        gram[i][j] -= scaled[i * outer + k * inner] * scaled[j * outer + k * inner];
    }
    gram[i][i] += limit * limit;
  }
  return semidefinite(std::move(gram), bits);
}

}  // namespace attest
