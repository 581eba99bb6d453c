// The constraint vectors of a margin problem in doubles, scaled by powers of two into range, with the
// relative error of each entry known: raw material for guesses and for rigorous double-precision bounds.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/problem/integer_constraints.hpp"

namespace attest {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Delta_c = 2^exponent (dx_c z_i') with dx_c = row c of `difference` and z_i = row i of `query`, up to
// rounding: every entry is within (1 + 2^-51) relatively, or 2^-1070 absolutely, of its exact value. Largest
// magnitudes are in [1/2, 2].
struct ScaledConstraints {
  RowMatrix difference;            // constraints x d
  RowMatrix query;                 // groups x e
  std::vector<std::size_t> group;  // of each constraint
  std::vector<std::size_t> first;  // constraints of group i are [first[i], first[i + 1])
  Eigen::VectorXd query_norm_squared;
  Eigen::VectorXd norm_squared;  // ||dx_c||^2 ||z_i||^2, a guess within 1e-12
  long exponent = 0;

  std::size_t size() const { return group.size(); }
  Eigen::Index d() const { return difference.cols(); }
  Eigen::Index e() const { return query.cols(); }
};

ScaledConstraints scale_constraints(const IntegerConstraints& constraints, const Budget& budget);

// Gram matrix (both halves filled) of the scaled constraints listed. With t the exact trace, the spectral
// norm of the error is at most gram_error_factor(d, e) * t + size^2 2^-1000.
Eigen::MatrixXd scaled_gram(const ScaledConstraints& constraints, const std::vector<std::size_t>& at);
double gram_error_factor(Eigen::Index d, Eigen::Index e);

// W = sum_k value[k] dx_at[k] z' (d x e), and the margins <dx_c z', W> of every constraint: guesses.
RowMatrix approx_combination(const ScaledConstraints& constraints, const std::vector<std::size_t>& at,
                             const Eigen::VectorXd& value);
Eigen::VectorXd approx_margins(const ScaledConstraints& constraints, const RowMatrix& w);

}  // namespace attest
