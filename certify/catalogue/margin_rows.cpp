// Rows about the margin problem itself: A.svm, B.T1, B.L1.
#include <algorithm>
#include <set>

#include "certify/catalogue/catalogue.hpp"
#include "certify/numbers/decimal.hpp"

namespace attest {
namespace {

std::string describe_solution(const SolvedSelection& solved, std::size_t constraint_total) {
  if (constraint_total == 0) return "no constraints: W* = 0, margin infinite (vacuous)";
  if (!solved.geometry) return "feasible, W* not solved to the end";
  const OptimumGeometry& g = *solved.geometry;
  std::string text = "||W*|| in " + show(g.norm) + ", margin 1/||W*|| in " +
                     show(g.norm.lo > 0 ? point(1) / g.norm : point(0)) + " (checked)";
  if (solved.solution.support) {
    text += "; " + std::to_string(solved.solution.support->size()) + " of " +
            std::to_string(constraint_total) + " constraints are support";
  }
  return text + (solved.solution.exact      ? "; exact KKT pair"
                 : solved.solution.enclosed ? "; proved active set"
                                            : "; duality gap");
}

}  // namespace

void decide_margin_problem(CatalogueContext& context, Row& row) {
  const SolvedSelection& solved = context.solved();
  const Hypothesis problem = feasible("alpha", solved);
  if (problem.verdict == Verdict::holds) {
    row.conclusion = describe_solution(solved, constraint_count(context.data()));
  }
  row.require(problem);
  settle(row);
}

void decide_feasible_dimension(CatalogueContext& context, Row& row) {
  const TokenData& data = context.data();
  std::size_t longest = 0;
  for (std::size_t i = 0; i < data.groups(); ++i) longest = std::max(longest, data.different(i));
  const std::size_t needed = std::max(longest == 0 ? 0 : longest - 1, data.groups());
  const std::size_t d = std::min(data.left_dimension, data.right_dimension);
  row.require(
      data.left_dimension == data.right_dimension ? "d >= max(T - 1, n)" : "min(d, e) >= max(T - 1, n)",
      d >= needed ? Verdict::holds : Verdict::fails,
      std::to_string(d) + (d >= needed ? " >= " : " < ") + std::to_string(needed) +
          " (T = " + std::to_string(longest) + ", n = " + std::to_string(data.groups()) + ")");
  row.require(best_tokens_unique(context));
  const Hypothesis separable = feasible("opt", context.solved_best());
  if (separable.verdict == Verdict::holds) {
    row.conclusion = "SVM(opt) is feasible on this instance (checked): " + separable.detail;
  } else if (separable.verdict == Verdict::fails) {
    row.conclusion =
        "SVM(opt) is infeasible (checked): the data lie in the theorem's exceptional set or outside its "
        "hypothesis";
  }
  settle(row, separable.verdict, separable.name + ": " + separable.detail);
}

void decide_rank(CatalogueContext& context, Row& row) {
  const TokenData& data = context.data();
  const SolvedSelection& solved = context.solved();
  row.require(feasible("alpha", solved));
  if (row.hypotheses.back().verdict != Verdict::holds) {
    settle(row);
    return;
  }
  if (constraint_count(data) == 0) {
    row.conclusion = "W* = 0 (no constraints), rank 0 (checked)";
    settle(row);
    return;
  }
  const ConstraintVector* multipliers = solved.solution.exact      ? &solved.solution.exact->multipliers
                                        : solved.solution.enclosed ? &solved.solution.enclosed->multipliers
                                                                   : nullptr;
  if (multipliers == nullptr) {
    settle(row, Verdict::undecided, "precision: no optimal multipliers were established");
    return;
  }
  // W* = sum_i y_i z_i' over the groups that have a multiplier, by the KKT representation.
  std::set<std::size_t> active;
  for (const Constraint& c : multipliers->constraint) active.insert(c.group);
  row.conclusion = "W* = sum_i y_i z_i' over " + std::to_string(active.size()) + " of " +
                   std::to_string(data.groups()) + " sequences, so rank W* <= " +
                   std::to_string(std::min({active.size(), data.left_dimension, data.right_dimension})) +
                   " and every row of W* is in span{z_i} (checked)";
  if (solved.solution.exact) {
    const SharedDenominatorMatrix& matrix = solved.geometry->matrix;
    const ExactRank rank = exact_rank(matrix, active.size(), context.budget());
    row.conclusion += "; rank W* = " + std::to_string(rank.rank) + " exactly (" + rank.how + ")";
    if (rank.rank > data.groups()) {  // contradicts the representation above: an internal error, never hidden
      settle(row, Verdict::fails, "rank " + std::to_string(rank.rank) + " exceeds n");
      return;
    }
  } else {
    row.conclusion += "; the exact rank needs --form exact";
  }
  settle(row);
  add_nuclear_rank(context, row);
}

}  // namespace attest
