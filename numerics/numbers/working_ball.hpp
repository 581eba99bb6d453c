// Balls for inner loops: a Ball that passes itself to arb_* functions, which then work in place without
// temporaries.
#pragma once

#include "numerics/numbers/ball.hpp"

namespace attest {

class WorkingBall : public Ball {
 public:
  using Ball::Ball;
  WorkingBall() = default;
  WorkingBall(const Ball& ball) : Ball(ball) {}  // NOLINT: the same set of reals
  WorkingBall& operator=(const Ball& ball) {
    Ball::operator=(ball);
    return *this;
  }

  operator arb_ptr() { return raw(); }           // NOLINT: passes to arb_* functions as it is
  operator arb_srcptr() const { return raw(); }  // NOLINT
};

// One mag_t: an upper bound with a 30-bit mantissa and unbounded exponent, initialised to 0. Arb's mag_*
// functions round up.
class Magnitude {
 public:
  Magnitude() { mag_init(value_); }
  Magnitude(const Magnitude& other) : Magnitude() { mag_set(value_, other.value_); }
  Magnitude& operator=(const Magnitude& other) {
    mag_set(value_, other.value_);
    return *this;
  }
  ~Magnitude() { mag_clear(value_); }

  operator mag_ptr() { return value_; }           // NOLINT
  operator mag_srcptr() const { return value_; }  // NOLINT

 private:
  mag_t value_;
};

}  // namespace attest
