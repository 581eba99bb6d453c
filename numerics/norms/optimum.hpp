// The margin problem in any norm, min N(W) subject to all margins >= 1, with what proves its value on both
// sides (theory.md T5): a matrix with margins >= 1, and multipliers whose combination has a known dual norm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/norms/norm.hpp"
#include "numerics/norms/nuclear_point.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/interval.hpp"

namespace attest {

// Row-major entries numerator / denominator.
struct WrittenMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<Integer> numerator;
  Integer denominator = 1;
};

// Established, field by field, in exact or outward-rounded arithmetic.
struct NormOptimum {
  Interval value;                // of the least norm, 0 <= lo
  WrittenMatrix left, right;     // W, or K and Q with W = K Q' (nuclear): all margins >= 1, norm <= value.hi
  ConstraintVector multipliers;  // positive; the dual norm of their combination is at most dual_bound
  Rational dual_bound;           // and their sum at least value.lo dual_bound
  unsigned bits = 0;             // with which the checker's procedures prove these norms
  // Of strictly convex norms, N(W* - W) <= distance for the solution W*; then all constraints that can have
  // margin 1 at W*, and whether all constraints with score gap <= 0 are certainly not among them.
  std::optional<Rational> distance;
  std::optional<std::vector<Constraint>> support_within;
  bool locally_optimal = false;

  // (hi - lo) / lo, rounded up; of an interval that begins at 0: nothing.
  std::optional<Rational> relative_gap() const;
  // K and Q have so many columns: the value is nearly attained by a matrix of this rank.
  std::size_t factor_columns() const { return right.columns; }
};

struct NormRequest {
  Norm norm;
  std::size_t rank = 0;  // of the nuclear norm: matrices of rank at most this, too; 0: of every rank
  Rational gap = Rational(1, pow(Integer(10), 30));  // relative, to be reached
};

struct NormAnswer {
  std::optional<NormOptimum> optimum;   // best interval found
  std::optional<NormOptimum> of_rank;   // the same among matrices of the rank asked for, if one is known
  std::optional<NuclearPoint> refined;  // of the nuclear norm: what Newton's method ended with
  std::string reason;                   // when its gap is larger than asked for, or there is none
  std::string path;                     // what was computed, e.g. "barrier+newton"
  long precision_bits = 0;
};

// The problem must be feasible and have a constraint. `euclidean` is a solution of the Euclidean one, with at
// least a gap where there is time for it: the first interval is its. Deterministic. When the budget is
// reached the answer is what was proved before.
NormAnswer solve_norm_problem(const TokenData& data, const Selection& selection,
                              const MarginSolution& euclidean, const NormRequest& request,
                              const Budget& budget);

}  // namespace attest
