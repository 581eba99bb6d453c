#include "numerics/norms/least_singular_value.hpp"

#include "numerics/numbers/decompositions.hpp"

namespace attest {

// With X the inverse found and D = I - X A, |D| <= share < 1 in the Frobenius norm: |x| <= |X A x| + |D x|,
// so |A x| >= (1 - share)/|X| |x|. A product of n terms in doubles is off by at most n 2^-52 |X| |A| (sums in
// any order, n < 2^20), the subtraction by 2^-52 (n + |X| |A|), the norms by 2^-30 of themselves at most.
double least_singular_value(const Eigen::MatrixXd& matrix, double error) {
  const auto n = static_cast<double>(matrix.rows());
  if (!matrix.allFinite() || n >= 0x1p20) return 0;
  const Eigen::MatrixXd inverse = matrix.partialPivLu().inverse();
  if (!inverse.allFinite()) return 0;
  const Eigen::MatrixXd rest = Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()) - inverse * matrix;
  const double up = 1 + 0x1p-30, length = inverse.norm() * up;
  const double rounding = (n + 2) * 0x1p-52 * (length * matrix.norm() * up + 1);
  const double share = (rest.norm() + rounding + length * error) * up * up;
  if (!(share < 0.5) || !(length > 0x1p-500) || !(length < 0x1p500)) return 0;
  return (1 - share) / length * (1 - 0x1p-30);
}

}  // namespace attest
