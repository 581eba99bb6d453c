// The maximum-margin solution as the catalogue needs it: all margins m_c(W*), ||W*|| and the rank of W*.
//
// W* = sum lambda_c Delta_c is never stored as constraints x (d e); it is accumulated as a d x e integer
// matrix over one denominator from the solver's multipliers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// A d x e matrix of rationals over one positive denominator, row-major.
struct SharedDenominatorMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<Integer> numerators;
  Integer denominator = 1;
};

// A matrix of exact numbers over their least common denominator. Shape: rows x columns.
SharedDenominatorMatrix over_common_denominator(const ExactArray& values, std::size_t rows,
                                                std::size_t columns, const Budget& budget = Budget());

// Numbers as integers over one denominator, each made when it is asked for: nothing is held.
class WholeNumbers {
 public:
  explicit WholeNumbers(const ExactArray& values) : values_(values) {}

  // Entries [first, last) are to be whole.
  void include(std::size_t first, std::size_t last);
  const Integer& denominator() const { return denominator_; }
  // Entry k, which is included, times the denominator.
  Integer operator[](std::size_t k) const;

 private:
  const ExactArray values_;
  Integer denominator_ = 1;
};

struct OptimumGeometry {
  bool exact = false;               // every interval below is a point
  Interval norm_squared;            // ||W*||^2
  Interval norm;                    // ||W*||
  SharedDenominatorMatrix matrix;   // W* when exact, else the solver's centre within `radius` of it
  Interval radius;                  // upper bound of ||matrix - W*||; 0 when exact
  std::vector<Constraint> support;  // proved, increasing
  // Of problems with few tokens the margins of all, by row; else each sequence's are made when asked for.
  std::vector<Interval> kept;

  // m_c(W*) of each token of the group; 0 for the selected one, exactly 1 on proved support. `data` and
  // `selection` are those of the problem.
  std::vector<Interval> margins(const TokenData& data, const Selection& selection, std::size_t group) const;
  Interval margin(const TokenData& data, const Selection& selection, const Constraint& c) const;
};

// Enclosures for a solved feasible problem with at least one constraint; nothing when the solution carries
// neither an exact optimum nor an enclosure. Throws BudgetReached.
std::optional<OptimumGeometry> optimum_geometry(const TokenData& data, const Selection& selection,
                                                const MarginSolution& solution,
                                                const Budget& budget = Budget());

// ||Delta_c||^2 exactly.
Rational squared_length(const TokenData& data, const Selection& selection, const Constraint& c);

// Rank of an exact matrix: modulo a prime from below; exact elimination when that does not meet
// `upper_bound`. Guaranteed exact; `how` says which of the two decided. Throws BudgetReached before an
// elimination that would not end in time.
struct ExactRank {
  std::size_t rank = 0;
  std::string how;
};
ExactRank exact_rank(const SharedDenominatorMatrix& matrix, std::size_t upper_bound,
                     const Budget& budget = Budget());

}  // namespace attest
