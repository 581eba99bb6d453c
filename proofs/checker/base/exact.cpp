// Exact numbers of the checker: see exact.hpp.
#include "proofs/checker/base/exact.hpp"

#include <charconv>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

Integer power_of_two(std::size_t exponent) {
  Integer x;
  mpz_setbit(x.get_mpz_t(), exponent);
  return x;
}

Integer shift_floor(const Integer& x, std::size_t shift) {
  Integer y;
  mpz_fdiv_q_2exp(y.get_mpz_t(), x.get_mpz_t(), shift);
  return y;
}

Integer shift_ceil(const Integer& x, std::size_t shift) {
  Integer y;
  mpz_cdiv_q_2exp(y.get_mpz_t(), x.get_mpz_t(), shift);
  return y;
}

Integer divide_floor(const Integer& p, const Integer& q) {
  Integer y;
  mpz_fdiv_q(y.get_mpz_t(), p.get_mpz_t(), q.get_mpz_t());
  return y;
}

Integer divide_ceil(const Integer& p, const Integer& q) {
  Integer y;
  mpz_cdiv_q(y.get_mpz_t(), p.get_mpz_t(), q.get_mpz_t());
  return y;
}

Rational scale_by_power_of_two(const Integer& x, long exponent) {
  Rational y(x);
  const mp_bitcnt_t size = static_cast<mp_bitcnt_t>(exponent >= 0 ? exponent : -exponent);
  (exponent >= 0 ? mpq_mul_2exp : mpq_div_2exp)(y.get_mpq_t(), y.get_mpq_t(), size);
  return y;
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
    if (twos == 0) return p.get_str();
    Integer odd;
    mpz_tdiv_q_2exp(odd.get_mpz_t(), p.get_mpz_t(), twos);
    return odd.get_str() + "*2^" + std::to_string(twos);
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
  const Rational scaled = x * scale_by_power_of_two(1, -shift);
  Integer mantissa;
  mpz_tdiv_q(mantissa.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  std::string text = "about ";
  text += mantissa.get_str() + "*2^" + std::to_string(shift);
  text += " (" + std::to_string(p) + " over " + std::to_string(q) + " bits)";
  return text;
}

}  // namespace attest_check
