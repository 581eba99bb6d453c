#include "numerics/norms/factor_bound.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/norms/rounding.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;

constexpr int most_exchanges = 60, most_factor_steps = 400;
constexpr double margin_tolerance = 1e-11;  // of margins to 1

Rational square_sum(const WrittenMatrix& matrix) {
  Integer sum;
  for (const Integer& x : matrix.numerator) sum += x * x;
  return Rational(sum, matrix.denominator * matrix.denominator);
}

RowMatrix doubles(const WrittenMatrix& matrix) {
  RowMatrix result(static_cast<Index>(matrix.rows), static_cast<Index>(matrix.columns));
  for (std::size_t k = 0; k < matrix.numerator.size(); ++k) {
    const Rational entry(matrix.numerator[k], matrix.denominator);
    result.data()[k] = mpq_get_d(entry.backend().data());
  }
  return result;
}

std::vector<Ball> balls(const RowMatrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

// Minimises (|K|^2 + |Q|^2)/2 subject to margins >= 1 by an augmented Lagrangian, in doubles: multipliers
// and a price for what is missing, the factors by gradient steps of Barzilai and Borwein's length.
class FactorSearch {
 public:
  FactorSearch(const PreparedProblem& problem, Matrix factors)
      : problem_(problem), d_(problem.scaled.d()), factors_(std::move(factors)) {
    multipliers_.setZero(static_cast<Index>(problem.scaled.size()));
    std::vector<std::size_t>& all = all_;
    for (std::size_t c = 0; c < problem.scaled.size(); ++c) all.push_back(c);
  }

  // K above Q.
  const Matrix& run() {
    const double least = margins(factors_).minCoeff();
    if (least > 0) factors_ /= std::sqrt(least);
    price_ = 10 * factors_.squaredNorm() / static_cast<double>(all_.size());
    for (int round = 0; round < most_exchanges; ++round) {
      descend();
      const Eigen::VectorXd missing = 1 - margins(factors_).array();
      multipliers_ = (multipliers_ + price_ * missing).cwiseMax(0);
      const double worst = missing.maxCoeff();
      if (worst < margin_tolerance) break;
      if (worst > worst_ / 4) price_ *= 4;
      worst_ = worst;
    }
    return factors_;
  }

 private:
  Eigen::VectorXd margins(const Matrix& factors) const {
    const RowMatrix w = factors.topRows(d_) * factors.bottomRows(factors.rows() - d_).transpose();
    return approx_margins(problem_.scaled, w);
  }

  Matrix gradient(const Matrix& factors) const {
    const Eigen::VectorXd pull =
        (multipliers_ + price_ * (1 - margins(factors).array()).matrix()).cwiseMax(0);
    const RowMatrix m = approx_combination(problem_.scaled, all_, pull);
    Matrix result = factors;
    result.topRows(d_) -= m * factors.bottomRows(factors.rows() - d_);
    result.bottomRows(factors.rows() - d_) -= m.transpose() * factors.topRows(d_);
    return result;
  }

  void descend() {
    Matrix slope = gradient(factors_);
    double length = 0.1 / (1 + price_);
    for (int step = 0; step < most_factor_steps; ++step) {
      problem_.budget.poll();
      if (!(slope.norm() > 1e-13 * factors_.norm())) return;
      const Matrix change = -length * slope;
      const Matrix next = gradient(factors_ + change);
      const Matrix turn = next - slope;
      const double across = (change.array() * turn.array()).sum();
      if (!next.allFinite()) return;
      factors_ += change;
      slope = next;
      length = across > 0 ? std::min(1.0, change.squaredNorm() / across) : 0.1 / (1 + price_);
    }
  }

  const PreparedProblem& problem_;
  const Index d_;
  Matrix factors_;
  std::vector<std::size_t> all_;
  Eigen::VectorXd multipliers_;
  double price_ = 1, worst_ = 1e300;
};

// The columns of K above those of Q, by their share in the norm.
Matrix by_share(const NormOptimum& whole) {
  const RowMatrix left = doubles(whole.left), right = doubles(whole.right);
  std::vector<Index> order(static_cast<std::size_t>(left.cols()));
  std::iota(order.begin(), order.end(), 0);
  const Eigen::VectorXd share = left.colwise().norm().cwiseProduct(right.colwise().norm());
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return share[a] > share[b]; });
  Matrix columns(left.rows() + right.rows(), left.cols());
  for (Index j = 0; j < columns.cols(); ++j) {
    const Index at = order[static_cast<std::size_t>(j)];
    columns.col(j) << left.col(at), right.col(at);
  }
  return columns;
}

}  // namespace

bool measure_factors(const PreparedProblem& problem, const PreciseRows& rows, const std::vector<Ball>& left,
                     const std::vector<Ball>& right, std::size_t rank, NormOptimum& found) {
  const long bits = problem.gap_bits() + 48, precision = rows.bits();
  const DyadicRow k = rounded(left, bits), q = rounded(right, bits);
  const Rational least = least_margin(rows.margins(k.balls(), q.balls(), rank));
  if (least == 0) return false;
  // Both factors are divided by the same number, the square of which is at most the least margin: then
  // margins are at least 1, and the factors stay balanced.
  const Rational root =
      sqrt(Ball(least * power_of_two(problem.scaled.exponent), precision), precision).lower();
  found.left = written_matrix(k, rows.d(), rank, root, bits, 0);
  found.right = written_matrix(q, rows.e(), rank, root, bits, 0);
  found.value.hi =
      dyadic_above((square_sum(found.left) + square_sum(found.right)) / 2, static_cast<unsigned>(precision));
  return true;
}

std::optional<NormOptimum> bound_rank(const PreparedProblem& problem, const NormOptimum& whole,
                                      std::size_t rank) {
  if (whole.factor_columns() <= rank) return whole;
  const Matrix columns = by_share(whole);
  const PreciseRows rows(problem.constraints, problem.scaled.exponent, problem.gap_bits() + 96);
  const Index d = problem.scaled.d(), wanted = static_cast<Index>(rank);
  std::optional<NormOptimum> best;
  // The columns with the largest share in the norm begin, and parts of the others: without these a search can
  // stand at a saddle.
  for (const double part : {0.0, 0.5, 1.0}) {
    Matrix start = columns.leftCols(wanted);
    for (Index j = wanted; j < columns.cols(); ++j) start.col(j % wanted) += part * columns.col(j);
    const Matrix factors = FactorSearch(problem, start).run();
    NormOptimum found = whole;
    if (!factors.allFinite() || !measure_factors(problem, rows, balls(factors.topRows(d)),
                                                 balls(factors.bottomRows(factors.rows() - d)), rank, found))
      continue;
    if (!best || found.value.hi < best->value.hi) best = std::move(found);
  }
  return best;
}

}  // namespace attest
