// The nuclear norm: the dual problem is to maximise sum lambda subject to ||M(lambda)||_op <= 1. A barrier
// method in doubles comes near; at the solution W = K Q' with K = M Q, Q = M'K and margins 1 on the active
// constraints, which Newton's method solves to any precision (nuclear_equations.hpp).
// Both sides are measured as theory.md T5 says: (|K|^2 + |Q|^2)/2 above, the sum of the multipliers over a
// proved bound of ||M||_op below.
#include <algorithm>
#include <cmath>

#include "numerics/norms/active_multipliers.hpp"
#include "numerics/norms/dual_barrier.hpp"
#include "numerics/norms/factor_bound.hpp"
#include "numerics/norms/nuclear_equations.hpp"
#include "numerics/norms/prepared_problem.hpp"
#include "numerics/norms/rounding.hpp"
#include "numerics/norms/spectral_norm.hpp"
#include "numerics/numbers/decompositions.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr double path_tolerance = 1e-7;
constexpr std::size_t most_rounds = 8;  // of choosing the active constraints

// -mu log det(I - M'M).
class SpectralBarrier final : public DualPotential {
 public:
  bool move(const RowMatrix& m, double mu) override {
    const Matrix inner = Matrix::Identity(m.cols(), m.cols()) - m.transpose() * m;
    const Eigen::LLT<Matrix> factor(inner);
    if (factor.info() != Eigen::Success) return false;
    const Matrix& lower = factor.matrixLLT();
    value_ = -2 * mu * lower.diagonal().array().log().sum();
    if (!std::isfinite(value_)) return false;
    mu_ = mu;
    right_ = factor.solve(Matrix::Identity(m.cols(), m.cols()));  // (I - M'M)^-1
    mixed_ = m * right_;
    left_ = Matrix::Identity(m.rows(), m.rows()) + mixed_ * m.transpose();  // (I - M M')^-1
    gradient_ = 2 * mu * mixed_;
    return true;
  }
  double value() const override { return value_; }
  const RowMatrix& gradient() const override { return gradient_; }

  // D2[E, F] = 2 mu (tr(S E'T F) + tr(S M'E S M'F)), S = (I - M'M)^-1, T = (I - M M')^-1; E, F = dx z'.
  void hessian(const ScaledConstraints& constraints, Matrix& result) const override {
    const auto size = static_cast<Index>(constraints.size());
    const Matrix queries = constraints.query * right_ * constraints.query.transpose();
    const Matrix images = constraints.difference * mixed_ * constraints.query.transpose();
    result.noalias() = constraints.difference * left_ * constraints.difference.transpose();
    for (Index c = 0; c < size; ++c) {
      const auto i = static_cast<Index>(constraints.group[static_cast<std::size_t>(c)]);
      for (Index other = 0; other < size; ++other) {
        const auto j = static_cast<Index>(constraints.group[static_cast<std::size_t>(other)]);
        result(other, c) = 2 * mu_ * (result(other, c) * queries(i, j) + images(c, j) * images(other, i));
      }
    }
  }
  bool barrier() const override { return true; }
  double scale(const RowMatrix& m, double) const override {
    return 0.5 / std::sqrt((m.transpose() * m).trace());
  }

 private:
  double value_ = 0, mu_ = 0;
  Matrix right_, left_, mixed_;
  RowMatrix gradient_;
};

// Singular values, falling, guessed from the eigenvalues of W'W: those below 1e-8 of the largest are noise,
// which guesses can have.
Eigen::VectorXd approx_singular_values(const Matrix& w) {
  const Matrix gram = w.rows() < w.cols() ? Matrix(w * w.transpose()) : Matrix(w.transpose() * w);
  const Eigen::SelfAdjointEigenSolver<Matrix> rising(gram, Eigen::EigenvaluesOnly);
  return rising.eigenvalues().reverse().cwiseMax(0).cwiseSqrt();
}

struct ApproxFactors {
  Matrix left, right;  // K and Q, W = K Q', the columns by falling length
};

