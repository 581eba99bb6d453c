#include "numerics/mirror/entry_errors.hpp"

#include <algorithm>
#include <cmath>

namespace attest {

double log2_radius(const std::vector<Ball>& x) {
  constexpr long radius_bits = 64;
  Ball most;
  for (const Ball& entry : x) {
    Ball radius;
    arf_set_mag(arb_midref(radius.raw()), arb_radref(entry.raw()));
    most = max(most, radius, radius_bits);
  }
  return arb_is_zero(most.raw()) != 0
             ? -HUGE_VAL
             : div(log(most, radius_bits), log(Ball(2), radius_bits), radius_bits).approx_mid();
}

bool all_finite(const std::vector<Ball>& x) {
  return std::all_of(x.begin(), x.end(), [](const Ball& entry) { return entry.is_finite(); });
}

bool all_zero(const std::vector<Ball>& x) {
  return std::all_of(x.begin(), x.end(), [](const Ball& entry) { return arb_is_zero(entry.raw()) != 0; });
}

void make_exact(std::vector<Ball>& x) {
  for (Ball& entry : x) mag_zero(arb_radref(entry.raw()));
}

void widen_for_pilot(std::initializer_list<std::vector<Ball>*> vectors) {
  constexpr int pilot_error = -60;
  double size = 0;
  for (const std::vector<Ball>* x : vectors) {
    for (const Ball& entry : *x) size = std::max(size, std::abs(entry.approx_mid()));
  }
  const Ball radius(std::ldexp(size > 0 ? size : 1, pilot_error));
  for (std::vector<Ball>* x : vectors) {
    for (Ball& entry : *x) arb_add_error(entry.raw(), radius.raw());
  }
}

}  // namespace attest
