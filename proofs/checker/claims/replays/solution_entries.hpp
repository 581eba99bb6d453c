// The direction of a cited solution, entry by entry, which a run is seen against.
#pragma once

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/runs/reference_direction.hpp"

namespace attest_check {

// u = W*/||W*|| of a cited solution by the entries of its centre, row by row.
class SolutionEntries {
 public:
  SolutionEntries(const ReferenceDirection& known, unsigned bits);
  // <x, u>, of ||x|| = length.
  Interval along(const std::vector<Interval>& x, const Interval& length) const;

 private:
  std::vector<Interval> centre_;
  Interval radius_, norm_;
};

}  // namespace attest_check
