#include "certify/audits/resolution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// A format of floating-point numbers: `digits` bits of significand, units in the last place down to
// 2^least_unit, magnitudes below 2^above.
struct Format {
  const char* name;
  int digits, least_unit, above;
};

constexpr Format formats[] = {{"bfloat16", 8, -133, 128},  // narrowest first
                              {"binary16", 11, -24, 16},
                              {"binary32", 24, -149, 128},
                              {"binary64", 53, -1074, 1024}};

// |x| > 0 lies in [2^(above - 1), 2^above) and is an odd multiple of 2^low.
struct Extent {
  explicit Extent(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63);
    const int biased = static_cast<int>(bits >> 52);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const std::uint64_t significand = fraction | (std::uint64_t{biased != 0} << 52);
    const int unit = std::max(biased, 1) - 1075;
    low = unit + std::countr_zero(significand);
    above = unit + static_cast<int>(std::bit_width(significand));
  }
  int low, above;
};

// How many of the numbers a format holds, and of how many it needs the last digit.
struct Fit {
  bool all = true;
  std::size_t full = 0;
  void look_at(const Extent& x, const Format& format) {
    const int unit = std::max(x.above - format.digits, format.least_unit);
    all = all && x.above <= format.above && x.low >= unit;
    full += x.low == unit;
  }
};

// Nothing where the numbers are exact: integers, which a double holds up to 2^53, and what is no double. A
// format of 16 bits is told by its use: numbers that are short by nature, as 1/2 or 3/4, do not have the last
// digit in half of all cases.
const Format* rounding_format(const ExactArray& features, const char*& name) {
  if (!features.is_binary64()) {
    name = "integer";
    for (std::size_t k = 0; k < features.size(); ++k) {
      if (denominator(features.exact(k)) != 1) name = "rational";
    }
    return nullptr;
  }
  bool integers = true;
  std::size_t used = 0;
  Fit fits[std::size(formats)];
  PassedNumbers passed(features.binary64());
  for (std::size_t k = 0; k < features.size(); ++k) {
    if (k % 4096 == 0) passed.before(k);
    const double x = features.binary64()[k];
    integers = integers && x == std::nearbyint(x) && std::fabs(x) <= 0x1p53;
    if (x == 0) continue;
    ++used;
    const Extent extent(x);
    for (std::size_t f = 0; f + 1 < std::size(formats); ++f) fits[f].look_at(extent, formats[f]);
  }
  name = "integer";
  if (integers) return nullptr;
  std::size_t k = 0;
  while (!fits[k].all || (formats[k].digits < 24 && fits[k].full < used / 4 + 1)) ++k;
  name = formats[k].name;
  return &formats[k];
}

// The longest row of the features, rounded up.
Rational longest_row(const TokenData& data) {
  const std::size_t d = data.left_dimension;
  double most = 0;
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    for (std::size_t r = data.first_row[i]; r < data.first_row[i + 1]; ++r) {
      double length = 0;
      for (std::size_t j = 0; j < d; ++j) length = std::hypot(length, data.token_factor.approx(r * d + j));
      most = std::max(most, length);
    }
  }
  // Each hypot is within one unit of 2^-52 or so, the sum of their effects below (d + 1) 2^-51.
  return dyadic_above(Rational(most) * (1 + Rational(d + 2) * power_of_two(-50)), 64);
}

}  // namespace

std::string number_format(const ExactArray& numbers) {
  const char* name = nullptr;
  rounding_format(numbers, name);
  return name;
}

Resolution resolve(const TokenData& data, std::optional<Interval> robust_radius) {
  Resolution found;
  const char* name = nullptr;
  const Format* const format = rounding_format(data.token_factor, name);
  found.number_format = name;
  found.robust_radius = std::move(robust_radius);
  if (format == nullptr) {
    found.standing = Resolution::Standing::exact;
    return found;
  }
  // Half a unit in the last place of each entry: at most 2^-digits of it, or half of the least unit.
  const Rational columns(static_cast<unsigned long>(std::ceil(std::sqrt(data.left_dimension))));
  found.unit = dyadic_above(
      longest_row(data) * power_of_two(-format->digits) + columns * power_of_two(format->least_unit - 1), 64);
  if (!found.robust_radius) return found;
  found.standing = found.robust_radius->lo > *found.unit   ? Resolution::Standing::above
                   : found.robust_radius->hi < *found.unit ? Resolution::Standing::below
                                                           : Resolution::Standing::open;
  return found;
}

}  // namespace attest
