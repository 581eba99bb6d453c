#include "numerics/factored/limits.hpp"

namespace attest {
namespace {

constexpr long matrix_bits = 256;

// K Q' of written factors.
std::vector<Ball> product_of(const WrittenMatrix& left, const WrittenMatrix& right) {
  const auto balls = [](const WrittenMatrix& matrix) {
    std::vector<Ball> entries;
    for (const Integer& entry : matrix.numerator)
      entries.emplace_back(Rational(entry, matrix.denominator), matrix_bits);
    return entries;
  };
  const std::vector<Ball> k = balls(left), q = balls(right);
  const std::size_t m = left.columns;
  std::vector<Ball> product;
  for (std::size_t i = 0; i < left.rows; ++i) {
    for (std::size_t j = 0; j < right.rows; ++j)
      product.push_back(dot({k.data() + i * m, m}, {q.data() + j * m, m}, matrix_bits));
  }
  return product;
}

}  // namespace

FactoredLimits factored_limits(const TokenData& data, const Selection& selection, const Budget& budget) {
  FactoredLimits limits;
  limits.selection = selection;
  limits.euclidean =
      mirror_limit(data, selection, Potential(2), budget, limits.euclidean_reason, &limits.conflict);
  if (constraint_count(data) == 0) {
    limits.nuclear_reason = limits.euclidean_reason;
    return limits;
  }
  MarginOptions options;
  options.outer = &budget;
  const MarginSolution euclidean = solve_margin_problem(data, selection, options);
  if (euclidean.feasibility != Feasibility::feasible) {
    limits.nuclear_reason = euclidean.feasibility == Feasibility::infeasible
                                ? "no W separates the selection it heads for"
                                : euclidean.reason;
    return limits;
  }
  NormRequest request;
  request.norm.kind = NormKind::nuclear;
  request.norm.word = "nuclear";
  const NormAnswer answer = solve_norm_problem(data, selection, euclidean, request, budget);
  limits.nuclear_reason = answer.reason;
  if (!answer.optimum || answer.optimum->value.lo <= 0) return limits;
  limits.nuclear = answer.optimum;
  limits.nuclear_matrix = product_of(limits.nuclear->left, limits.nuclear->right);
  return limits;
}

}  // namespace attest
