#include "numerics/norms/nuclear_solution.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/norms/column_projection.hpp"
#include "numerics/norms/least_singular_value.hpp"
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
using Why = NoEnclosure::Why;

constexpr unsigned short_bits = 16;  // of bounds
constexpr unsigned least_bits = 48;  // of the checker's procedures
constexpr long most_digits = 4096;   // of the numbers tried, in bits
constexpr std::size_t most_attempts = 3;

Ball square_sum(const std::vector<Ball>& values, long bits) {
  Ball sum;
  for (const Ball& x : values) add_product(sum, x, x, bits);
  return sum;
}

Rational root_above(const Ball& square) {
  return dyadic_above_sqrt(square.upper() + power_of_two(-60000), short_bits);
}

// Entries as integers over a power of two, and as the balls of radius 0 that they are.
struct WrittenFactor {
  WrittenMatrix matrix;
  std::vector<Ball> entries;
};
WrittenFactor write_factor(const std::vector<Ball>& values, std::size_t rows, std::size_t columns,
                           long bits) {
  const DyadicRow row = rounded(values, bits);
  return {written_matrix(row, rows, columns, 1, bits, 0), row.balls()};
}

// The least e with norm <= 2^e, or one more.
int exponent_above(double norm) {
  int exponent = 0;
  std::frexp(norm * (1 + 0x1p-40), &exponent);
  return exponent;
}

// What the checker's procedure (GRAMMAR.md section 7) proves of the Gram matrix of the rows of `scaled`, each
// divided by 2^exponent: its least eigenvalue is at least `bound`, with `bits`. bound is 0 where nothing is
// proved.
struct EigenvalueProof {
  Rational bound;
  unsigned bits = 0;
};
EigenvalueProof prove_eigenvalue(double least_scaled, int least_exponent, std::size_t vectors,
                                 std::size_t coordinates) {
  if (!(least_scaled > 0)) return {};
  const Rational bound =
      dyadic_below(Rational(least_scaled), short_bits) * power_of_two(2L * least_exponent - 1);
  const double error = std::ceil(std::sqrt(static_cast<double>(coordinates))) / 2 + 6;
  const double units = 2 * static_cast<double>(vectors) * error / least_scaled;
  return {bound, static_cast<unsigned>(std::ceil(std::log2(units)))};
}

// One attempt at a proof, with numbers of so many bits.
class Proof {
 public:
  Proof(const PreparedProblem& problem, NuclearPoint point, long bits)
      : problem_(problem),
        bits_(bits),
        precision_(2 * bits + 128),
        d_(static_cast<std::size_t>(problem.scaled.d())),
        e_(static_cast<std::size_t>(problem.scaled.e())),
        rank_(point.rank),
        point_(std::move(point)),
        rows_(problem.constraints, 0, precision_) {}

  Enclosure run() {
    NuclearEquations(problem_, bits_).refine(point_);
    if (!write()) return no_;
    measure();
    if (!bound_derivative() || !choose_radius() || !compare_margins() || !bound_columns() || !shorten())
      return no_;
    return shown_;
  }

 private:
  bool fail(Why why, std::optional<Constraint> at = std::nullopt) {
    no_ = {why, at, unknowns(), {}};
    return false;
  }
  std::size_t own() const { return rank_ * (d_ + e_); }
  std::size_t unknowns() const { return own() + point_.active.size() + rank_ * (rank_ - 1) / 2; }

