// Where an iteration is that encloses a state other than W (two factors; attention and decoder).
#pragma once

#include <cstdint>
#include <string>

namespace attest {

class IterationProgress {
 public:
  std::uint64_t step() const { return step_; }
  // By how many bits errors have grown; a guess, for statistics and for the precision of later attempts.
  double growth_bits() const { return growth_bits_; }
  // As EnclosedPoint's.
  const std::string& obstacle() const { return obstacle_; }

 protected:
  std::uint64_t step_ = 0;
  long bits_ = 0;  // of the last evaluation
  double growth_bits_ = 0;
  std::string obstacle_;
};

}  // namespace attest
