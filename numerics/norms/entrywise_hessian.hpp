// Quadratic forms of constraint vectors with a weight for each entry: <Delta_c, weight o Delta_c'>, in
// doubles.
#pragma once

#include <Eigen/Core>

#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

// For all constraints, both halves filled: O(groups^2 d e + constraints^2 d).
void entrywise_hessian(const ScaledConstraints& constraints, const RowMatrix& weight,
                       Eigen::MatrixXd& result);

}  // namespace attest
