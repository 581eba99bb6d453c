#include "numerics/norms/optimum.hpp"

#include <algorithm>

#include "numerics/norms/factor_bound.hpp"
#include "numerics/norms/prepared_problem.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {

std::optional<Rational> NormOptimum::relative_gap() const {
  if (value.lo <= 0) return std::nullopt;
  return dyadic_above((value.hi - value.lo) / value.lo, 64);
}

long PreparedProblem::gap_bits() const {
  return std::max(20L, 1 - approx_log2(request.gap));
}

unsigned PreparedProblem::checker_bits() const {
  const long entries = approx_log2(Rational(data.left_dimension * data.right_dimension));
  return static_cast<unsigned>(std::clamp(gap_bits() + entries + 36, 64L, 4096L));
}

namespace {

// The Euclidean multipliers as doubles with largest 1; none where none are known.
std::vector<double> multipliers_of(const MarginSolution& euclidean, const TokenData& data,
                                   const Selection& selection) {
  const ConstraintVector* known = euclidean.exact      ? &euclidean.exact->multipliers
                                  : euclidean.enclosed ? &euclidean.enclosed->multipliers
                                  : euclidean.gap      ? &euclidean.gap->dual
                                                       : nullptr;
  if (known == nullptr || known->size() == 0) return {};
  const Integer& largest = *std::max_element(known->numerator.begin(), known->numerator.end());
  const std::vector<Constraint> all = constraints(data, selection);
  std::vector<double> result(all.size());
  for (std::size_t k = 0; k < known->size(); ++k) {
    const auto at = std::lower_bound(all.begin(), all.end(), known->constraint[k]);
    const Rational share(known->numerator[k], largest);
    result[static_cast<std::size_t>(at - all.begin())] = mpq_get_d(share.backend().data());
  }
  return result;
}

}  // namespace

NormAnswer solve_norm_problem(const TokenData& data, const Selection& selection,
                              const MarginSolution& euclidean, const NormRequest& request,
                              const Budget& budget) {
  NormAnswer answer;
  try {
    const PreparedProblem problem(data, selection, request, multipliers_of(euclidean, data, selection),
                                  budget);
    if (request.norm.kind == NormKind::power) {
      solve_power_norm(problem, answer);
    } else if (request.norm.kind == NormKind::nuclear) {
      solve_nuclear_norm(problem, answer);
      if (request.rank > 0 && answer.optimum)
        answer.of_rank = bound_rank(problem, *answer.optimum, request.rank);
    } else {
      solve_linear_norm(problem, answer);
    }
  } catch (const BudgetReached& reached) {
    answer.reason = reached.reason;
    return answer;
  }
  const std::optional<Rational> gap = answer.optimum ? answer.optimum->relative_gap() : std::nullopt;
  if (!gap) {
    answer.reason = "precision: no solution was found";
  } else if (*gap > request.gap) {
    answer.reason = "precision: the gap asked for was not reached";
  }
  return answer;
}

}  // namespace attest
