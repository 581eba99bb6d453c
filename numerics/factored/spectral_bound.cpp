#include "numerics/factored/spectral_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/numbers/decompositions.hpp"
#include "numerics/numbers/dense.hpp"

namespace attest {

double spectral_bound(const Eigen::MatrixXd& f) {
  const Eigen::MatrixXd square = f.transpose() * f;
  const auto size = static_cast<double>(f.rows());
  const double whole = f.squaredNorm() * outward;
  if (!(whole < 0x1p900)) return std::numeric_limits<double>::infinity();
  Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(f.rows(), 1, 2);
  for (Eigen::Index k = 0; k < x.size(); k += 2) x[k] = -x[k];
  double guess = 1;
  for (int round = 0; round < 40; ++round) {
    x /= x.norm();
    const Eigen::VectorXd image = square * x;
    guess = image.norm();
    if (!(guess > 0)) break;
    x = image;
  }
  double c2 = std::max(1.0, guess) * (1 + 0x1p-11);
  for (; c2 < whole; c2 *= 1.01) {
    const Eigen::MatrixXd rest = c2 * Eigen::MatrixXd::Identity(f.rows(), f.rows()) - square;
    if (Eigen::LLT<Eigen::MatrixXd>(rest).info() == Eigen::Success)
      return std::sqrt(c2 + (8 * size + 32) * 0x1p-53 * (size * c2 + whole)) * outward;
  }
  return std::sqrt(whole) * outward;
}

}  // namespace attest
