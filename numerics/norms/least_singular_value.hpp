// A lower bound of the least singular value of a square matrix, from an approximate inverse in doubles.
#pragma once

#include <Eigen/Core>

namespace attest {

// At most the least singular value of every matrix within `error`, in the Frobenius norm, of this one; 0 when
// none is proved.
double least_singular_value(const Eigen::MatrixXd& matrix, double error);

}  // namespace attest
