// Rigorous bounds of singular values in doubles.
#pragma once

#include <Eigen/Dense>

namespace attest {

// A bound of the largest singular value, at least 1, by Cholesky factorisations of c^2 I - F'F (Demmel;
// Higham, Thm 10.3).
double spectral_bound(const Eigen::MatrixXd& f);

}  // namespace attest
