// The direction a run is compared with: u = W*/||W*|| of the problem's SVM, from a claim about its solution,
// with everything the theorems of DYNAMICS.md need of it, exactly or enclosed. Symbols:
// proofs/statements/GLOSSARY.md.
#pragma once

#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/text/context.hpp"

namespace attest_check {

struct ReferenceDirection {
  unsigned bits = 0;
  const SpanElement* centre = nullptr;  // w~
  Interval radius;                      // ||w~ - W*|| <= radius
  Interval norm;                        // ||W*||, positive
  Interval margin;                      // gamma

  // The mu_c, with sum mu_c Delta_c = gamma u; empty when the claim cited does not enclose multipliers.
  // Exactly these constraints have mu_c > 0; all are tight.
  std::vector<Constraint> active;
  std::vector<Interval> weight;

  // gamma_c for the tokens of a group (0 at the selected one).
  std::vector<Interval> slopes(std::size_t group) const;
};

// From an optimal or optimal-enclosure fact (rejected otherwise; with need_multipliers also for form gap,
// which has none) whose problem has a constraint.
ReferenceDirection reference_direction(const Claim& claim, const Fact& fact, unsigned bits,
                                       bool need_multipliers);

}  // namespace attest_check