  // The scaled rows are 2^-t of the problem's, t = scaled.exponent: K and Q are divided by 2^(t/2), so are
  // the multipliers by 2^t.
  bool write() {
    const long exponent = problem_.scaled.exponent, digits = bits_ - 16;
    const Ball half = exponent % 2 == 0 ? Ball(1) : sqrt(Ball(exponent > 0 ? 0.5 : 2.0), precision_);
    for (std::vector<Ball>* part : {&point_.left, &point_.right}) {
      for (Ball& x : *part) x = scale_by_power_of_two(mul(x, half, precision_), -(exponent / 2));
      forget_radii(*part);
    }
    WrittenFactor left = write_factor(point_.left, d_, rank_, digits);
    WrittenFactor right = write_factor(point_.right, e_, rank_, digits);
    shown_.left = std::move(left.matrix);
    shown_.right = std::move(right.matrix);
    k_ = std::move(left.entries);
    q_ = std::move(right.entries);
    const DyadicRow multipliers = rounded(point_.multiplier, digits);
    shown_.multipliers = written_multipliers(problem_.constraints, point_.active, multipliers, exponent);
    lambda_ = multipliers.balls();
    for (std::size_t c = 0; c < lambda_.size(); ++c) {
      lambda_[c] = scale_by_power_of_two(lambda_[c], -exponent);
      if (!certainly_positive(lambda_[c])) return fail(Why::multiplier, constraint(c));
    }
    m_ = rows_.combination(point_.active, lambda_);
    return true;
  }

  Constraint constraint(std::size_t c) const { return problem_.constraints.constraint(point_.active[c]); }
  Ball norm_squared(std::size_t at) const {
    const Ball* difference = rows_.difference(at);
    const Ball* query = rows_.query(rows_.group(at));
    return mul(dot({difference, d_}, {difference, d_}, precision_), dot({query, e_}, {query, e_}, precision_),
               precision_);
  }

  void measure() {
    std::vector<Ball> left = k_, right = q_;
    for (std::size_t a = 0; a < d_; ++a) {
      for (std::size_t b = 0; b < e_; ++b) {
        const Ball minus = neg(m_[a * e_ + b]);
        for (std::size_t j = 0; j < rank_; ++j) {
          add_product(left[a * rank_ + j], minus, q_[b * rank_ + j], precision_);
          add_product(right[b * rank_ + j], minus, k_[a * rank_ + j], precision_);
        }
      }
    }
    margins_ = rows_.margins(k_, q_, rank_);
    Ball residual = add(square_sum(left, precision_), square_sum(right, precision_), precision_), rows;
    for (const std::size_t at : point_.active) {
      residual = add(residual, square(sub(margins_[at], Ball(1), precision_), precision_), precision_);
      rows = add(rows, norm_squared(at), precision_);
    }
    shown_.residual = root_above(residual);
    shown_.rows = root_above(rows);
    shown_.factors = root_above(add(square_sum(k_, precision_), square_sum(q_, precision_), precision_));
  }

  // L in doubles, each entry the nearest to the exact one.
  Matrix derivative() const {
    const auto n = static_cast<Index>(unknowns()), rank = static_cast<Index>(rank_);
    const auto d = static_cast<Index>(d_), e = static_cast<Index>(e_);
    Matrix result = Matrix::Zero(n, n);
    result.topLeftCorner(rank * (d + e), rank * (d + e)).diagonal().setOnes();
    const auto set = [&](Index i, Index j, const Ball& value) {
      result(i, j) = result(j, i) = value.approx_mid();
    };
    for (Index a = 0; a < d; ++a)
      for (Index b = 0; b < e; ++b)
        for (Index j = 0; j < rank; ++j)
          set(a * rank + j, (d + b) * rank + j, m_[static_cast<std::size_t>(a * e + b)]);
    for (std::size_t c = 0; c < point_.active.size(); ++c) {
      const std::size_t at = point_.active[c];
      const Ball *difference = rows_.difference(at), *query = rows_.query(rows_.group(at));
      const auto place = static_cast<Index>(own() + c);
      for (std::size_t j = 0; j < rank_; ++j) {
        Ball zq, xk;
        for (std::size_t b = 0; b < e_; ++b) add_product(zq, query[b], q_[b * rank_ + j], precision_);
        for (std::size_t a = 0; a < d_; ++a) add_product(xk, difference[a], k_[a * rank_ + j], precision_);
        for (std::size_t a = 0; a < d_; ++a)
          set(static_cast<Index>(a * rank_ + j), place, mul(difference[a], zq, precision_));
        for (std::size_t b = 0; b < e_; ++b)
          set(static_cast<Index>((d_ + b) * rank_ + j), place, mul(query[b], xk, precision_));
      }
    }
    Index turn = static_cast<Index>(own() + point_.active.size());
    const auto entry = [&](std::size_t a, std::size_t j) {
      return a < d_ ? k_[a * rank_ + j] : q_[(a - d_) * rank_ + j];
    };
    for (std::size_t i = 0; i < rank_; ++i) {
      for (std::size_t j = i + 1; j < rank_; ++j, ++turn) {
        for (std::size_t a = 0; a < d_ + e_; ++a) {
          set(static_cast<Index>(a * rank_ + j), turn, entry(a, i));
          set(static_cast<Index>(a * rank_ + i), turn, neg(entry(a, j)));
        }
      }
    }
    // Signs of whole rows and columns are of no matter for singular values.
    result.block(0, rank * d, rank * d, rank * e) *= -1;
    result.block(rank * d, 0, rank * e, rank * d) *= -1;
    return result;
  }

