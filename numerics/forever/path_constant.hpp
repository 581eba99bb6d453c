// The constant of T9's path inequality at one point of a run (theory.md section 4, DYNAMICS.md section 3).
// Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include "numerics/forever/start_point.hpp"

namespace attest {

// With the centre 0, the factors b_c of the point itself and P all constraints with b_c > 0 there: T9's
// constant for the step from it, or T9s's smaller one. `start` is `point`. Not finite when the hypotheses are
// not certain.
Ball path_constant(const SelectionFacts<BallNumber>& facts, const StartPoint<BallNumber>& start,
                   const OptimizerSpec& spec, const RunPoint& point);

}  // namespace attest
