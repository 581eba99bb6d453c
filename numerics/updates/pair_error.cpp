#include "numerics/updates/pair_error.hpp"

#include <algorithm>
#include <cmath>

namespace attest {
namespace {

constexpr slong error_precision = 64;

// x + error, at least, as an exact ball.
WorkingBall raised(const WorkingBall& x, mag_srcptr error) {
  WorkingBall sum(x), result;
  arb_add_error_mag(sum, error);
  arb_get_ubound_arf(arb_midref(result.raw()), sum, error_precision);
  return result;
}

// Sizes are compared by <e,e> + weight <f,f>: in this metric steps small against (1 - beta)^2 do not let
// errors grow, as e + beta/(1 - beta) f is what a velocity that dies out leaves of an error.
double velocity_weight(double beta) {
  return std::min(1 / ((1 - beta) * (1 - beta)), 0x1p60);
}

}  // namespace

void PairError::step(const Ball& beta, double kept, double spread, const Magnitude& noise) {
  // The entries of M Q M'.
  WorkingBall minus, one_less, bef, part, ee, ef, ff;
  arb_set_d(minus, -kept);
  arb_add_ui(one_less, minus, 1, error_precision);
  const auto form = [&](WorkingBall& sum, const WorkingBall& x,
                        const WorkingBall& y) {  // of rows (x, beta), (y, beta)
    arb_mul(sum, x, y, error_precision);
    arb_mul(sum, sum, ee_, error_precision);
    arb_add(part, x, y, error_precision);
    arb_mul(part, part, bef, error_precision);
    arb_add(sum, sum, part, error_precision);
    arb_mul(part, beta.raw(), beta.raw(), error_precision);
    arb_mul(part, part, ff_, error_precision);
    arb_add(sum, sum, part, error_precision);
  };
  arb_mul(bef, beta.raw(), ef_, error_precision);
  form(ee, one_less, one_less);
  form(ef, one_less, minus);
  form(ff, minus, minus);

  // w0^2
  Magnitude w, bound;
  first(bound);
  mag_set_d(w, spread);
  mag_mul(w, w, bound);
  mag_add(w, w, noise);
  mag_mul(w, w, w);
  WorkingBall square;
  arf_set_mag(arb_midref(square.raw()), w);

  // a^2 = (size of bb') w0^2 / (size of M Q M'), in doubles: any positive number is sound.
  const double weight = velocity_weight(beta.approx_mid());
  WorkingBall size;
  arb_set_d(size, weight);
  arb_mul(size, size, ff, error_precision);
  arb_add(size, size, ee, error_precision);
  double a = 0x1p40;  // no error was there
  if (!arb_is_zero(size)) {
    arb_div(size, square, size, error_precision);
    a = std::sqrt((1 + weight) * size.approx_mid());
  }
  if (!(a > 0x1p-40)) a = 0x1p-40;
  if (!(a < 0x1p40)) a = 0x1p40;
  WorkingBall stretch, rest;
  arb_set_d(stretch, a);
  arb_inv(rest, stretch, error_precision);
  arb_add_ui(rest, rest, 1, error_precision);
  arb_mul(rest, rest, square, error_precision);
  arb_add_ui(stretch, stretch, 1, error_precision);
  for (WorkingBall* entry : {&ee, &ef, &ff}) {
    arb_mul(*entry, *entry, stretch, error_precision);
    arb_add(*entry, *entry, rest, error_precision);
  }
  // An uncertainty d of the off-diagonal entry is at most d in both diagonal ones.
  ee_ = raised(ee, arb_radref(ef.raw()));
  ff_ = raised(ff, arb_radref(ef.raw()));
  arb_set(ef_, ef);
  mag_zero(arb_radref(ef_.raw()));
}

double PairError::growth_bits(double beta, double kept, double spread) const {
  if (arb_is_zero(ee_)) return 0;
  WorkingBall ratio;
  arb_div(ratio, ef_, ee_, error_precision);
  const double ef = ratio.approx_mid();
  arb_div(ratio, ff_, ee_, error_precision);
  const double ff = ratio.approx_mid();
  const double weight = velocity_weight(beta), rest = 1 - kept;
  const double moved_first = rest * rest + 2 * rest * beta * ef + beta * beta * ff;
  const double moved_second = kept * kept - 2 * kept * beta * ef + beta * beta * ff;
  const double moved = std::max(moved_first + weight * moved_second, 0.0);
  return std::log2(std::sqrt(moved) + std::sqrt(1 + weight) * spread) - std::log2(1 + weight * ff) / 2;
}

void PairError::first(mag_ptr bound) const {
  arb_get_mag(bound, ee_);
  mag_sqrt(bound, bound);
}

bool PairError::set(const Ball& ee, const Ball& ef, const Ball& ff) {
  for (const Ball* entry : {&ee, &ef, &ff}) {
    if (!arb_is_exact(entry->raw()) || !arb_is_finite(entry->raw())) return false;
  }
  ee_ = ee;
  ef_ = ef;
  ff_ = ff;
  return true;
}

}  // namespace attest