  bool bound_derivative() {
    Matrix matrix = derivative();
    int least = 100000;
    for (Index i = 0; i < matrix.rows(); ++i) {
      const int exponent = exponent_above(matrix.row(i).norm());
      matrix.row(i) *= std::ldexp(1.0, -exponent);
      least = std::min(least, exponent);
    }
    problem_.budget.poll();
    const double found = least_singular_value(matrix, matrix.norm() * 0x1p-52);
    const std::size_t n = unknowns();
    // 2^-8 of it in case an exponent is one too large, and of what is not accurate.
    const EigenvalueProof proof = prove_eigenvalue(found * found / 16, least, n, n);
    if (proof.bound == 0) return fail(Why::singular);
    shown_.smallest = proof.bound;
    shown_.bits = std::max({shown_.bits, proof.bits, least_bits});
    return true;
  }

  // C1: F + 2 h R^2 <= R s for the root s of S, with half of R s to spare.
  bool choose_radius() {
    const Rational root =
        dyadic_below(shown_.smallest / dyadic_above_sqrt(shown_.smallest, short_bits), short_bits);
    shown_.radius = dyadic_above(2 * shown_.residual / root, short_bits);
    shown_.distance = dyadic_above(shown_.radius * (shown_.factors + shown_.radius), short_bits);
    return 4 * shown_.rows * shown_.radius <= root || fail(Why::precision);
  }

  bool compare_margins() {
    for (std::size_t c = 0; c < lambda_.size(); ++c)
      if (lambda_[c].lower() <= shown_.radius) return fail(Why::multiplier, constraint(c));
    std::size_t next = 0;
    for (std::size_t at = 0; at < margins_.size(); ++at) {
      if (next < point_.active.size() && point_.active[next] == at) {
        ++next;
        continue;
      }
      const Rational above = margins_[at].lower() - 1;
      if (above <= 0 || above * above <= norm_squared(at).upper() * shown_.distance * shown_.distance)
        return fail(Why::margin, problem_.constraints.constraint(at));
    }
    return true;
  }

  bool bound_columns() {
    const auto rank = static_cast<Index>(rank_);
    Matrix columns(static_cast<Index>(d_ + e_), rank);
    columns << approx_matrix(k_, static_cast<Index>(d_), rank),
        approx_matrix(q_, static_cast<Index>(e_), rank);
    int least = 100000;
    for (Index j = 0; j < rank; ++j) {
      const int exponent = exponent_above(columns.col(j).norm());
      columns.col(j) *= std::ldexp(1.0, -exponent);
      least = std::min(least, exponent);
    }
    // Columns of length at most 1: entries are off by that many roundings.
    const double error = static_cast<double>((d_ + e_ + 4) * rank_) * 0x1p-52;
    const double found = least_singular_value(columns.transpose() * columns, error);
    const EigenvalueProof proof = prove_eigenvalue(found / 16, least, rank_, d_ + e_);
    if (proof.bound == 0) return fail(Why::precision);
    shown_.columns = proof.bound;
    shown_.bits = std::max(shown_.bits, proof.bits);
    const bool apart =
        shown_.columns > shown_.factors * shown_.radius && shown_.columns > shown_.radius * shown_.radius;
    return apart || fail(Why::precision);
  }

