#include "numerics/mirror/potential.hpp"

namespace attest {
namespace {

// x^(power/order) of a number x >= 0 known exactly.
Ball power_of_end(const arf_t x, unsigned long power, unsigned long order, long bits) {
  Ball result;
  arb_set_arf(result.raw(), x);
  arb_root_ui(result.raw(), result.raw(), order, bits);
  arb_pow_ui(result.raw(), result.raw(), power, bits);
  return result;
}

// One end of a ball that touches zero.
Ball signed_power_of_end(const arf_t x, unsigned long power, unsigned long order, long bits) {
  if (arf_sgn(x) >= 0) return power_of_end(x, power, order, bits);
  arf_t size;
  arf_init(size);
  arf_abs(size, x);
  Ball result = neg(power_of_end(size, power, order, bits));
  arf_clear(size);
  return result;
}

}  // namespace

Ball signed_power(const Ball& x, unsigned long power, unsigned long order, long bits) {
  Ball result;
  if (arb_is_zero(x.raw()) != 0) return result;
  if (!x.is_finite()) {
    arb_zero_pm_inf(result.raw());
    return result;
  }
  if (!x.contains_zero()) {
    const bool negative = certainly_negative(x);
    if (negative) {
      arb_neg(result.raw(), x.raw());
    } else {
      arb_set(result.raw(), x.raw());
    }
    arb_root_ui(result.raw(), result.raw(), order, bits);
    arb_pow_ui(result.raw(), result.raw(), power, bits);
    if (negative) arb_neg(result.raw(), result.raw());
    return result;
  }
  arf_t lower, upper;
  arf_init(lower);
  arf_init(upper);
  arb_get_interval_arf(lower, upper, x.raw(), bits);
  result = hull(signed_power_of_end(lower, power, order, bits),
                signed_power_of_end(upper, power, order, bits), bits);
  arf_clear(lower);
  arf_clear(upper);
  return result;
}

Potential::Potential(const Rational& exponent)
    : exponent_(exponent),
      p_(mpq_get_d(exponent.backend().data())),
      q_(mpq_get_d(Rational(exponent / (exponent - 1)).backend().data())),
      a_(numerator(exponent).convert_to<unsigned long>()),
      b_(denominator(exponent).convert_to<unsigned long>()) {}

Ball Potential::gradient(const Ball& w, long bits) const {
  return signed_power(w, a_ - b_, b_, bits);
}

Ball Potential::inverse_gradient(const Ball& z, long bits) const {
  return signed_power(z, b_, a_ - b_, bits);
}

Ball Potential::root_p(const Ball& s, long bits) const {
  return signed_power(s, b_, a_, bits);
}

Ball Potential::root_q(const Ball& s, long bits) const {
  return signed_power(s, a_ - b_, a_, bits);
}

Ball Potential::dual_norm(const std::vector<Ball>& x, long bits) const {
  Ball sum;
  // |x|^Q = |x| |x|^(Q-1), and the second factor is the inverse gradient.
  for (const Ball& entry : x) add_product(sum, entry, inverse_gradient(entry, bits), bits);
  return root_q(sum, bits);
}

}  // namespace attest
