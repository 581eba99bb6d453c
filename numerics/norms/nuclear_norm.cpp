// The nuclear norm: the dual problem is to maximise sum lambda subject to ||M(lambda)||_op <= 1. A barrier
// method in doubles comes near; at the solution W = K Q' with K = M Q, Q = M'K and margins 1 on the active
// constraints, which Newton's method solves to any precision. Its matrix is singular along K O, Q O with O
// skew (K Q' does not change when K and Q are turned together), so it is bordered by these directions.
// Both sides are measured as theory.md T5 says: (|K|^2 + |Q|^2)/2 above, the sum of the multipliers over a
// proved bound of ||M||_op below.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "numerics/norms/active_multipliers.hpp"
#include "numerics/norms/dual_barrier.hpp"
#include "numerics/norms/factor_bound.hpp"
#include "numerics/norms/prepared_problem.hpp"
#include "numerics/norms/rounding.hpp"
#include "numerics/norms/spectral_norm.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr double path_tolerance = 1e-7;
constexpr std::size_t most_rounds = 8;        // of choosing the active constraints
constexpr std::size_t most_refinements = 60;  // Newton steps of one choice

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
// which guesses can have; a singular value decomposition would cost the compiler half a minute.
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
        rows_(problem.constraints, problem.scaled.exponent, bits_) {
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
    if (rank_ == 0 || active_.empty()) return;
    answer_.path = "barrier+newton";
    for (std::size_t round = 0; round < most_rounds; ++round) {
      refine();
      prove();
      const Ball nearly_one = sub(Ball(1), scale_by_power_of_two(Ball(1), 24 - bits_), bits_);
      if (!choose_again(active_, lambda_, rows_.margins(left_, right_, rank_), nearly_one)) break;
    }
  }

 private:
  // The Euclidean solution: an interval to begin with.
  void start_from(const std::vector<double>& multipliers) {
    if (multipliers.empty()) return;
    take_multipliers(
        Eigen::Map<const Eigen::VectorXd>(multipliers.data(), static_cast<Index>(multipliers.size())));
    answer_.path = "euclidean";
    Eigen::VectorXd positive(static_cast<Index>(active_.size()));
    for (std::size_t k = 0; k < active_.size(); ++k)
      positive[static_cast<Index>(k)] = multipliers[active_[k]];
    take_factors(approx_combination(problem_.scaled, active_, positive), std::min(d_, e_));
    prove();
  }

  void take_multipliers(const Eigen::VectorXd& multipliers) {
    active_.clear();
    lambda_.clear();
    for (Index c = 0; c < multipliers.size(); ++c) {
      if (multipliers[c] <= 0) continue;
      active_.push_back(static_cast<std::size_t>(c));
      lambda_.emplace_back(multipliers[c]);
    }
  }

  // W's largest singular values, as K Q'.
  void take_factors(const RowMatrix& w, std::size_t rank) {
    const ApproxFactors factors = approx_factors(w);
    rank_ = rank;
    left_ = first_columns(factors.left);
    right_ = first_columns(factors.right);
  }

  std::vector<Ball> first_columns(const Matrix& factor) const {
    std::vector<Ball> entries;
    for (Index a = 0; a < factor.rows(); ++a)
      for (Index j = 0; j < static_cast<Index>(rank_); ++j) entries.emplace_back(factor(a, j));
    return entries;
  }

  // On the path multiplier times slack is mu, and a singular value of W times 1 less that of M about mu: the
  // larger one of each pair says what is active, and the rank.
  void start(const BarrierPoint& point) {
    active_.clear();
    lambda_.clear();
    const double largest = point.multiplier.maxCoeff();
    for (Index c = 0; c < point.multiplier.size(); ++c) {
      if (point.multiplier[c] / largest <= point.margin[c] - 1) continue;
      active_.push_back(static_cast<std::size_t>(c));
      lambda_.emplace_back(point.multiplier[c]);
    }
    const Eigen::VectorXd sizes = approx_singular_values(point.primal);
    const Eigen::VectorXd dual = approx_singular_values(point.dual);
    std::size_t rank = 0;
    while (static_cast<Index>(rank) < sizes.size() &&
           sizes[static_cast<Index>(rank)] / sizes[0] > 1 - dual[static_cast<Index>(rank)])
      ++rank;
    take_factors(point.primal, rank);
  }

  // K - M Q, Q - M'K and 1 - margin at the active constraints: minus the residuals that a step must cancel.
  struct Residuals {
    std::vector<Ball> left, right, margin;
    long exponent() const {
      return std::max({largest_exponent(left), largest_exponent(right), largest_exponent(margin)});
    }
  };
  Residuals residuals() const {
    std::vector<Ball> m = rows_.combination(active_, lambda_);
    forget_radii(m);
    Residuals found{left_, right_, {}};
    for (std::size_t a = 0; a < d_; ++a) {
      for (std::size_t b = 0; b < e_; ++b) {
        const Ball minus = neg(m[a * e_ + b]);
        for (std::size_t j = 0; j < rank_; ++j) {
          add_product(found.left[a * rank_ + j], minus, right_[b * rank_ + j], bits_);
          add_product(found.right[b * rank_ + j], minus, left_[a * rank_ + j], bits_);
        }
      }
    }
    const std::vector<Ball> margins = rows_.margins(left_, right_, rank_);
    for (const std::size_t c : active_) found.margin.push_back(sub(margins[c], Ball(1), bits_));
    return found;
  }

  // The derivative of the residuals by (K, Q, lambda), symmetric but for signs, bordered by the directions in
  // which K Q' stays what it is.
  Matrix derivative() const {
    const auto rank = static_cast<Index>(rank_), d = static_cast<Index>(d_), e = static_cast<Index>(e_);
    const auto active = static_cast<Index>(active_.size());
    const Index own = rank * (d + e) + active, turns = rank * (rank - 1) / 2;
    const RowMatrix k = doubles(left_, d, rank), q = doubles(right_, e, rank);
    Eigen::VectorXd lambda(active);
    for (Index c = 0; c < active; ++c) lambda[c] = lambda_[static_cast<std::size_t>(c)].approx_mid();
    const RowMatrix m = approx_combination(problem_.scaled, active_, lambda);
    Matrix result = Matrix::Zero(own + turns, own + turns);
    for (Index a = 0; a < d; ++a) {
      for (Index b = 0; b < e; ++b) {
        for (Index j = 0; j < rank; ++j) {
          result(a * rank + j, (d + b) * rank + j) = -m(a, b);
          result((d + b) * rank + j, a * rank + j) = -m(a, b);
        }
      }
    }
    result.topLeftCorner(rank * (d + e), rank * (d + e)).diagonal().setOnes();
    for (Index c = 0; c < active; ++c) {
      const std::size_t at = active_[static_cast<std::size_t>(c)];
      const Eigen::RowVectorXd dx = problem_.scaled.difference.row(static_cast<Index>(at));
      const Eigen::RowVectorXd z = problem_.scaled.query.row(static_cast<Index>(problem_.scaled.group[at]));
      const Eigen::RowVectorXd zq = z * q, xk = dx * k;
      const Index place = rank * (d + e) + c;
      for (Index j = 0; j < rank; ++j) {
        for (Index a = 0; a < d; ++a) {
          result(place, a * rank + j) = dx[a] * zq[j];
          result(a * rank + j, place) = -dx[a] * zq[j];
        }
        for (Index b = 0; b < e; ++b) {
          result(place, (d + b) * rank + j) = z[b] * xk[j];
          result((d + b) * rank + j, place) = -z[b] * xk[j];
        }
      }
    }
    Index turn = own;
    for (Index i = 0; i < rank; ++i) {
      for (Index j = i + 1; j < rank; ++j, ++turn) {
        for (Index a = 0; a < d + e; ++a) {
          const auto row = a < d ? k.row(a) : q.row(a - d);
          result(a * rank + i, turn) = result(turn, a * rank + i) = row[j];
          result(a * rank + j, turn) = result(turn, a * rank + j) = -row[i];
        }
      }
    }
    return result;
  }

  static RowMatrix doubles(const std::vector<Ball>& balls, Index rows, Index columns) {
    RowMatrix result(rows, columns);
    for (std::size_t k = 0; k < balls.size(); ++k) result.data()[k] = balls[k].approx_mid();
    return result;
  }

  // Newton's method; the derivative is taken anew until residuals are small, then each step gains what it is
  // worth. What was best is kept.
  void refine() {
    Residuals now = residuals();
    long size = now.exponent();
    Eigen::PartialPivLU<Matrix> factor;
    for (std::size_t step = 0, fruitless = 0; step < most_refinements && size > 16 - bits_; ++step) {
      problem_.budget.poll();
      if (step == 0 || size > -24 || fruitless > 0) factor.compute(derivative());
      Eigen::VectorXd right = Eigen::VectorXd::Zero(factor.matrixLU().rows());
      Index at = 0;
      for (const std::vector<Ball>* part : {&now.left, &now.right, &now.margin}) {
        for (const Ball& x : *part) right[at++] = -scale_by_power_of_two(x, -size).approx_mid();
      }
      const Eigen::VectorXd change = factor.solve(right);
      if (!change.allFinite()) return;
      const auto before = std::make_tuple(left_, right_, lambda_);
      at = 0;
      for (std::vector<Ball>* part : {&left_, &right_, &lambda_}) {
        for (Ball& x : *part) x = add(x, scale_by_power_of_two(Ball(change[at++]), size), bits_);
        forget_radii(*part);
      }
      Residuals next = residuals();
      const long found = next.exponent();
      if (found >= size && ++fruitless > 2) {
        std::tie(left_, right_, lambda_) = before;
        return;
      }
      if (found < size) fruitless = 0;
      now = std::move(next);
      size = found;
    }
  }

  // A dyadic that is proved to be at least the spectral norm of M: the singular values in doubles when the
  // multipliers are a guess, 1 and little more when they are refined. Nothing where they are beyond doubles.
  std::optional<Rational> spectral_bound(const std::vector<Ball>& m) const {
    const unsigned bits = problem_.checker_bits();
    const double guess =
        approx_singular_values(doubles(m, static_cast<Index>(d_), static_cast<Index>(e_)))[0];
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
    const DyadicRow dual = rounded(lambda_, bits);
    NormOptimum found;
    found.bits = problem_.checker_bits();
    found.multipliers = written_multipliers(problem_.constraints, active_, dual, exponent);
    if (found.multipliers.size() == 0) return;
    const WrittenMultipliers kept(dual, bits_);
    const std::optional<Rational> bound = spectral_bound(rows_.combination(active_, kept.value));
    if (!bound) return;
    found.dual_bound = *bound;
    found.value.lo = lower_dyadic(div(kept.sum, Ball(*bound, bits_), bits_), bits_) * power_of_two(-exponent);
    if (!measure_factors(problem_, rows_, left_, right_, rank_, found)) return;
    if (!is_narrowest(answer_, found)) return;
    answer_.optimum = std::move(found);
  }

  const PreparedProblem& problem_;
  NormAnswer& answer_;
  const long bits_;
  const std::size_t d_, e_;
  const PreciseRows rows_;
  std::size_t rank_ = 0;
  std::vector<std::size_t> active_;
  std::vector<Ball> left_, right_, lambda_;  // K d x rank, Q e x rank, multipliers at active_
};

}  // namespace

void solve_nuclear_norm(const PreparedProblem& problem, NormAnswer& answer) {
  NuclearSolver(problem, answer).run();
}

}  // namespace attest
