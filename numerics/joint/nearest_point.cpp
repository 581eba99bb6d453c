#include "numerics/joint/nearest_point.hpp"

#include <algorithm>
#include <cmath>

namespace attest {

// Weight moves from the point that is farthest along the combination to the one that is nearest, by the best
// amount (Mitchell, Demyanov and Malozemov).
Eigen::VectorXd nearest_point(const Eigen::MatrixXd& points) {
  const Eigen::MatrixXd gram = points.transpose() * points;
  Eigen::VectorXd weight = Eigen::VectorXd::Constant(gram.rows(), 1.0 / static_cast<double>(gram.rows()));
  Eigen::VectorXd along = gram * weight;
  for (int round = 0; round < 2000; ++round) {
    Eigen::Index to = 0, from = -1;
    along.minCoeff(&to);
    for (Eigen::Index k = 0; k < weight.size(); ++k) {
      if (weight[k] > 0 && (from < 0 || along[k] > along[from])) from = k;
    }
    const double gap = along[from] - along[to];
    if (!(gap > 1e-13 * weight.dot(along))) break;
    const double curvature = gram(from, from) - 2 * gram(from, to) + gram(to, to);
    const double moved = std::min(weight[from], curvature > 0 ? gap / curvature : weight[from]);
    weight[from] -= moved;
    weight[to] += moved;
    along += moved * (gram.col(to) - gram.col(from));
  }
  return weight;
}

}  // namespace attest
