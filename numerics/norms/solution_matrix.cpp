#include "numerics/norms/solution_matrix.hpp"

#include "numerics/norms/solution_face.hpp"

namespace attest {
namespace {

constexpr long matrix_bits = 256;

std::vector<Ball> balls(const WrittenMatrix& matrix) {
  std::vector<Ball> entries;
  for (const Integer& entry : matrix.numerator)
    entries.emplace_back(Rational(entry, matrix.denominator), matrix_bits);
  return entries;
}

NormRequest request_for(const Norm& norm) {
  NormRequest request;
  request.norm = norm;
  if (norm.kind != NormKind::frobenius && norm.kind != NormKind::power) return request;
  request.norm.kind = NormKind::power;
  request.gap = Rational(1, pow(Integer(10), 50));
  return request;
}

// Of a matrix whose norm is the least one.
SolutionStanding standing_of(const TokenData& data, const Selection& selection, const Norm& norm,
                             NormOptimum optimum, const Budget& budget) {
  const auto face = solution_face(data, selection, norm, optimum, budget);
  const std::optional<bool> unique = face ? face->unique() : std::nullopt;
  if (!unique) return SolutionStanding::open;
  return *unique ? SolutionStanding::only : SolutionStanding::several;
}

}  // namespace

std::string words(SolutionStanding standing) {
  switch (standing) {
    case SolutionStanding::only:
      return "the solution";
    case SolutionStanding::several:
      return "a solution, not the only one";
    case SolutionStanding::open:
      return "a solution, perhaps not the only one";
    case SolutionStanding::nearly:
      break;
  }
  return "a matrix whose norm is within the gap of the least";
}

std::vector<Ball> matrix_of(const NormOptimum& optimum) {
  const WrittenMatrix &left = optimum.left, &right = optimum.right;
  if (right.numerator.empty()) return balls(left);
  const std::vector<Ball> k = balls(left), q = balls(right);
  const std::size_t m = left.columns;
  std::vector<Ball> product;
  for (std::size_t i = 0; i < left.rows; ++i) {
    for (std::size_t j = 0; j < right.rows; ++j)
      product.push_back(dot({k.data() + i * m, m}, {q.data() + j * m, m}, matrix_bits));
  }
  return product;
}

std::optional<SolutionMatrix> solution_matrix(const TokenData& data, const Selection& selection,
                                              const MarginSolution& euclidean, const Norm& norm,
                                              const Budget& budget, std::string& reason) {
  const NormAnswer answer = solve_norm_problem(data, selection, euclidean, request_for(norm), budget);
  const auto gap = answer.optimum ? answer.optimum->relative_gap() : std::nullopt;
  if (!gap) {
    reason = answer.reason.empty() ? "precision: no solution was found" : answer.reason;
    return std::nullopt;
  }
  const NormOptimum& optimum = *answer.optimum;
  SolutionMatrix found;
  found.entries = matrix_of(optimum);
  if (optimum.distance) {
    // At least the magnitude of each entry of the difference, in whichever of these norms.
    const Ball near(-*optimum.distance, *optimum.distance, matrix_bits);
    for (Ball& entry : found.entries) entry = add(entry, near, matrix_bits);
    found.standing = SolutionStanding::only;
  } else if (*gap == 0) {
    found.standing = standing_of(data, selection, norm, optimum, budget);
  } else {
    found.gap = *gap;
  }
  return found;
}

}  // namespace attest
