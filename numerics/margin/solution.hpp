// The Euclidean margin problem SVM(alpha): minimise ||W||_F subject to <Delta_c, W> >= 1 for every constraint
// c (theory.md section 2), decided with proof.
//
// The answer is one of: infeasible with a Farkas vector (T4) or a spanning conflict (T19(b)), feasible with
// an exact rational KKT pair (T2) or with enclosures around a proved active set (lambda_min bound) or with a
// duality gap (T3), or undecided with a reason. Every field that is not called a guess has been established
// in exact or outward-rounded arithmetic.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/interval.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

enum class Form { automatic, exact, enclosure };

// Sparse vector over constraints with one shared denominator: entry k has value numerator[k] / denominator.
// Constraints strictly increasing, numerators non-zero, denominator > 0.
struct ConstraintVector {
  Integer denominator = 1;
  std::vector<Constraint> constraint;
  std::vector<Integer> numerator;

  std::size_t size() const { return constraint.size(); }
  Rational value(std::size_t k) const { return Rational(numerator[k], denominator); }
};

// Exact evidence (T2): w* = sum lambda_c Delta_c with lambda > 0 on the listed constraints (rows = 0: any
// sign).
struct ExactOptimum {
  ConstraintVector multipliers;
  Rational norm_squared;  // = sum lambda_c over the rows >= 1, exactly
};

// Enclosure with a proved active set. With A the listed constraints, G their Gram matrix, lambda the listed
// values and r = 1 - G lambda: lambda_min(G) >= lambda_min, ||w - w*|| <= radius, ||lambda - lambda*||_2 <=
// multiplier_radius, every lambda_c > multiplier_radius, every margin off A is > 1 at w*: A is exactly the
// support set, strictly complementary. Rows >= 0 have 0 for 1; rows = 0 all belong to A, with multipliers of
// any sign, and not to the support.
struct EnclosedOptimum {
  ConstraintVector multipliers;  // dyadic: the denominator is a power of two
  Rational lambda_min;           // certified positive lower bound of lambda_min(G), a dyadic
  Rational radius;               // dyadic
  Rational multiplier_radius;    // dyadic
  Interval norm_squared;         // dyadic ends
  long cholesky_bits =
      29;  // fractional bits with which a fixed-point Cholesky factorisation confirms lambda_min
};

// Duality-gap evidence (T3): `primal` is feasible, `dual` >= 0, ||w - w*||^2 <= distance_squared.
struct GapOptimum {
  ConstraintVector primal;  // signed coefficients: w = sum value_c Delta_c
  ConstraintVector dual;
  Rational distance_squared;
  Interval norm_squared;
};

// Infeasible though nothing cancels exactly (T19(b)): with r = sum value_c Delta_c over the combination,
// values > 0 but for equalities and some constraint >= 1, and `spanning` among its constraints at least as
// many as the dimension of the span of all of them, lambda_min(G_spanning) >= least_eigenvalue > 0 and
// ||r||^2 < least_eigenvalue (least value on `spanning`, equalities apart)^2.
struct SpanningConflict {
  ConstraintVector combination;
  std::vector<Constraint> spanning;  // strictly increasing
  Rational least_eigenvalue;         // a dyadic
};

// Whatever is feasible has a margin 1/||w|| of at most `bound` (T19(a)): with values > 0,
// ||sum value_c Delta_c|| <= bound sum value_c.
struct MarginBound {
  ConstraintVector combination;
  Rational bound;  // > 0, a dyadic
};

// A direction d = sum value_c Delta_c proving that constraint `at` has multiplier 0 in every multiplier
// vector.
struct ComplementarityWitness {
  Constraint at;
  ConstraintVector direction;
};

enum class Feasibility { feasible, infeasible, undecided };

struct SolverStatistics {
  std::string path;  // which tiers ran, e.g. "double+ball" or "double+ball+exact"
  std::size_t exact_pivots = 0;
  long precision_bits = 0;  // largest working precision used
  double guess_seconds = 0, proof_seconds = 0, exact_seconds = 0;
};

struct MarginSolution {
  Feasibility feasibility = Feasibility::undecided;
  std::string reason;  // when undecided: "time", "memory" or "precision", with detail after a colon

  // Infeasible: one of the next two.
  // >= 0 (rows = 0: any sign), sum over the rows >= 1 positive, sum value_c Delta_c = 0
  std::optional<ConstraintVector> farkas;
  std::optional<SpanningConflict> spanning_conflict;  // infeasible, when no Farkas vector is at hand
  std::optional<MarginBound> margin_bound;            // undecided: the data are separable by less than this
  std::optional<ConstraintVector>
      separator;  // feasible but not solved to the end: some w with all margins >= 1
  std::optional<ExactOptimum> exact;
  std::optional<EnclosedOptimum> enclosed;
  std::optional<GapOptimum> gap;

  // Decided exactly whenever `exact` or `enclosed` is present; empty optional means undecided.
  std::optional<std::vector<Constraint>> support;
  std::vector<Constraint>
      support_undecided;  // constraints whose tightness is open (only with `gap` or nothing)
  std::optional<bool> strictly_complementary;
  std::optional<ConstraintVector>
      complementary_multipliers;  // yes, when `exact`'s own multipliers do not show it
  std::optional<ComplementarityWitness> complementarity_witness;  // no

  // Local optimality (feasible, and every support constraint has positive score gap). False comes with a
  // witness, except that infeasible means false.
  std::optional<bool> locally_optimal;
  std::optional<Constraint> local_witness;

  Interval norm_squared;  // valid when feasible and one of exact/enclosed/gap is present
  SolverStatistics statistics;
};

struct MarginOptions {
  Form form = Form::automatic;
  long precision_bits = 128;      // enclosures of w*, multipliers, norm are this accurate, relative to ||w*||
  double time_limit_seconds = 0;  // 0: none
  std::size_t memory_limit_bytes = 0;  // 0: none; predicted before allocation
  // One exact solve predicted to take longer is not begun, unless the form is exact: pivoting takes many.
  // Nor is strict complementarity decided where all of its solves are predicted to take ten times as long.
  double longest_exact_seconds = 4;
  const Budget* outer = nullptr;  // a budget that this one lies in; may be null
  std::function<void(std::string_view stage, double fraction)> progress;  // may be empty
};

// Decides SVM(selection). No constraints: feasible with an exact optimum of no multipliers and norm 0.
// Deterministic: the same data and options give the same answer.
MarginSolution solve_margin_problem(const TokenData& data, const Selection& selection,
                                    const MarginOptions& options = {});

// The same for rows of any sense, at most one for each (group, loser), in increasing order of these: min
// ||W|| subject to all of them. The answer is `exact`, `enclosed`, `farkas` or undecided. The support are the
// rows that are tight and not = 0. Local optimality is left open unless all rows are >= 1.
MarginSolution solve_margin_rows(const TokenData& data, std::vector<MarginRow> rows,
                                 const MarginOptions& options = {});

}  // namespace attest
