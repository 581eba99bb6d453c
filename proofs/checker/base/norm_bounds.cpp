// Upper bounds of norms of an exact matrix: see norm_bounds.hpp.
#include "proofs/checker/base/norm_bounds.hpp"

#include <algorithm>

namespace attest_check {
namespace {

// The least integer whose power of this order is at least x >= 0.
Integer root_ceil(const Integer& x, unsigned long order) {
  Integer root;
  const bool exact = mpz_root(root.get_mpz_t(), x.get_mpz_t(), order) != 0;
  return exact ? root : Integer(root + 1);
}

// Is the symmetric matrix, of which rows[i][j], j <= i, are given, positive semidefinite? It must not have a
// diagonal entry above 4^bits. True only if so: L L' + R = matrix - reserve I with |R_ij| <= 2^bits off and
// 2^(bits + 1) on the diagonal.
bool positive_semidefinite(std::vector<std::vector<Integer>> rows, unsigned bits) {
  const std::size_t size = rows.size();
  const Integer reserve = Integer(static_cast<unsigned long>(size) + 1) * power_of_two(bits);
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<Integer>& row = rows[i];
    row[i] -= reserve;
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t m = 0; m < j; ++m)
        mpz_submul(row[j].get_mpz_t(), row[m].get_mpz_t(), rows[j][m].get_mpz_t());
      if (j == i) break;
      mpz_tdiv_q(row[j].get_mpz_t(), row[j].get_mpz_t(), rows[j][j].get_mpz_t());
      if (bit_length(row[j]) > bits + 1) return false;  // no semidefinite matrix has such a factor
    }
    if (row[i] <= 0) return false;
    row[i] = sqrt(row[i]);
  }
  return true;
}

// numerator 2^bits / (denominator bound), rounded to the nearest integer.
std::vector<Integer> rounded(const ExactMatrix& matrix, const Rational& bound, unsigned bits) {
  const Integer unit = matrix.denominator * bound.get_num();
  const Integer factor = 2 * bound.get_den() * power_of_two(bits);
  std::vector<Integer> result;
  result.reserve(matrix.numerator.size());
  for (const Integer& x : matrix.numerator) result.push_back(divide_floor(x * factor + unit, 2 * unit));
  return result;
}

}  // namespace

Rational ExactMatrix::norm_squared() const {
  Integer sum;
  for (const Integer& x : numerator) sum += x * x;
  return fraction(sum, denominator * denominator);
}

Rational ExactMatrix::sum_of_magnitudes() const {
  Integer sum;
  for (const Integer& x : numerator) sum += abs(x);
  return fraction(sum, denominator);
}

Rational ExactMatrix::largest_magnitude() const {
  Integer largest;
  for (const Integer& x : numerator) largest = std::max<Integer>(largest, abs(x));
  return fraction(largest, denominator);
}

bool power_norm_at_most(const ExactMatrix& matrix, const Rational& exponent, const Rational& bound,
                        unsigned bits) {
  const unsigned long power = exponent.get_num().get_ui(), order = exponent.get_den().get_ui();
  const std::size_t shift = bits * (power - order);
  const Integer unit = matrix.denominator * bound.get_num(), whole = power_of_two(bits);
  const Integer factor = bound.get_den() * whole;
  Integer sum;
  for (const Integer& entry : matrix.numerator) {
    Integer x = divide_ceil(abs(entry) * factor, unit);
    if (x > whole) return false;
    mpz_pow_ui(x.get_mpz_t(), x.get_mpz_t(), power);
    sum += root_ceil(shift_ceil(x, shift), order);
  }
  return sum <= whole;
}

bool spectral_norm_at_most(const ExactMatrix& matrix, const Rational& bound, unsigned bits) {
  const std::vector<Integer> scaled = rounded(matrix, bound, bits);
  const Integer entries(static_cast<unsigned long>(scaled.size()));
  const Integer limit = power_of_two(bits) - root_ceil(entries, 2);
  if (limit <= 0) return false;
  // limit^2 I - N N', or N' N, whichever is smaller.
  const bool wide = matrix.rows <= matrix.columns;
  const std::size_t size = wide ? matrix.rows : matrix.columns;
  const std::size_t length = wide ? matrix.columns : matrix.rows;
  const std::size_t outer = wide ? matrix.columns : 1, inner = wide ? 1 : matrix.columns;
  std::vector<std::vector<Integer>> rows(size);
  for (std::size_t i = 0; i < size; ++i) {
    rows[i].resize(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < length; ++k) {
        mpz_submul(rows[i][j].get_mpz_t(), scaled[i * outer + k * inner].get_mpz_t(),
                   scaled[j * outer + k * inner].get_mpz_t());
      }
    }
    rows[i][i] += limit * limit;
  }
  return positive_semidefinite(std::move(rows), bits);
}

}  // namespace attest_check
