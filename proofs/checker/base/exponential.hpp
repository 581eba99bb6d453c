// The exponential function on [0, 1) in fixed point, the core of every exponential of the checker: tables of
// e^(j 2^-8), e^(j 2^-16), e^(j 2^-24) leave a Taylor series of an argument below 2^-24, whose sum takes
// limbs as far as each term needs. Lemmas I1 to I4 stand in the source.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "proofs/checker/base/exact.hpp"

namespace attest_check {

// Numbers are integers in units of 2^-precision.
class UnitExponential {
 public:
  // The tables of one precision, built on first use and kept for all threads.
  static const UnitExponential& at(std::size_t precision);

  // What a computation needs beside its result, for many of them.
  using Limbs = std::vector<mp_limb_t>;
  struct Room {
    Limbs rest, sum, product;
  };
  // result <= e^r <= result + error(), 0 <= r < 1 (Lemma I4).
  void operator()(Integer& result, const Integer& r, Room& room) const;
  void operator()(Integer& result, const Integer& r) const {
    Room room;
    (*this)(result, r, room);
  }
  const Integer& error() const { return error_; }
  // log 2 within [log_two(), log_two() + log_two_error] units (Lemma I1).
  static constexpr long log_two_error = 1L << 8;
  const Integer& log_two() const { return log_two_; }

 private:
  explicit UnitExponential(std::size_t precision);
  void fill_tables();
  void fill_series();
  // sum = e^x - 1, x = room.rest < 2^-24.
  void sum_series(Room& room) const;

  static constexpr std::size_t levels = 3, level_bits = 8;
  std::size_t precision_, limbs_;  // of the fine units 2^-64 limbs
  Integer error_, log_two_;
  std::array<Limbs, levels> table_;  // e^(j 2^(-8 (level + 1))) over 4 at level 0, else 2 (Lemma I3)
  std::vector<Limbs> inverse_;       // 1/k! for k = 2, 3, ..., as many limbs as its sum from there on needs
};

}  // namespace attest_check
