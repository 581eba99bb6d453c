// What a claim says that a number of a run is between, ends included.
#pragma once

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct StatedBand {
  Rational lo, hi;

  static void words(auto& say, auto& self) { say(self.lo, self.hi); }
};

// Rejects the claim unless all of `found` is within.
void require_within(const Claim& claim, const Interval& found, const StatedBand& band,
                    const std::string& what);

}  // namespace attest_check
