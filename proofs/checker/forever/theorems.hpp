// The theorems about all later steps (DYNAMICS.md sections 5 to 9): hypotheses checked at one point.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "proofs/checker/runs/point.hpp"
#include "proofs/checker/text/certificate.hpp"

namespace attest_check {

enum class Theorem { absorbing, local, lock_in, bounded };

// What T14 needs besides a region, T10's or T11's.
struct SpanEvidence {
  Rational path;               // M of the region
  EigenvalueBound eigenvalue;  // of the Gram matrix of S
};

// Constants of a theorem, per group with more than one token; what a theorem does not use is empty or 0.
struct ForeverEvidence {
  Theorem theorem = Theorem::absorbing;
  std::optional<SpanEvidence> span;  // the theorem is T14, in the region of `theorem`
  Rational step_bound;               // h; absorbing (gd, or with span), local and bounded
  Rational ratio;                    // local and bounded: rho_bar
  Rational extra, theta;             // local: C1, theta
  Rational reach;                    // bounded: dX
  EigenvalueBound eigenvalue;        // bounded: of the Gram matrix of S
  ConstraintVector pull;             // bounded: e_0 = sum pull_c Delta_c, nearly
  std::vector<Constraint>
      outside;  // local and bounded: constraints with a positive gap that are in N, increasing
  std::vector<Rational> output;     // absorbing: phi_i; lock-in: flo_i
  std::vector<Rational> attention;  // all but lock-in: eps_i
};

// For s >= 0: ||w_s - y_s u - p|| <= sqrt(excess + path (y_s - y_0)), ||p|| <= centre, y_0 >= height, and the
// growth of y_s; from step dominates_from of the iteration on, more than half of every group's attention is
// on its selected token (RUNS.md section 1).
struct ForeverConclusion {
  Rational path, excess, centre, height, growth;
  bool logarithmic = false;
  std::optional<std::size_t> dominates_from;
};

// Rejects the claim unless the theorem's hypotheses hold at the point, with steps of the specification from
// index `step` on, and imply the conclusion. Throws Imprecise where the working precision decides nothing.
void require_forever(const Claim& claim, const ReferenceDirection& direction,
                     const Specification& specification, std::size_t step, const RunPoint& point,
                     const ForeverEvidence& evidence, const ForeverConclusion& conclusion);

}  // namespace attest_check