// For every orthogonal V, W = (W V)V': lengths are shared out between the columns of W V and V.
ApproxFactors approx_factors(const Matrix& w) {
  if (w.rows() < w.cols()) {
    const ApproxFactors turned = approx_factors(w.transpose());
    return {turned.right, turned.left};
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> rising(Matrix(w.transpose() * w));
  ApproxFactors found;
  found.right = rising.eigenvectors().rowwise().reverse();
  found.left = w * found.right;
  for (Index j = 0; j < w.cols(); ++j) {
    const double length = found.left.col(j).norm();
    if (length > 0) found.left.col(j) /= std::sqrt(length);
    found.right.col(j) *= std::sqrt(length);
  }
  return found;
}

class NuclearSolver {
 public:
  NuclearSolver(const PreparedProblem& problem, NormAnswer& answer)
      : problem_(problem),
        answer_(answer),
        bits_(problem.gap_bits() + 96),
        d_(static_cast<std::size_t>(problem.scaled.d())),
        e_(static_cast<std::size_t>(problem.scaled.e())),
        equations_(problem, bits_),
        rows_(equations_.rows()) {
    answer_.precision_bits = bits_;
  }

  void run() {
    start_from(problem_.near);
    SpectralBarrier barrier;
    const BarrierPoint point = follow_dual_path(problem_.scaled, barrier, path_tolerance, problem_.budget);
    if (point.multiplier.size() == 0) return;
    answer_.path = "barrier";
    take_factors(point.primal, std::min(d_, e_));
    take_multipliers(point.multiplier);
    prove();
    start(point);
    if (point_.rank == 0 || point_.active.empty()) return;
    answer_.path = "barrier+newton";
    for (std::size_t round = 0; round < most_rounds; ++round) {
      equations_.refine(point_);
      prove();
      const Ball nearly_one = sub(Ball(1), scale_by_power_of_two(Ball(1), 24 - bits_), bits_);
      if (!choose_again(point_.active, point_.multiplier,
                        rows_.margins(point_.left, point_.right, point_.rank), nearly_one))
        break;
    }
    answer_.refined = point_;
  }

 private:
  // The Euclidean solution: an interval to begin with.
  void start_from(const std::vector<double>& multipliers) {
    if (multipliers.empty()) return;
    take_multipliers(
        Eigen::Map<const Eigen::VectorXd>(multipliers.data(), static_cast<Index>(multipliers.size())));
    answer_.path = "euclidean";
    Eigen::VectorXd positive(static_cast<Index>(point_.active.size()));
    for (std::size_t k = 0; k < point_.active.size(); ++k)
      positive[static_cast<Index>(k)] = multipliers[point_.active[k]];
    take_factors(approx_combination(problem_.scaled, point_.active, positive), std::min(d_, e_));
    prove();
  }

  void take_multipliers(const Eigen::VectorXd& multipliers) {
    point_.active.clear();
    point_.multiplier.clear();
    for (Index c = 0; c < multipliers.size(); ++c) {
      if (multipliers[c] <= 0) continue;
      point_.active.push_back(static_cast<std::size_t>(c));
      point_.multiplier.emplace_back(multipliers[c]);
    }
  }

  // W's largest singular values, as K Q'.
  void take_factors(const RowMatrix& w, std::size_t rank) {
    const ApproxFactors factors = approx_factors(w);
    point_.rank = rank;
    point_.left = first_columns(factors.left);
    point_.right = first_columns(factors.right);
  }

  std::vector<Ball> first_columns(const Matrix& factor) const {
    std::vector<Ball> entries;
    for (Index a = 0; a < factor.rows(); ++a)
      for (Index j = 0; j < static_cast<Index>(point_.rank); ++j) entries.emplace_back(factor(a, j));
    return entries;
  }

  // On the path multiplier times slack is mu, and a singular value of W times 1 less that of M about mu: the
  // larger one of each pair says what is active, and the rank.
  void start(const BarrierPoint& point) {
    point_.active.clear();
    point_.multiplier.clear();
    const double largest = point.multiplier.maxCoeff();
    for (Index c = 0; c < point.multiplier.size(); ++c) {
      if (point.multiplier[c] / largest <= point.margin[c] - 1) continue;
      point_.active.push_back(static_cast<std::size_t>(c));
      point_.multiplier.emplace_back(point.multiplier[c]);
    }
    const Eigen::VectorXd sizes = approx_singular_values(point.primal);
    const Eigen::VectorXd dual = approx_singular_values(point.dual);
    std::size_t rank = 0;
    while (static_cast<Index>(rank) < sizes.size() &&
           sizes[static_cast<Index>(rank)] / sizes[0] > 1 - dual[static_cast<Index>(rank)])
      ++rank;
    take_factors(point.primal, rank);
  }

  // A dyadic that is proved to be at least the spectral norm of M: the singular values in doubles when the
  // multipliers are a guess, 1 and little more when they are refined. Nothing where they are beyond doubles.
  std::optional<Rational> spectral_bound(const std::vector<Ball>& m) const {
    const unsigned bits = problem_.checker_bits();
    const double guess =
        approx_singular_values(approx_matrix(m, static_cast<Index>(d_), static_cast<Index>(e_)))[0];
    if (!std::isfinite(guess)) return std::nullopt;
    const bool refined = std::abs(guess - 1) < 1e-6;
    for (long excess = 8 - static_cast<long>(bits); excess < -8; excess += 8) {
      const Rational start = refined && excess < -44 ? Rational(1) : Rational(guess);
      Rational bound = start * (1 + power_of_two(excess));
      if (proves_spectral_norm(m, d_, e_, bound, bits)) return bound;
    }
    return std::nullopt;
  }

  void prove() {
    const long bits = problem_.gap_bits() + 48, exponent = problem_.scaled.exponent;
    const DyadicRow dual = rounded(point_.multiplier, bits);
    NormOptimum found;
    found.bits = problem_.checker_bits();
    found.multipliers = written_multipliers(problem_.constraints, point_.active, dual, exponent);
    if (found.multipliers.size() == 0) return;
    const WrittenMultipliers kept(dual, bits_);
    const std::optional<Rational> bound = spectral_bound(rows_.combination(point_.active, kept.value));
    if (!bound) return;
    found.dual_bound = *bound;
    found.value.lo = lower_dyadic(div(kept.sum, Ball(*bound, bits_), bits_), bits_) * power_of_two(-exponent);
    if (!measure_factors(problem_, rows_, point_.left, point_.right, point_.rank, found)) return;
    if (!is_narrowest(answer_, found)) return;
    answer_.optimum = std::move(found);
  }

  const PreparedProblem& problem_;
  NormAnswer& answer_;
  const long bits_;
  const std::size_t d_, e_;
  const NuclearEquations equations_;
  const PreciseRows& rows_;
  NuclearPoint point_;
};

}  // namespace

void solve_nuclear_norm(const PreparedProblem& problem, NormAnswer& answer) {
  NuclearSolver(problem, answer).run();
}

}  // namespace attest
