// The exponential function on [0, 1) in fixed point, the core of every exponential of the checker: tables of
// e^(j 2^-8), e^(j 2^-16), e^(j 2^-24) leave a Taylor series of an argument below 2^-24. Lemmas I1 to I4
// stand in the source.
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
  struct Room {
    Integer rest, term, scratch;
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

  static constexpr std::size_t levels = 3, level_bits = 8;
  std::size_t precision_;
  Integer error_, log_two_;
  std::array<std::vector<Integer>, levels>
      table_;  // e^(j 2^(-8 (level + 1))), at most two units below (Lemma I3)
};

}  // namespace attest_check
