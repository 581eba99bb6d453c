// The equations of a solution in the nuclear norm, scaled as ScaledConstraints are: W = K Q' with K = M Q, Q
// = M'K and margins 1 at the active constraints, M the combination of their multipliers. Newton's method
// solves them to any precision. Its matrix is singular along K O, Q O with O skew (K Q' does not change when
// K and Q are turned together), so it is bordered by these directions.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "numerics/norms/nuclear_point.hpp"
#include "numerics/norms/prepared_problem.hpp"

namespace attest {

// The middles, row by row, in doubles.
RowMatrix approx_matrix(const std::vector<Ball>& entries, Eigen::Index rows, Eigen::Index columns);

class NuclearEquations {
 public:
  // The problem must outlive them; with so many bits.
  NuclearEquations(const PreparedProblem& problem, long bits);

  const PreciseRows& rows() const { return rows_; }
  // Newton's method; the derivative is taken anew until residuals are small, then each step gains what it is
  // worth. What was best is kept: a guess.
  void refine(NuclearPoint& point) const;

 private:
  // K - M Q, Q - M'K and 1 - margin at the active constraints: minus the residuals that a step must cancel.
  struct Residuals {
    std::vector<Ball> left, right, margin;
    long exponent() const;
  };
  Residuals residuals(const NuclearPoint& point) const;
  // By (K, Q, multipliers), symmetric but for signs, bordered by the directions in which K Q' stays what it
  // is.
  Eigen::MatrixXd derivative(const NuclearPoint& point) const;

  const PreparedProblem& problem_;
  const long bits_;
  const std::size_t d_, e_;
  const PreciseRows rows_;
};

}  // namespace attest
