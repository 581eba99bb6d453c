// Both margin problems of training decoder and attention together (papers.md A.vsvm, A.joint), decided with
// proof.
#pragma once

#include <optional>
#include <vector>

#include "certify/instance/instance.hpp"
#include "numerics/margin/solution.hpp"

namespace attest {

struct JointProblems {
  // min ||v|| with Y_i v'x_{i,selected} >= 1 for every sequence; constraints are (i, selected_i).
  TokenData decoder_data;
  MarginSolution decoder;
  // Sequences whose margin at the decoder's solution is 1, once that is known, and the others.
  std::optional<std::vector<std::size_t>> supporting;
  std::vector<std::size_t> relaxed;
  // min ||W|| with margins >= 1, in relaxed sequences >= 0; once the decoder's support is known.
  std::optional<MarginSolution> attention;

  // Both problems': infeasible if one is, for then there is no limit of both.
  Feasibility feasibility() const;
  // Why they are not decided; empty when they are.
  std::string reason() const;
  // No constraint of the attention asks for a margin of 1: W* = 0. `data`: the instance's.
  bool vacuous(const TokenData& data) const;
};

// Of an instance with Y and v; the selected tokens have one row of X each (sequence_without_row()).
JointProblems solve_joint_problems(const Instance& instance, const TokenData& data,
                                   const Selection& selection, const MarginOptions& options);

}  // namespace attest
