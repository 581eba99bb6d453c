#include "numerics/margin/active_gram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/margin/tiled_cholesky.hpp"

namespace attest {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// A truncation of `value` to 8 significant bits, so that the certified bound is a short number.
double short_below(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::floor(fraction * 256), exponent - 8);
}

}  // namespace

std::optional<ActiveGram> ActiveGram::factorise(const ScaledConstraints& constraints,
                                                const std::vector<std::size_t>& at) {
  ActiveGram gram;
  gram.matrix_ = scaled_gram(constraints, at);
  gram.diagonal_ = gram.matrix_.diagonal();
  gram.error_factor_ = gram_error_factor(constraints.d(), constraints.e());
  if (!factorise_cholesky(gram.matrix_)) return std::nullopt;
  for (Index a = 0; a < gram.diagonal_.size(); ++a) {
    const double pivot = gram.matrix_(a, a);
    if (!(pivot * pivot > 1e-14 * gram.diagonal_[a])) return std::nullopt;
  }
  return gram;
}

std::optional<ActiveGram> ActiveGram::factorise_shifted(const ScaledConstraints& constraints,
                                                        const std::vector<std::size_t>& at, double share) {
  ActiveGram gram;
  gram.matrix_ = scaled_gram(constraints, at);
  gram.diagonal_ = gram.matrix_.diagonal();
  gram.matrix_.diagonal().array() += share * gram.diagonal_.maxCoeff();
  gram.error_factor_ = std::numeric_limits<double>::infinity();
  if (!factorise_cholesky(gram.matrix_)) return std::nullopt;
  return gram;
}

VectorXd ActiveGram::approx_solve(const VectorXd& b) const {
  VectorXd x = matrix_.triangularView<Eigen::Lower>().solve(b);
  matrix_.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
  return x;
}

double ActiveGram::approx_least_eigenvalue() const {
  VectorXd v(diagonal_.size());
  for (Index a = 0; a < v.size(); ++a) v[a] = 1 + 0.5 * std::sin(static_cast<double>(a + 1) * 1.618);
  double estimate = 0;
  for (int round = 0; round < 8; ++round) {
    v.normalize();
    v = approx_solve(v);
    estimate = 1 / v.norm();
  }
  return estimate;
}

// Let A be the computed Gram matrix, t its trace, k its order, u = 2^-53, and let Cholesky run to completion
// on fl(A - s I). Whatever the order of the sums, its factor R satisfies R'R = fl(A - s I) + E with |E| <= g
// |R'| |R| entrywise, g = (k + c) u / (1 - (k + c) u) (Higham, Theorem 10.3; c covers a reciprocal used in
// place of a division), so ||E|| <= g ||R||_F^2 <= g t / (1 - g). R'R is positive semidefinite, the diagonal
// was rounded by at most u t, and the Gram matrix itself is off by error_factor * t (scaled_constraints.hpp);
// hence
//     lambda_min(G) >= s - t (2 (k + 16) u + u + 2 error_factor) - k^2 2^-1000,
// the last term for underflow. (S. M. Rump, Verification of positive definiteness, BIT 46, 2006.)
bool ActiveGram::proves_least_eigenvalue(double bound) const {
  const auto k = static_cast<double>(diagonal_.size());
  const double trace = diagonal_.sum();
  const double error = trace * ((k + 20) * 0x1p-51 + 2 * error_factor_) + k * k * 0x1p-1000;
  const double shift = bound + 2 * error;
  if (!(bound > 0) || !std::isfinite(shift)) return false;
  MatrixXd shifted(diagonal_.size(), diagonal_.size());
  shifted.triangularView<Eigen::StrictlyLower>() = matrix_.triangularView<Eigen::StrictlyUpper>().transpose();
  shifted.diagonal() = diagonal_.array() - shift;
  return has_cholesky_factor(shifted);
}

double ActiveGram::proved_least_eigenvalue(const Budget& budget) const {
  const double estimate = approx_least_eigenvalue();
  for (const double part : {0.5, 0.125, 0.015625}) {
    budget.poll();
    const double bound = short_below(part * estimate);
    if (proves_least_eigenvalue(bound)) return bound;
  }
  return 0;
}

}  // namespace attest
