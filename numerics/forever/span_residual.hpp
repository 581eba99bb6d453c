// T14: a bounded residual around the natural centre, for a run in the region of T10 or T11 (DYNAMICS.md
// section 8, with dO = 0). Unlike T15 it has no condition on the length of the steps; its constants are
// looser.
#pragma once

#include <optional>

#include "numerics/forever/bounded_residual.hpp"

namespace attest {

// The conclusion of T14 for what `region`, a proof of T10 or T11 from this start, speaks about; any of its
// step rules. Nothing when a bound is too large to be enclosed.
std::optional<ForeverProof> prove_span_residual(const SelectionFacts<BallNumber>& facts,
                                                const SupportFacts<BallNumber>& support,
                                                const StartPoint<BallNumber>& start,
                                                const ForeverProof& region);

}  // namespace attest
