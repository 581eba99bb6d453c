// T17: the limit of mirror descent at all later steps, from one point of it (MIRROR.md sections 3 to 8, 11
// and 13).
#pragma once

#include <vector>

#include "proofs/checker/claims/mirror/setting.hpp"

namespace attest_check {

// Phi rises by this slope of zeta^max(1,Q-1) up to that height.
struct MirrorPiece {
  Rational until, slope;

  static void words(auto& say, auto& self) { say("until", self.until, "slope", self.slope); }
};

// What the conditions are verified with: any numbers will do for which they hold.
struct MirrorRegionPlan {
  std::vector<Rational> floors;     // of margins, at all later steps
  std::vector<MirrorPiece> pieces;  // of heights
  Rational last_slope;              // beyond the last of them
};

// For all later steps, zeta = <Z,u>: 1 - zeta/||Z||_Q <= rate/zeta^min(1,Q-1); zeta+ >= zeta + growth eta,
// where steps are normalised; 1 - s <= unselected for every selected token.
struct MirrorConclusion {
  Rational rate;
  std::optional<Rational> growth;
  Rational unselected;

  static void words(auto& say, auto& self) {
    say("rate", self.rate, "growth", self.growth, "unselected", self.unselected);
  }
};

// Rejects the claim unless T17's conditions hold and imply the conclusion. Throws Imprecise where the working
// precision decides nothing.
void require_mirror_region(const MirrorPoint& point, const MirrorRegionPlan& plan,
                           const MirrorConclusion& conclusion);

}  // namespace attest_check
