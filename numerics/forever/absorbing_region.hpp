// The absorbing regions of T10 and T11 around the ray w_0 + R_+ u, checked at one point (DYNAMICS.md sections
// 5 and 6).
//
// The hypotheses say that certain constants dominate what they produce: F(constants) <= constants for a
// monotone map F. So if any constants prove the theorem, F's least fixed point does, and with the sharpest
// rate. It is found in doubles from below, inflated slightly, and the inequality is then certified in balls.
#pragma once

#include <optional>

#include "numerics/forever/proof.hpp"

namespace attest {

// Constants that seem to prove T10 (`global`) or T11 at the point with the given P (`inside`); a guess.
// Nothing when the iteration leaves the theorem's domain.
std::optional<RegionConstants> propose_region(const SelectionFacts<double>& facts,
                                              const StartPoint<double>& start, const LaterSteps& steps,
                                              const std::vector<bool>& inside, bool global);

// Certifies every hypothesis of T10 (`global`: all gaps positive, P is everything) or T11 (gradient descent
// and normalised gradient descent only) with these constants. Nothing when one is not certain.
std::optional<ForeverProof> prove_region(const SelectionFacts<BallNumber>& facts,
                                         const StartPoint<BallNumber>& start, const LaterSteps& steps,
                                         const RegionConstants& constants, bool global);

// The sets P worth trying with T11, the largest first: positive gaps above a share of the group's largest,
// and S. Empty when S itself has a gap <= 0 (the selection is not locally optimal).
std::vector<std::vector<bool>> region_sets(const SelectionFacts<double>& facts);

}  // namespace attest
