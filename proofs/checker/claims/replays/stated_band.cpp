// Bands of numbers of a run: see claims/replays/stated_band.hpp.
#include "proofs/checker/claims/replays/stated_band.hpp"

namespace attest_check {

void require_within(const Claim& claim, const Interval& found, const StatedBand& band,
                    const std::string& what) {
  claim.require_at_most(band.lo, found.lower(), what + ", lower bound");
  claim.require_at_most(found.upper(), band.hi, what + ", upper bound");
}

}  // namespace attest_check
