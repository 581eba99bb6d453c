// Exact numbers of the checker: see exact.hpp.
#include "proofs/checker/base/exact.hpp"

#include <charconv>
#include <cstdlib>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

Integer dot(const Integer* x, const Integer* y, std::size_t count) {
  Integer sum;
  for (std::size_t k = 0; k < count; ++k) add_product(sum, x[k], y[k]);
  return sum;
}

Rational scale_by_power_of_two(const Integer& x, long exponent) {
  const auto size = static_cast<mp_bitcnt_t>(std::abs(exponent));
  return exponent >= 0 ? Rational(x << size) : Rational(Rational(x) >> size);
}

Integer integer_from_digits(std::string_view digits, int base) {
  if (digits.size() <= 15) {
    long small = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), small, base);
    return small;
  }
  Integer x;
  const bool fits = digits.size() <= max_bits / (base == 16 ? 4 : 3);
  if (fits) mpz_set_str(x.get_mpz_t(), std::string(digits).c_str(), base);
  if (!fits || bit_length(x) > max_bits) malformed("an integer of more than 2^24 bits");
  return x;
}

std::string canonical(const Rational& x) {
  const Integer& p = x.get_num();
  const Integer& q = x.get_den();
  if (p == 0) return "0";
  if (q == 1) {
    const mp_bitcnt_t twos = mpz_scan1(p.get_mpz_t(), 0);
    return twos == 0 ? p.get_str() : shift_floor(p, twos).get_str() + "*2^" + std::to_string(twos);
  }
  if (mpz_popcount(q.get_mpz_t()) == 1) {
    return p.get_str() + "*2^-" + std::to_string(mpz_scan1(q.get_mpz_t(), 0));
  }
  return p.get_str() + "/" + q.get_str();
}

std::string show(const Rational& x) {
  const std::size_t p = bit_length(x.get_num());
  const std::size_t q = bit_length(x.get_den());
  if (p + q <= 200) return canonical(x);
  const long shift = static_cast<long>(p) - static_cast<long>(q) - 63;
  const Integer mantissa(x * scale_by_power_of_two(1, -shift));  // rounded towards 0
  return "about " + mantissa.get_str() + "*2^" + std::to_string(shift) + " (" + std::to_string(p) + " over " +
         std::to_string(q) + " bits)";
}

}  // namespace attest_check
