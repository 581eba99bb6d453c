// The Gram matrix of an active set in doubles: its Cholesky factor for refinement, and a certified lower
// bound of the least eigenvalue of the *exact* Gram matrix.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

class ActiveGram {
 public:
  // Factorises the scaled Gram matrix of the constraints listed; nothing when it is not safely positive
  // definite in double precision. Memory: size^2 doubles.
  static std::optional<ActiveGram> factorise(const ScaledConstraints& constraints,
                                             const std::vector<std::size_t>& at);

  // The same with so much of the largest diagonal entry added to the diagonal: for corrections where the
  // constraints depend on each other. It proves nothing. Nothing when even that has no factor.
  static std::optional<ActiveGram> factorise_shifted(const ScaledConstraints& constraints,
                                                     const std::vector<std::size_t>& at, double share);

  std::size_t size() const { return static_cast<std::size_t>(diagonal_.size()); }

  // Approximate solution of G x = b.
  Eigen::VectorXd approx_solve(const Eigen::VectorXd& b) const;

  // A guess, from above, of the least eigenvalue of the scaled Gram matrix (inverse iteration).
  double approx_least_eigenvalue() const;

  double approx_largest_diagonal() const { return diagonal_.maxCoeff(); }

  // True proves lambda_min(G) >= bound > 0 for the exact scaled Gram matrix G (see the proof in
  // active_gram.cpp). False proves nothing. Memory: another size^2 doubles.
  bool proves_least_eigenvalue(double bound) const;
  // A short number that it proves to be such a bound, not far below the least eigenvalue; 0: none is proved.
  double proved_least_eigenvalue(const Budget& budget) const;

 private:
  Eigen::MatrixXd matrix_;  // lower half with diagonal: the factor; strictly upper half: the Gram matrix
  Eigen::VectorXd diagonal_;
  double error_factor_ = 0;
};

}  // namespace attest
