// The one point w_0 from which a theorem speaks about all later steps: enclosures of what its hypotheses
// test. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/forever/selection_facts.hpp"
#include "numerics/runs/point.hpp"

namespace attest {

template <typename Number>
struct StartPoint {
  std::uint64_t step = 0;       // t0: the step sizes from here on are eta_t0, eta_{t0+1}, ...
  std::vector<Number> margins;  // m_c(w_0), per constraint of the SelectionFacts
  std::vector<Number> offsets;  // m_c(w_0) - gamma y_0
  Number height{0.0};           // y_0 = <w_0, u>
  Number residual{0.0};         // ||w_0 - y_0 u||
  Number loss_gap{0.0};         // L(w_0) - sum wt_i l(max_t g_it)
};

// The exact trajectory's point at the observer's current step. `point` as observed there, with its groups;
// the observer's direction must be the facts' one.
StartPoint<BallNumber> start_point(const SelectionFacts<BallNumber>& facts, const RunObserver& observer,
                                   const RunPoint& point);

// Every W with ||W - entries||_F <= radius; entries d x e exact. The step counts as t0 = `step`. Throws
// BudgetReached.
StartPoint<BallNumber> start_point(const SelectionFacts<BallNumber>& facts, const RunGeometry& geometry,
                                   const ReferenceDirection& direction, const ExactArray& entries,
                                   const Rational& radius, std::uint64_t step,
                                   const Budget& budget = Budget());

// Midpoints.
StartPoint<double> approximate(const StartPoint<BallNumber>& point);

}  // namespace attest
