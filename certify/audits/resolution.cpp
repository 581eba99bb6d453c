#include "certify/audits/resolution.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

struct Format {
  const char* name;
  int unit_exponent;  // of half a unit in the last place of 1; 0: not rounded
};

Format number_format(const ExactArray& features) {
  const bool doubles = features.is_binary64();
  bool integers = true, floats = true;
  for (std::size_t k = 0; k < features.size() && (integers || (doubles && floats)); ++k) {
    if (!doubles) {
      integers = denominator(features.exact(k)) == 1;
      continue;
    }
    const double x = features.binary64()[k];
    integers = integers && x == std::nearbyint(x);
    floats = floats && x == static_cast<double>(static_cast<float>(x));
  }
  if (integers) return {"integer", 0};
  if (!doubles) return {"rational", 0};
  return floats ? Format{"binary32", -24} : Format{"binary64", -53};
}

// The longest row of the features, rounded up.
Rational longest_row(const TokenData& data) {
  const std::size_t d = data.left_dimension;
  double most = 0;
  for (std::size_t r = 0; r < data.first_row.back(); ++r) {
    double length = 0;
    for (std::size_t j = 0; j < d; ++j) length = std::hypot(length, data.token_factor.approx(r * d + j));
    most = std::max(most, length);
  }
  // Each hypot is within one unit of 2^-52 or so, the sum of their effects below (d + 1) 2^-51.
  return dyadic_above(Rational(most) * (1 + Rational(d + 2) * power_of_two(-50)), 64);
}

}  // namespace

Resolution resolve(const TokenData& data, std::optional<Interval> robust_radius) {
  Resolution found;
  const Format format = number_format(data.token_factor);
  found.number_format = format.name;
  found.robust_radius = std::move(robust_radius);
  if (format.unit_exponent == 0) {
    found.standing = Resolution::Standing::exact;
    return found;
  }
  found.unit = longest_row(data) * power_of_two(format.unit_exponent);
  if (!found.robust_radius) return found;
  found.standing = found.robust_radius->lo > *found.unit   ? Resolution::Standing::above
                   : found.robust_radius->hi < *found.unit ? Resolution::Standing::below
                                                           : Resolution::Standing::open;
  return found;
}

}  // namespace attest
