// The constraints of a margin problem as rows of length one, in doubles: <a_c, W> >= offset_c with
// a_c = Delta_c / ||Delta_c||. Raw material of guesses; kernels use all cores, with results that do not
// depend on their number.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

class UnitRows {
 public:
  // Keeps a reference. Rows that vanish in doubles stay as they are, with offset 1.
  explicit UnitRows(const ScaledConstraints& constraints);

  std::size_t size() const { return constraints_.size(); }
  std::size_t unknowns() const { return static_cast<std::size_t>(constraints_.d() * constraints_.e()); }
  const ScaledConstraints& constraints() const { return constraints_; }
  const Eigen::VectorXd& offset() const { return offset_; }

  // sum_c value_c a_c (d x e). O(rows d + groups d e).
  RowMatrix combination(const Eigen::VectorXd& value) const;

  // <a_c, W> of every row, the same cost.
  Eigen::VectorXd margins(const RowMatrix& w) const;

  // <a_c, a_c~> over the rows listed; the lower half alone is filled. Polls the budget by strips.
  Eigen::MatrixXd gram(const std::vector<std::size_t>& at, const Budget& budget) const;

  // sum over the rows listed (increasing) of a_c a_c' as a matrix of order d e, entry (j e + k) of W by row;
  // both halves filled. O(groups d^2 e^2 / 2). Polls the budget by strips.
  Eigen::MatrixXd normal_matrix(const std::vector<std::size_t>& at, const Budget& budget) const;

 private:
  const ScaledConstraints& constraints_;
  Eigen::VectorXd offset_;  // 1 / length
};

}  // namespace attest
