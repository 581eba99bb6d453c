#include "numerics/runs/rate_shapes.hpp"

#include <cmath>

namespace attest {
namespace {

struct Formula {
  const char* name;
  bool uses_log;
  double (*value)(double t);
};

// Elementary functions of the C library are within a few ulps; `slack` covers them and the arithmetic around
// them.
constexpr double slack = 0x1p-45;

constexpr Formula formulas[] = {
    {"1/t^2", false, [](double t) { return 1 / (t * t); }},
    {"1/t", false, [](double t) { return 1 / t; }},
    {"log(t)/t", true, [](double t) { return std::log(t) / t; }},
    {"log(t)^2/sqrt(t)", true, [](double t) { return std::log(t) * std::log(t) / std::sqrt(t); }},
    {"t^(-1/2)", false, [](double t) { return 1 / std::sqrt(t); }},
    {"t^(-3/4)", false, [](double t) { return 1 / std::sqrt(t * std::sqrt(t)); }},
    {"1/log(t)", true, [](double t) { return 1 / std::log(t); }},
    {"1/log(t)^2", true, [](double t) { return 1 / (std::log(t) * std::log(t)); }},
};

}  // namespace

std::vector<RateShape> rate_shapes() {
  std::vector<RateShape> shapes;
  for (const Formula& formula : formulas) {
    RateShape shape;
    shape.name = formula.name;
    shapes.push_back(shape);
  }
  return shapes;
}

void record_rate(std::vector<RateShape>& shapes, std::uint64_t t, double lo, double hi) {
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    if (t < (formulas[k].uses_log ? 2U : 1U)) continue;
    const double shape = formulas[k].value(static_cast<double>(t));
    const double low = lo / shape * (1 - slack), high = hi / shape * (1 + slack);
    take_in(shapes[k].whole, t, t, low, high);
    if (shapes[k].blocks.empty() || (t & (t - 1)) == 0) shapes[k].blocks.emplace_back();
    take_in(shapes[k].blocks.back(), t, t, low, high);
  }
}

}  // namespace attest
