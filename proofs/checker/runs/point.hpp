// One point of a run or of a claim about all later steps: what the theorems of DYNAMICS.md need to know of
// it.
#pragma once

#include <vector>

#include "proofs/checker/runs/head.hpp"
#include "proofs/checker/runs/reference_direction.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {

// All members enclose the exact values at one matrix W.
struct RunPoint {
  std::vector<std::vector<Interval>>
      margin;         // per group and token, against the problem's selection; 0 for itself
  Interval norm;      // ||W||, which owes nothing to how well u is known
  Interval height;    // y = <W, u>
  Interval residual;  // ||W - y u||
  Interval loss_gap;  // L - L*
};

// The position of one matrix along u and how far it is from that line.
struct PathPoint {
  Interval height;            // y = <W, u>
  Interval residual_squared;  // ||W - y u||^2
};

// W z_i for each group (left entries each), integers over `denominator`; start as in StartPoint.
struct StartImage {
  Integer denominator = 1;
  std::vector<std::vector<Integer>> rows;
};
StartImage start_image(const Features& features, const StartPoint& start);

// ||W_0||^2, exactly.
Rational squared_norm(const StartPoint& start);

// The point W_0 itself.
RunPoint start_point_facts(const ReferenceDirection& direction, const StartPoint& start, unsigned bits);

}  // namespace attest_check
