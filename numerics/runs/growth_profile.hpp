// How errors are thought to grow along a run: a guess, from which the bits are chosen that its steps take.
#pragma once

#include <cstdint>
#include <vector>

namespace attest {

class GrowthProfile {
 public:
  // At step t, later than any before, a step multiplies errors by 2^bits.
  void sample(std::uint64_t t, double bits);

  // What all steps before t multiply errors by, as a power of two: between samples growth changes evenly;
  // after the last one it stays what it was for three times as long, then errors grow no more.
  double until(std::uint64_t t) const;
  // The most that a step from t on was seen to multiply errors by, as a power of two.
  double most_from(std::uint64_t t) const;
  bool empty() const { return samples_.empty(); }

 private:
  struct Sample {
    std::uint64_t step;
    double bits, before;  // of this step, of all steps before it
  };
  std::vector<Sample> samples_;
};

}  // namespace attest
