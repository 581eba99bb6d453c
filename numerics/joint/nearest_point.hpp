// The point of a convex hull nearest to the origin, in doubles: a guess.
#pragma once

#include <Eigen/Core>

namespace attest {

// Weights >= 0 of sum 1 for the columns of `points`, of which there is one at least.
Eigen::VectorXd nearest_point(const Eigen::MatrixXd& points);

}  // namespace attest
