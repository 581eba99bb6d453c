// Enclosures of real numbers, by Arb.
#pragma once

#include <arb.h>
#include <flint/fmpq.h>

#include "tests/oracle/dataset.hpp"

namespace reference {

// An Arb ball with value semantics enough for a formula.
class Ball {
 public:
  explicit Ball(slong precision) : precision_(precision) { arb_init(value_); }
  Ball(const Number& number, slong precision) : Ball(precision) {
    fmpq_t exact;
    fmpq_init(exact);
    fmpq_set_mpq(exact, number.get_mpq_t());
    arb_set_fmpq(value_, exact, precision_);
    fmpq_clear(exact);
  }
  Ball(const Ball& other) : Ball(other.precision_) { arb_set(value_, other.value_); }
  Ball& operator=(const Ball& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~Ball() { arb_clear(value_); }

  friend Ball operator+(const Ball& a, const Ball& b) {
    Ball c(a.precision_);
    arb_add(c.value_, a.value_, b.value_, a.precision_);
    return c;
  }
  friend Ball operator*(const Ball& a, const Ball& b) {
    Ball c(a.precision_);
    arb_mul(c.value_, a.value_, b.value_, a.precision_);
    return c;
  }
  friend Ball operator/(const Ball& a, const Ball& b) {
    Ball c(a.precision_);
    arb_div(c.value_, a.value_, b.value_, a.precision_);
    return c;
  }
  Ball exponential() const {
    Ball c(precision_);
    arb_exp(c.value_, value_, precision_);
    return c;
  }
  Ball root() const {
    Ball c(precision_);
    arb_sqrt(c.value_, value_, precision_);
    return c;
  }
  bool surely_at_least(const Ball& other) const { return arb_ge(value_, other.value_) != 0; }
  bool surely_below(const Ball& other) const { return arb_lt(value_, other.value_) != 0; }
  double middle() const { return arf_get_d(arb_midref(value_), ARF_RND_NEAR); }

 private:
  slong precision_;
  arb_t value_;
};

}  // namespace reference
