// Intervals with ends in binary64, rounded outward, and the same few functions on plain doubles: a formula
// written once is a guess in doubles and a proof in intervals.
//
// Every operation on intervals returns one that contains the exact result for every choice of real numbers in
// its arguments. Ends may be infinite; what has no meaning (0/0, the logarithm of a negative number) becomes
// the whole line, never something narrower. `low` and `high` are the ends; of a double, itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/numbers/ball.hpp"

namespace attest {

// numerator/denominator, denominator > 0: an exponent.
struct Exponent {
  long numerator = 1, denominator = 1;
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

class DoubleInterval {
 public:
  DoubleInterval() = default;
  explicit DoubleInterval(double exact) : lo_(exact), hi_(exact) { repair(); }
  DoubleInterval(double lo, double hi) : lo_(lo), hi_(hi) { repair(); }
  explicit DoubleInterval(const Ball& ball) : DoubleInterval(ball.lower_double(), ball.upper_double()) {}

  double lo() const { return lo_; }
  double hi() const { return hi_; }

  friend DoubleInterval operator+(const DoubleInterval& a, const DoubleInterval& b) {
    return {down(a.lo_ + b.lo_), up(a.hi_ + b.hi_)};
  }
  friend DoubleInterval operator-(const DoubleInterval& a, const DoubleInterval& b) {
    return {down(a.lo_ - b.hi_), up(a.hi_ - b.lo_)};
  }
  friend DoubleInterval operator-(const DoubleInterval& a) { return {-a.hi_, -a.lo_}; }
  friend DoubleInterval operator*(const DoubleInterval& a, const DoubleInterval& b) {
    if (a.lo_ >= 0 && b.lo_ >= 0) return {down(times(a.lo_, b.lo_)), up(times(a.hi_, b.hi_))};
    const double one = times(a.lo_, b.lo_), two = times(a.lo_, b.hi_), three = times(a.hi_, b.lo_),
                 four = times(a.hi_, b.hi_);
    return {down(std::min(std::min(one, two), std::min(three, four))),
            up(std::max(std::max(one, two), std::max(three, four)))};
  }
  // The whole line where b contains 0, but for a >= 0 and b >= 0, whose quotients end below only.
  friend DoubleInterval operator/(const DoubleInterval& a, const DoubleInterval& b) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (a.lo_ >= 0 && b.lo_ >= 0 && b.hi_ > 0)
      return {std::isinf(b.hi_) ? 0 : down(a.lo_ / b.hi_), b.lo_ > 0 ? up(a.hi_ / b.lo_) : infinity};
    if (b.lo_ <= 0 && b.hi_ >= 0) return {-infinity, infinity};
    return a * DoubleInterval(down(1 / b.hi_), up(1 / b.lo_));
  }
  DoubleInterval& operator+=(const DoubleInterval& b) { return *this = *this + b; }

  // The next double or the one after it, outward: |x| 2^-52 is at least the distance to the next one.
  static double up(double x) { return x + (std::abs(x) * 0x1p-52 + 0x1p-1074); }
  static double down(double x) { return x - (std::abs(x) * 0x1p-52 + 0x1p-1074); }

 private:
  // Ends that are infinite stand for numbers without bound, and 0 times such a number is 0.
  static double times(double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }
  void repair() {
    if (lo_ <= hi_) return;
    lo_ = -std::numeric_limits<double>::infinity();
    hi_ = std::numeric_limits<double>::infinity();
  }

  double lo_ = 0, hi_ = 0;
};

inline double low(double x) {
  return x;
}
inline double high(double x) {
  return x;
}
inline double low(const DoubleInterval& x) {
  return x.lo();
}
inline double high(const DoubleInterval& x) {
  return x.hi();
}

DoubleInterval exp(const DoubleInterval& x);
DoubleInterval log(const DoubleInterval& x);  // of the positive members
DoubleInterval abs(const DoubleInterval& x);
// x^e for x >= 0 (negative members are left out); 0^e is 0 for e > 0, without bound for e < 0, and x^0 is 1.
DoubleInterval pow(const DoubleInterval& x, const Exponent& e);
inline double pow(double x, const Exponent& e) {
  return e.numerator == 0 ? 1 : std::pow(x, e.value());
}

// An enclosure as an interval, or its middle as a double.
template <typename Number>
Number number(const Ball& ball) {
  if constexpr (std::is_same_v<Number, double>) {
    return ball.approx_mid();
  } else {
    return Number(ball);
  }
}
template <typename Number>
Number number(const Rational& value) {
  return number<Number>(Ball(value, 120));
}
template <typename Number>
Number ratio(const Exponent& e) {
  return Number(static_cast<double>(e.numerator)) / Number(static_cast<double>(e.denominator));
}

}  // namespace attest
