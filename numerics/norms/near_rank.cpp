#include "numerics/norms/near_rank.hpp"

#include <cmath>

#include "numerics/norms/column_projection.hpp"
#include "numerics/norms/exact_rows.hpp"
#include "numerics/norms/rounding.hpp"
#include "numerics/norms/solution_face.hpp"
#include "numerics/norms/spectral_norm.hpp"
#include "numerics/numbers/decompositions.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {
namespace {

// Row by row, as a matrix of doubles.
RowMatrix rounded(const std::vector<Rational>& entries, std::size_t rows, std::size_t columns) {
  RowMatrix matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  for (std::size_t k = 0; k < entries.size(); ++k) matrix.data()[k] = mpq_get_d(entries[k].backend().data());
  return matrix;
}

// W(multipliers) over the bound of its dual norm.
std::vector<Rational> dual_matrix(const IntegerConstraints& constraints, const NormOptimum& optimum) {
  const ExactRows rows(constraints);
  const ConstraintVector& multipliers = optimum.multipliers;
  const std::vector<Integer> sum =
      rows.combination(positions(constraints, multipliers.constraint), multipliers.numerator);
  std::vector<Rational> result;
  for (const Integer& x : sum)
    result.push_back(Rational(x, rows.unit() * multipliers.denominator) / optimum.dual_bound);
  return result;
}

Rational multiplier_sum(const ConstraintVector& multipliers) {
  Integer sum;
  for (const Integer& x : multipliers.numerator) sum += x;
  return Rational(sum, multipliers.denominator);
}

// Doubles as integers over a power of two.
WrittenMatrix written(const Eigen::MatrixXd& matrix) {
  constexpr long bits = 60;
  WrittenMatrix result{
      static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()), {}, 1};
  result.denominator = pow(Integer(2), bits);
  for (Eigen::Index row = 0; row < matrix.rows(); ++row)
    for (Eigen::Index column = 0; column < matrix.cols(); ++column)
      result.numerator.push_back(rounded_integer(matrix(row, column), bits));
  return result;
}

// The step that makes the distance small, and this distance; false where it is large.
bool choose_step(NearRankEvidence& shown, const NormOptimum& optimum, const Rational& total) {
  const Rational& hi = optimum.value.hi;
  const Rational gap = hi - total / shown.dual_bound;
  if (gap <= 0 || hi <= 0) return false;
  const long exponent = (approx_log2(gap / hi) + 1 + 2 * approx_log2(shown.slope)) / 2;
  shown.step = power_of_two(exponent);
  if (2 * shown.step > shown.slope) return false;
  const Rational square = shown.step * shown.step;
  const Rational above = gap + hi * square / (2 * (shown.slope * shown.slope - square));
  shown.distance = dyadic_above(above / shown.step, 32);
  return 1000 * shown.distance < optimum.value.lo;
}

// `left` spans the directions that M over its bound hardly shortens; all others it shortens to `next` < 1.
std::optional<NearRankEvidence> evidence_for(const std::vector<Rational>& dual, std::size_t d, double next,
                                             const WrittenMatrix& left, const NormOptimum& optimum) {
  constexpr unsigned attempts = 5;
  NearRankEvidence shown;
  shown.bits = optimum.bits;
  shown.left = left;
  const std::optional<WrittenMatrix> right = dual_basis(left, static_cast<long>(optimum.bits));
  const double slope = std::sqrt((1 - next * next) / 2);
  if (!right || slope < 0x1p-12) return std::nullopt;
  shown.right = *right;
  shown.slope = Rational(std::floor(slope * 0x1p16)) * power_of_two(-16);
  const std::vector<Rational> below = across_projection(shown.left, shown.right, shown.slope);
  const Rational total = multiplier_sum(optimum.multipliers);
  const std::optional<Rational> gap = optimum.relative_gap();
  if (!gap) return std::nullopt;
  Rational wider = dyadic_above(*gap * 16 + power_of_two(24 - static_cast<long>(optimum.bits)), 8);
  for (unsigned attempt = 0; attempt < attempts; ++attempt, wider *= 4096) {
    shown.dual_bound = dyadic_above(optimum.dual_bound * (1 + wider), optimum.bits + 64);
    if (wider > power_of_two(-20) || !choose_step(shown, optimum, total)) return std::nullopt;
    std::vector<Ball> stacked;
    const long precision = static_cast<long>(optimum.bits) + 64;
    for (const Rational& x : dual) stacked.emplace_back(x * optimum.dual_bound, precision);
    for (const Rational& x : below) stacked.emplace_back(x * shown.dual_bound, precision);
    const std::size_t e = left.rows;
    if (proves_spectral_norm(stacked, d + e, e, shown.dual_bound, optimum.bits)) return shown;
  }
  return std::nullopt;
}

}  // namespace

std::optional<NearRank> near_rank(const TokenData& data, const Selection& selection,
                                  const NormOptimum& optimum) {
  constexpr double near_one = 1 - 0x1p-20;
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  const std::vector<Rational> dual = dual_matrix(IntegerConstraints(data, selection), optimum);
  const Eigen::JacobiSVD<Eigen::MatrixXd> parts(rounded(dual, d, e),
                                                Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd& values = parts.singularValues();
  Eigen::Index rank = 0;
  while (rank < values.size() && values(rank) > near_one) ++rank;
  const double next = rank < values.size() ? values(rank) : 0;
  const RowMatrix largest = parts.matrixU().leftCols(rank) * values.head(rank).asDiagonal() *
                            parts.matrixV().leftCols(rank).transpose();
  std::vector<Ball> rest;
  for (std::size_t k = 0; k < dual.size(); ++k)
    rest.emplace_back(dual[k] - Rational(largest.data()[k]), static_cast<long>(optimum.bits) + 32);
  const Rational bound = Rational(next) * (1 + power_of_two(-22)) + power_of_two(-40);
  if (bound >= 1 || !proves_spectral_norm(rest, d, e, bound, optimum.bits)) return std::nullopt;
  NearRank found{static_cast<std::size_t>(rank), (optimum.value.hi - optimum.value.lo) / (1 - bound), {}};
  if (found.distance >= optimum.value.lo) return std::nullopt;
  if (found.rank == 0 || found.rank >= largest_solution_rank(data)) return found;
  // The optimum's own factor has more digits than these directions.
  const bool own = optimum.right.columns == found.rank;
  found.evidence =
      evidence_for(dual, d, next, own ? optimum.right : written(parts.matrixV().leftCols(rank)), optimum);
  return found;
}

}  // namespace attest
