// The rate shapes of run claims: see rate_shapes.hpp.
#include "proofs/checker/rate_shapes.hpp"

namespace attest_check {
namespace {

constexpr RateShape shapes[] = {
    {"1/t^2", false, [](const Interval& t) { return Interval(1) / (t * t); }},
    {"1/t", false, [](const Interval& t) { return Interval(1) / t; }},
    {"log(t)/t", true, [](const Interval& t) { return logarithm(t) / t; }},
    {"log(t)^2/sqrt(t)", true, [](const Interval& t) { return logarithm(t) * logarithm(t) / square_root(t); }},
    {"t^(-1/2)", false, [](const Interval& t) { return Interval(1) / square_root(t); }},
    {"t^(-3/4)", false, [](const Interval& t) { return Interval(1) / square_root(t * square_root(t)); }},
    {"1/log(t)", true, [](const Interval& t) { return Interval(1) / logarithm(t); }},
    {"1/log(t)^2", true, [](const Interval& t) { return Interval(1) / (logarithm(t) * logarithm(t)); }},
};

}  // namespace

const RateShape* find_rate_shape(std::string_view name) {
  for (const RateShape& shape : shapes) {
    if (shape.name == name) return &shape;
  }
  return nullptr;
}

}  // namespace attest_check