  // C3, with half of what the next singular value leaves.
  bool shorten() {
    const Matrix m = approx_matrix(m_, static_cast<Index>(d_), static_cast<Index>(e_));
    const Eigen::SelfAdjointEigenSolver<Matrix> rising(
        d_ < e_ ? Matrix(m * m.transpose()) : Matrix(m.transpose() * m), Eigen::EigenvaluesOnly);
    const Index smaller = rising.eigenvalues().size() - static_cast<Index>(rank_);
    const double next_squared = smaller > 0 ? rising.eigenvalues()(smaller - 1) : 0;
    const double slope = std::sqrt(std::max(0.0, (1 - next_squared) / 2));
    if (!(slope > 0x1p-12)) return fail(Why::singular_value);
    shown_.slope = Rational(std::floor(slope * 0x1p16)) * power_of_two(-16);
    shown_.dual_bound = dyadic_above(1 + shown_.slope * shown_.slope / 8, 32);
    for (std::size_t attempt = 0; attempt < most_attempts; ++attempt, shown_.bits += 32) {
      problem_.budget.poll();
      const auto inverse = dual_basis(shown_.right, static_cast<long>(shown_.bits) + 16);
      if (!inverse) return fail(Why::precision);
      shown_.inverse = *inverse;
      Ball squares;
      std::vector<Ball> both = m_;
      for (const Integer& x : inverse->numerator) {
        const Ball entry(Rational(x, inverse->denominator), precision_);
        add_product(squares, entry, entry, precision_);
      }
      shown_.inverse_norm = root_above(squares);
      for (const Rational& x : across_projection(*inverse, shown_.right, shown_.slope * shown_.dual_bound))
        both.emplace_back(x, precision_);
      if (shortens() && proves_spectral_norm(both, d_ + e_, e_, shown_.dual_bound, shown_.bits)) return true;
    }
    return fail(Why::precision);
  }

  bool shortens() const {
    const Rational turned = shown_.inverse_norm * shown_.radius, moved = shown_.rows * shown_.radius;
    if (turned >= 1 || moved >= 1) return false;
    const Rational rest = 1 - shown_.slope * shown_.slope * (1 - turned) * (1 - turned);
    return shown_.dual_bound * shown_.dual_bound * rest < (1 - moved) * (1 - moved);
  }

  const PreparedProblem& problem_;
  const long bits_, precision_;
  const std::size_t d_, e_, rank_;
  NuclearPoint point_;
  const PreciseRows rows_;  // of the problem as it is
  std::vector<Ball> k_, q_, lambda_, m_, margins_;
  NuclearSolution shown_;
  NoEnclosure no_;
};

}  // namespace

Enclosure enclose_solution(const TokenData& data, const Selection& selection, const NormRequest& request,
                           const NormAnswer& answer, const Budget& budget) {
  if (!answer.refined || answer.refined->rank == 0 || answer.refined->active.empty()) return NoEnclosure{};
  const NuclearPoint& point = *answer.refined;
  const std::size_t sides = data.left_dimension + data.right_dimension, rank = point.rank;
  const std::size_t unknowns = rank * sides + point.active.size() + rank * (rank - 1) / 2;
  NoEnclosure no{Why::size, {}, unknowns, {}};
  if (unknowns > NoEnclosure::most) return no;
  try {
    const PreparedProblem problem(data, selection, request, {}, budget);
    long bits = problem.gap_bits() + 96;
    for (std::size_t attempt = 0; attempt < most_attempts && bits <= most_digits; ++attempt, bits *= 2) {
      budget.poll();
      Enclosure found = Proof(problem, point, bits).run();
      if (std::holds_alternative<NuclearSolution>(found)) return found;
      no = std::get<NoEnclosure>(found);
      if (no.why != Why::precision) break;
    }
  } catch (const BudgetReached& reached) {
    no = {Why::limit, {}, unknowns, reached.reason};
  }
  return no;
}

}  // namespace attest
