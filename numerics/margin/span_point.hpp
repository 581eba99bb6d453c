// A combination of constraint vectors with its exact margins, and what it proves by itself: feasibility with
// a duality gap (theory.md T3), or a bound of the margin (T19(a)).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

// W = sum_k numerator[k] 2^-shift Delta_at[k]. The other fields are filled, exactly, by measure().
struct SpanPoint {
  long shift = 0;
  std::vector<Integer> numerator;
  // h_c - m_c(W) = rest[c] / rest_denominator, every constraint; h_c is what its row asks for, 1 or 0.
  std::vector<Integer> rest;
  Integer rest_denominator = 1;
  Rational sum = 0;  // of the coefficients of rows >= 1
  Rational norm_squared = 0;

  Rational residual(std::size_t c) const { return Rational(rest[c], rest_denominator); }
  Integer least_margin_numerator() const;  // over rest_denominator; where all rows are >= 1
};

// `at` strictly increasing. O(groups d e + tokens d) wide products.
void measure(const IntegerConstraints& constraints, const std::vector<std::size_t>& at, const Budget& budget,
             SpanPoint& point);

// Seconds that measure() and fill_gap() are predicted to take with coefficients of `bits` bits: a guess.
double predicted_measure_seconds(const IntegerConstraints& constraints, std::size_t bits);

// Coefficients rounded to 62 bits of the largest from multipliers of the scaled problem.
SpanPoint rounded_point(const ScaledConstraints& scaled, const Eigen::VectorXd& multiplier);

// For a measured point with coefficients >= 0, where all rows are >= 1: when all margins are positive, some
// multiple of W is feasible and `solution` gets everything that the gap to the best multiple of the
// coefficients decides. False: it is left alone.
bool fill_gap(const IntegerConstraints& constraints, const std::vector<std::size_t>& at,
              const SpanPoint& point, MarginSolution& solution);

// For a measured point with coefficients >= 0, not all zero, where all rows are >= 1: every feasible W has
// ||W|| >= sum / ||W(point)||.
MarginBound margin_bound(const IntegerConstraints& constraints, const std::vector<std::size_t>& at,
                         const SpanPoint& point);

// ||Delta_c||^2, exactly.
Rational exact_norm_squared(const IntegerConstraints& constraints, std::size_t c);

}  // namespace attest
