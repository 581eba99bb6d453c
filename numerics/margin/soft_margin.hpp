// A W that separates as many groups as a soft margin in doubles finds. Nothing here is a verdict.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

// Minimises ||W||^2 / 2 + sum_i C_i max(0, 1 - least margin of group i) by ascent on its dual (multipliers >=
// 0, at most C_i in group i together), one group at a time.
class SoftMargin {
 public:
  // Keeps the reference. O(constraints + d e) memory.
  explicit SoftMargin(const ScaledConstraints& constraints);

  // What a group may weigh from here on; 0 leaves it out.
  void set_weight(std::size_t group, double weight);
  double weight(std::size_t group) const { return weight_[group]; }

  // One pass over all groups: O(groups d e + constraints d).
  void sweep();

  const RowMatrix& w() const { return w_; }
  const Eigen::VectorXd& multiplier() const { return multiplier_; }

 private:
  void visit(std::size_t group);
  void move(std::size_t c, std::size_t begin, std::size_t count, double step, double query_norm);

  const ScaledConstraints& constraints_;
  RowMatrix w_;
  Eigen::VectorXd multiplier_;
  std::vector<double> weight_, load_;  // of groups; load: the sum of its multipliers
  Eigen::VectorXd margin_, change_;    // of the group at hand
};

struct SeparableGuess {
  std::vector<std::size_t> at;        // constraint numbers, increasing
  Eigen::VectorXd value;              // W = sum value_k D_at[k]
  std::vector<std::size_t> violated;  // groups with a margin that is not positive, increasing
  std::vector<double> shortfall;      // of each of them: its least margin against the largest one of 1; <= 0
};

// The best W of a fixed amount of work: growing weights, then several rounds in which the groups that are
// violated lose weight. Groups with leave_out[i] are not looked at and never listed (empty: all are).
// Deterministic. A reached budget ends it with the best so far; it throws only if there is none.
SeparableGuess guess_separable_groups(const ScaledConstraints& constraints,
                                      const std::vector<bool>& leave_out, const Budget& budget);

}  // namespace attest
