#include "numerics/forever/theorem.hpp"

namespace attest {
namespace {

BallNumber count(std::uint64_t t) {
  return BallNumber(Ball(Integer(t)));
}

}  // namespace

LaterSteps::LaterSteps(const OptimizerSpec& optimizer, std::uint64_t t0) : spec(optimizer), start(t0) {
  Ball eta;
  step_size(eta.raw(), spec, t0, BallNumber::bits);
  largest = BallNumber(eta);
}

BallNumber LaterSteps::total_until(std::uint64_t t) const {
  if (t <= start) return BallNumber(0.0);
  const BallNumber step{Ball(spec.step, BallNumber::bits)};
  // Left sums of the decreasing S/(s+1) and S/sqrt(s+1) over [start, t) are at least their integrals.
  switch (spec.schedule) {
    case Schedule::constant:
      return step * count(t - start);
    case Schedule::inverse:
      return step * log(count(t + 1) / count(start + 1));
    case Schedule::inverse_sqrt:
      break;
  }
  return step * BallNumber(2.0) * (sqrt(count(t + 1)) - sqrt(count(start + 1)));
}

}  // namespace attest
