// The enclosure tier of the margin solver: proves an active set and encloses multipliers and solution, or
// reports what stands against it. All residuals are exact integers; the only rounded quantity a proof uses is
// the eigenvalue bound.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/margin/active_gram.hpp"
#include "numerics/margin/solution.hpp"
#include "numerics/margin/span_point.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

// The refinement of one active set: multipliers as integers over a power of two, with the exact residuals
// they leave.
class ActiveRefinement {
 public:
  // References are kept. `at` strictly increasing; `multiplier` a guess for the scaled problem.
  ActiveRefinement(const IntegerConstraints& constraints, const ScaledConstraints& scaled,
                   const ActiveGram& gram, const std::vector<std::size_t>& at,
                   const Eigen::VectorXd& multiplier, const Budget& budget);

  // Refines until ||w - w(multipliers)|| is provably (given the eigenvalue bound) below 2^-bits ||w||. False
  // when the eigenvalue bound cannot be proved in double precision or refinement stalls.
  bool refine(long bits);

  // Refines until every margin listed is within 2^-bits of 1, with whatever `gram` is near; false when that
  // stalls. Says nothing of radii.
  bool balance(long bits);

  // What the signs say after refine(). Constraints that certainly leave (negative multiplier) or enter
  // (margin below one) refute the active set; open ones could not be decided at this precision.
  struct Signs {
    std::vector<std::size_t> leaving, entering, open;
    bool proved() const { return leaving.empty() && entering.empty() && open.empty(); }
    // An active set, increasing, without those that leave and with those that enter.
    std::vector<std::size_t> exchanged(const std::vector<std::size_t>& active) const;
  };
  Signs signs() const;

  // Constraints listed with a negative multiplier.
  std::vector<std::size_t> negative() const;

  // The evidence; call when signs().proved().
  EnclosedOptimum enclosed(long bits) const;

  // Duality-gap evidence from the same multipliers: see fill_gap in span_point.hpp.
  bool fill_gap(MarginSolution& solution) const;

  long working_bits() const { return working_bits_; }

 private:
  void measure();
  bool correct(long bits);
  bool prove_eigenvalue();
  Rational value(const Integer& numerator) const;
  ConstraintVector vector(const std::vector<Integer>& numerators, const Rational& factor) const;

  const IntegerConstraints& constraints_;
  const ScaledConstraints& scaled_;
  const ActiveGram& gram_;
  const std::vector<std::size_t>& at_;
  const Budget& budget_;
  SpanPoint point_;              // W(multipliers); multiplier k is numerator[k] * 2^-shift
  double least_eigenvalue_ = 0;  // certified, of the scaled problem
  Rational lambda_min_ = 0;
  Rational radius_ = 0;
  Rational multiplier_radius_ = 0;
  long working_bits_ = 0;
};

}  // namespace attest
