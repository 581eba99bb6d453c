// The rate shapes of run claims: see rate_shapes.hpp.
#include "proofs/checker/runs/rate_shapes.hpp"

namespace attest_check {
namespace {

constexpr RateShape shapes[] = {
    {"1/t^2", false, [](const RateTime& t) { return Interval(1) / (t.step * t.step); }},
    {"1/t", false, [](const RateTime& t) { return Interval(1) / t.step; }},
    {"log(t)/t", true, [](const RateTime& t) { return t.log / t.step; }},
    {"log(t)^2/sqrt(t)", true, [](const RateTime& t) { return t.log * t.log / t.root; }},
    {"t^(-1/2)", false, [](const RateTime& t) { return Interval(1) / t.root; }},
    {"t^(-3/4)", false, [](const RateTime& t) { return Interval(1) / square_root(t.step * t.root); }},
    {"1/log(t)", true, [](const RateTime& t) { return Interval(1) / t.log; }},
    {"1/log(t)^2", true, [](const RateTime& t) { return Interval(1) / (t.log * t.log); }},
};

}  // namespace

RateTime::RateTime(std::size_t t)
    : step(Interval::between(Integer(t), Integer(t), 0, 64)), root(square_root(step)) {
  if (t > 1) log = logarithm(step);
}

const RateShape* find_rate_shape(std::string_view name) {
  for (const RateShape& shape : shapes) {
    if (shape.name == name) return &shape;
  }
  return nullptr;
}

}  // namespace attest_check
