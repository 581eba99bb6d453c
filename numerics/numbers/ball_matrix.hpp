// Matrices of balls for sums of many products whose signs or sizes are needed, not their exact values.
#pragma once

#include <arb_mat.h>

#include <cstddef>

#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/interval.hpp"

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

  arb_mat_struct* raw() { return value_; }
  arb_ptr entry(std::size_t i, std::size_t j) {
    return arb_mat_entry(value_, static_cast<slong>(i), static_cast<slong>(j));
  }
  void set(std::size_t i, std::size_t j, const Ball& value) { arb_set(entry(i, j), value.raw()); }

 private:
  arb_mat_t value_;
};

// What Arb's product of an m x k and a k x n matrix takes at most, which cannot be interrupted: 40 ns a
// product of balls of two words.
inline double predicted_product_seconds(std::size_t m, std::size_t k, std::size_t n, long bits) {
  return 4e-8 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n) *
         static_cast<double>(bits + 128) / 256;
}

// The ball as a rational interval. Precondition: finite.
inline Interval to_interval(const Ball& value) {
  return {value.lower(), value.upper()};
}

}  // namespace attest
