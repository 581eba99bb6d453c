// Ownership of an Arb ball and nothing else: inner loops call the arb_* functions in place, without temporaries.
#pragma once

#include <arb.h>

#include <cstddef>
#include <vector>

namespace attest {

// One arb_t, initialised to 0, freed on destruction. Copies copy the ball exactly.
class ArbHandle {
 public:
  ArbHandle() { arb_init(ball_); }
  ArbHandle(const ArbHandle& other) : ArbHandle() { arb_set(ball_, other.ball_); }
  ArbHandle(ArbHandle&& other) noexcept : ArbHandle() { arb_swap(ball_, other.ball_); }
  ArbHandle& operator=(const ArbHandle& other) {
    arb_set(ball_, other.ball_);
    return *this;
  }
  ArbHandle& operator=(ArbHandle&& other) noexcept {
    arb_swap(ball_, other.ball_);
    return *this;
  }
  ~ArbHandle() { arb_clear(ball_); }

  operator arb_ptr() { return ball_; }              // NOLINT: passes to arb_* functions as they are
  operator arb_srcptr() const { return ball_; }     // NOLINT

 private:
  arb_t ball_;
};

// One mag_t (an upper bound with a 30-bit mantissa and unbounded exponent), initialised to 0.
class MagHandle {
 public:
  MagHandle() { mag_init(value_); }
  MagHandle(const MagHandle& other) : MagHandle() { mag_set(value_, other.value_); }
  MagHandle& operator=(const MagHandle& other) {
    mag_set(value_, other.value_);
    return *this;
  }
  ~MagHandle() { mag_clear(value_); }

  operator mag_ptr() { return value_; }           // NOLINT
  operator mag_srcptr() const { return value_; }  // NOLINT

 private:
  mag_t value_;
};

}  // namespace attest
