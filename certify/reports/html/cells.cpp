#include "certify/reports/html/cells.hpp"

#include <cmath>
#include <cstdio>

#include "certify/reports/short_number.hpp"

namespace attest {

Cell count(std::uint64_t value) {
  return {std::to_string(value), static_cast<double>(value)};
}

Cell number(const Interval& value) {
  return {short_number(value), approximately(value), both_ends(value)};
}

Cell number(const Ball& ball) {
  const std::optional<Interval> ends = interval_of(ball);
  return ends ? number(*ends) : Cell{short_number(ball)};
}

Cell number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return {std::isfinite(value) ? text : "-", value};
}

}  // namespace attest
