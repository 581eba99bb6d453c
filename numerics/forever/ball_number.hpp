// Balls with operators at one fixed precision, so that a formula is written once and evaluated twice: in
// doubles to propose constants, in balls to prove them.
//
// Every operation is Ball's, at BallNumber::bits; the same inclusion holds. `positive` and `at_most` are true
// only when they hold for every choice of members; on doubles they compare.
#pragma once

#include <cmath>

#include "numerics/numbers/ball.hpp"

namespace attest {

class BallNumber {
 public:
  static constexpr long bits = 192;

  BallNumber() = default;
  explicit BallNumber(double value) : ball_(value) {}
  explicit BallNumber(Ball ball) : ball_(std::move(ball)) {}

  const Ball& ball() const { return ball_; }

  friend BallNumber operator+(const BallNumber& a, const BallNumber& b) {
    return BallNumber(add(a.ball_, b.ball_, bits));
  }
  friend BallNumber operator-(const BallNumber& a, const BallNumber& b) {
    return BallNumber(sub(a.ball_, b.ball_, bits));
  }
  friend BallNumber operator*(const BallNumber& a, const BallNumber& b) {
    return BallNumber(mul(a.ball_, b.ball_, bits));
  }
  friend BallNumber operator/(const BallNumber& a, const BallNumber& b) {
    return BallNumber(div(a.ball_, b.ball_, bits));
  }
  friend BallNumber operator-(const BallNumber& a) { return BallNumber(neg(a.ball_)); }
  BallNumber& operator+=(const BallNumber& b) { return *this = *this + b; }

  friend BallNumber exp(const BallNumber& a) { return BallNumber(exp(a.ball_, bits)); }
  friend BallNumber log(const BallNumber& a) { return BallNumber(log(a.ball_, bits)); }
  friend BallNumber expm1(const BallNumber& a) { return BallNumber(expm1(a.ball_, bits)); }
  friend BallNumber log1p(const BallNumber& a) { return BallNumber(log1p(a.ball_, bits)); }
  friend BallNumber abs(const BallNumber& a) { return BallNumber(abs(a.ball_)); }
  // Of a number known to be non-negative: negative members of the ball are not members of the truth.
  friend BallNumber sqrt(const BallNumber& a) {
    Ball part;
    arb_nonnegative_part(part.raw(), a.ball_.raw());
    return BallNumber(sqrt(part, bits));
  }
  friend BallNumber fmax(const BallNumber& a, const BallNumber& b) {
    return BallNumber(max(a.ball_, b.ball_, bits));
  }
  friend BallNumber fmin(const BallNumber& a, const BallNumber& b) {
    return BallNumber(min(a.ball_, b.ball_, bits));
  }

 private:
  Ball ball_;
};

inline bool positive(const BallNumber& a) {
  return certainly_positive(a.ball());
}
inline bool positive(double a) {
  return a > 0;
}
inline bool at_most(const BallNumber& a, const BallNumber& b) {
  return certainly_at_most(a.ball(), b.ball());
}
inline bool at_most(double a, double b) {
  return a <= b;
}

inline BallNumber number(const Rational& value) {
  return BallNumber(Ball(value, BallNumber::bits));
}

}  // namespace attest
