// The problem that the attention tends to when both steps are normalised (theory.md section 13, case (b)):
// samples off the decoder's support ask for less, by how fast the decoder leaves them behind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/catalogue/joint_problems.hpp"
#include "numerics/joint/shifted_direction.hpp"

namespace attest {

struct ShiftedProblem {
  Rational ratio;            // eta_v/eta_W
  std::vector<Ball> excess;  // e_i = Y_i x_{i,alpha_i}'v*/||v*|| - 1/||v*|| by sequence, 0 on the support
  // Nothing while the direction, or the decoder it depends on, is undecided; `reason` says why.
  std::optional<ShiftedDirection> solution;
  std::string reason;

  // Whether every selected token wins along the direction, which the limit needs; open when neither is
  // proved.
  std::optional<bool> selects() const;
};

// The decoder's rows, in which the constraint of sequence i is (i, alpha_i).
EnclosedRows decoder_rows(const TokenData& decoder, const Selection& selection);

ShiftedProblem solve_shifted_problem(const JointProblems& problems, const TokenData& data,
                                     const Selection& selection, const Rational& ratio, const Budget& budget);

}  // namespace attest
