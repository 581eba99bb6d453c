// Matrices of balls for sums of many products whose signs or sizes are needed, not their exact values.
#pragma once

#include <arb_mat.h>

#include <cstddef>

#include "numerics/margin_problem.hpp"
#include "numerics/rational.hpp"

namespace attest {

// An Arb matrix with automatic release. Every operation encloses the exact result.
class BallMatrix {
 public:
  BallMatrix(std::size_t rows, std::size_t columns) {
    arb_mat_init(value_, static_cast<slong>(rows), static_cast<slong>(columns));
  }
  ~BallMatrix() { arb_mat_clear(value_); }
  BallMatrix(const BallMatrix&) = delete;
  BallMatrix& operator=(const BallMatrix&) = delete;

  arb_mat_struct* get() { return value_; }
  arb_ptr entry(std::size_t i, std::size_t j) {
    return arb_mat_entry(value_, static_cast<slong>(i), static_cast<slong>(j));
  }

 private:
  arb_mat_t value_;
};

// target := an enclosure of the number (exact for dyadic numbers of at most `bits` bits).
void set_exact(arb_ptr target, const Rational& value, long bits);
void set_exact(arb_ptr target, const Integer& value);
void set_enclosure(arb_ptr target, const Interval& value, long bits);

// The ball as a rational interval. Precondition: finite, ends within 2^+-(2^30) (checked; aborts).
Interval to_interval(arb_srcptr value);

}  // namespace attest
