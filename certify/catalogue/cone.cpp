#include "certify/catalogue/cone.hpp"

#include "certify/numbers/decimal.hpp"

namespace attest {

Hypothesis locally_optimal(const CatalogueContext& context, const SolvedSelection& solved) {
  const std::string title = "alpha locally optimal";
  const MarginSolution& solution = solved.solution;
  if (solution.feasibility == Feasibility::infeasible)
    return {title, Verdict::fails, "SVM(alpha) is infeasible"};
  if (!solution.locally_optimal) {
    return {title, Verdict::undecided,
            solution.reason.empty() ? "precision: the support set is open" : solution.reason};
  }
  if (*solution.locally_optimal) {
    return {title, Verdict::holds,
            solution.support ? "every one of the " + std::to_string(solution.support->size()) +
                                   " support tokens has a lower score than its selected token"
                             : "every constraint with no positive score gap has a margin above 1"};
  }
  std::string detail = "not locally optimal";
  if (solution.local_witness) {
    const Constraint& c = *solution.local_witness;
    detail = "token " + show(c) + " is a support token with score gap " +
             show(score_gap(context.data(), solved.selection, c)) + " <= 0";
  }
  return {title, Verdict::fails, detail};
}

ConeValue cone_value(const TokenData& data, const Selection& alpha, const OptimumGeometry& geometry) {
  ConeValue cone;
  cone.unbounded = true;
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    std::optional<Interval> low, high;
    const std::vector<Interval> margins = geometry.margins(data, alpha, i);
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t == alpha[i] || !data.present(i, t)) continue;
      std::optional<Interval>& least = data.score(i, t) < data.score(i, alpha[i]) ? low : high;
      least = least ? lower_of(*least, margins[t]) : margins[t];
    }
    if (!high) continue;
    if (!low) return {false, true, i, point(0)};
    const Interval difference = *high - *low;
    if (cone.unbounded) {
      cone = {false, false, i, difference};
    } else {
      if (difference.hi < cone.value.hi) cone.group = i;
      cone.value = lower_of(cone.value, difference);
    }
  }
  return cone;
}

Verdict in_some_cone(const ConeValue& cone) {
  if (cone.unbounded) return Verdict::holds;
  if (cone.empty_low || cone.value.hi <= 0) return Verdict::fails;
  return cone.value.lo > 0 ? Verdict::holds : Verdict::undecided;
}

std::string describe(const ConeValue& cone, const OptimumGeometry& geometry) {
  if (cone.unbounded) return "no sequence has a high-score token: W_mm lies in cone_eps for every eps";
  if (cone.empty_low) {
    return "sequence " + std::to_string(cone.group) +
           " has high-score but no low-score tokens: cone_eps is empty for every eps > 0";
  }
  return "sup of eps with W_mm in cone_eps = value/||W_mm|| in " + show(cone.value / geometry.norm) +
         ", value in " + show(cone.value) + " at sequence " + std::to_string(cone.group);
}

std::optional<ConeValue> cone_at_solution(CatalogueContext& context, Row& row) {
  const SolvedSelection& solved = context.solved();
  row.require(some_constraint(context));
  row.require(feasible("alpha", solved));
  settle(row);
  if (row.verdict != Verdict::holds) return {};
  if (!solved.geometry) {
    settle(row, Verdict::undecided, "precision: W_mm(alpha) is not enclosed");
    return {};
  }
  return cone_value(context.data(), solved.selection, *solved.geometry);
}

}  // namespace attest
