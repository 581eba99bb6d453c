#include "numerics/norms/rounding.hpp"

#include <algorithm>
#include <limits>

#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// A magnitude above 2^-60000 of both signs, as certificates can hold.
constexpr long least_exponent = -60000;

}  // namespace

long largest_exponent(const std::vector<Ball>& values) {
  long largest = least_exponent;
  for (const Ball& value : values) {
    if (arf_is_special(arb_midref(value.raw()))) continue;
    largest = std::max(largest, static_cast<long>(arf_abs_bound_lt_2exp_si(arb_midref(value.raw()))));
  }
  return largest;
}

Integer nearest_integer(const Ball& value, long shift) {
  arf_t scaled;
  fmpz_t integer;
  arf_init(scaled);
  fmpz_init(integer);
  arf_mul_2exp_si(scaled, arb_midref(value.raw()), shift);
  arf_get_fmpz(integer, scaled, ARF_RND_NEAR);
  Integer result;
  fmpz_get_mpz(result.backend().data(), integer);
  fmpz_clear(integer);
  arf_clear(scaled);
  return result;
}

std::vector<Ball> DyadicRow::balls() const {
  std::vector<Ball> result;
  for (const Integer& x : numerator) result.push_back(scale_by_power_of_two(Ball(x), -shift));
  return result;
}

DyadicRow rounded(const std::vector<Ball>& values, long bits) {
  DyadicRow row;
  row.shift = bits - largest_exponent(values);
  for (const Ball& value : values) row.numerator.push_back(nearest_integer(value, row.shift));
  return row;
}

ConstraintVector written_multipliers(const IntegerConstraints& constraints,
                                     const std::vector<std::size_t>& at, const DyadicRow& values,
                                     long exponent) {
  ConstraintVector vector;
  const long shift = values.shift + exponent;
  if (shift > 0) vector.denominator <<= static_cast<unsigned>(shift);
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (values.numerator[k] <= 0) continue;
    vector.constraint.push_back(constraints.constraint(at[k]));
    vector.numerator.push_back(shift < 0 ? Integer(values.numerator[k] << static_cast<unsigned>(-shift))
                                         : values.numerator[k]);
  }
  return vector;
}

WrittenMatrix written_matrix(const DyadicRow& values, std::size_t rows, std::size_t columns,
                             const Rational& scale, long bits, long exponent) {
  WrittenMatrix matrix{rows, columns, values.numerator, 1};
  const Rational divisor =
      dyadic_below(scale, static_cast<unsigned>(bits)) * power_of_two(values.shift + exponent);
  matrix.denominator = numerator(divisor);
  for (Integer& x : matrix.numerator) x *= denominator(divisor);
  return matrix;
}

Rational least_margin(const std::vector<Ball>& margins) {
  Rational least = 0;
  for (const Ball& margin : margins) {
    if (!margin.is_finite() || !certainly_positive(margin)) return 0;
    const Rational lower = margin.lower();
    if (least == 0 || lower < least) least = lower;
  }
  return least;
}

Rational lower_dyadic(const Ball& value, long bits) {
  return dyadic_below(value.lower(), static_cast<unsigned>(bits));
}

Rational upper_dyadic(const Ball& value, long bits) {
  return dyadic_above(value.upper(), static_cast<unsigned>(bits));
}

}  // namespace attest
