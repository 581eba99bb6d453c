#include "certify/pictures/scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace attest {
namespace {

constexpr double least_positive = 1e-300;

std::string plain(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string power_of_ten(int exponent) {
  return "10<tspan dy=\"-6\" font-size=\"10\">" + std::to_string(exponent) + "</tspan>";
}

}  // namespace

double tick_step(double length, std::size_t most) {
  const double least = length / static_cast<double>(most);
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

double Scale::measure(double value) const {
  return logarithmic_ ? std::log10(std::max(value, least_positive)) : value;
}

Scale::Scale(const Axis& axis, double first_place, double last_place, bool widened)
    : logarithmic_(axis.logarithmic), whole_(axis.whole), first_place_(first_place), last_place_(last_place) {
  least_ = measure(axis.least);
  most_ = std::max(measure(axis.most), least_);
  if (widened && logarithmic_) {
    least_ = std::floor(least_);
    most_ = std::ceil(most_);
  }
  if (most_ - least_ < 1e-9) most_ = least_ + 1;
  if (widened && !logarithmic_) {
    const double step = tick_step(most_ - least_, 8);
    least_ = step * std::floor(least_ / step);
    most_ = step * std::ceil(most_ / step);
  }
}

double Scale::at(double value) const {
  const double share = std::clamp((measure(value) - least_) / (most_ - least_), 0.0, 1.0);
  return first_place_ + share * (last_place_ - first_place_);
}

std::vector<Tick> Scale::ticks(std::size_t most) const {
  std::vector<Tick> found;
  const auto add = [&](double measured, std::string label) {
    const double share = (measured - least_) / (most_ - least_);
    found.push_back({first_place_ + share * (last_place_ - first_place_), std::move(label)});
  };
  if (logarithmic_) {
    const int first = static_cast<int>(std::ceil(least_ - 1e-9)), last = static_cast<int>(most_ + 1e-9);
    const int stride = std::max(1, (last - first + static_cast<int>(most)) / static_cast<int>(most));
    for (int k = first; k <= last; k += stride) add(k, power_of_ten(k));
    return found;
  }
  const double step = std::max(tick_step(most_ - least_, most), whole_ ? 1.0 : 0.0);
  for (double k = std::ceil(least_ / step - 1e-9); k * step <= most_ + 1e-9 * step; ++k)
    add(k * step, plain(k == 0 ? 0 : k * step));
  return found;
}

}  // namespace attest
