// Powers with rational exponents: see base/powers.hpp.
#include "proofs/checker/base/powers.hpp"

namespace attest_check {
namespace {

// x^n, n >= 1, of an exact x >= 0.
Interval whole_power(Interval x, unsigned long n, unsigned bits) {
  Interval result = Interval::between(1, 1, 0, bits);
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) result = result * x;
    x = x * x;
  }
  return result;
}

// The n-th root of y >= 0. With g such that y 2^(ng) has about n times as many bits as are wanted, the
// root's floor in units of 2^-g is that of the floor of y 2^(ng), and one unit more is above the root.
Interval root(const Interval& y, unsigned long n, unsigned bits) {
  if (n == 1) return y;
  const auto order = static_cast<long>(n);
  const auto at = [&](const Interval& end, bool upper) {
    const long unit = static_cast<long>(bits) + 2 - end.top() / order;
    const Integer scaled = upper ? end.ceil_at(order * unit) : end.floor_at(order * unit);
    Integer whole;
    const bool exact = mpz_root(whole.get_mpz_t(), scaled.get_mpz_t(), n) != 0;
    if (upper && !exact) ++whole;
    return Interval::between(whole, whole, -unit, bits);
  };
  return Interval::hull(at(y.lower_end(), false), at(y.upper_end(), true));
}

// At an end x >= 0.
Interval power_at(const Interval& x, const Rational& exponent, unsigned bits) {
  const unsigned long a = exponent.get_num().get_ui(), b = exponent.get_den().get_ui();
  return root(whole_power(x, a, bits + 8), b, bits);
}

}  // namespace

Interval power(const Interval& x, const Rational& exponent, unsigned bits) {
  if (x.negative()) throw Imprecise{};
  if (exponent < 0) return Interval(1) / power(x, -exponent, bits);
  if (exponent == 0) return 1;
  const Interval most = power_at(x.upper_end(), exponent, bits);
  return x.positive() ? Interval::hull(power_at(x.lower_end(), exponent, bits), most)
                      : Interval::hull(Interval(), most);
}

Interval signed_power(const Interval& x, const Rational& exponent, unsigned bits) {
  const auto at = [&](const Interval& end) {
    return end.negative() ? -power(-end, exponent, bits) : power(end, exponent, bits);
  };
  return Interval::hull(at(x.lower_end()), at(x.upper_end()));
}

}  // namespace attest_check
