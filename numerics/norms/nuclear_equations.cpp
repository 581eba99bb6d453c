#include "numerics/norms/nuclear_equations.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "numerics/norms/rounding.hpp"
#include "numerics/numbers/decompositions.hpp"

namespace attest {
namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr std::size_t most_refinements = 60;  // Newton steps

}  // namespace

RowMatrix approx_matrix(const std::vector<Ball>& balls, Index rows, Index columns) {
  RowMatrix result(rows, columns);
  for (std::size_t k = 0; k < balls.size(); ++k) result.data()[k] = balls[k].approx_mid();
  return result;
}

NuclearEquations::NuclearEquations(const PreparedProblem& problem, long bits)
    : problem_(problem),
      bits_(bits),
      d_(static_cast<std::size_t>(problem.scaled.d())),
      e_(static_cast<std::size_t>(problem.scaled.e())),
      rows_(problem.constraints, problem.scaled.exponent, bits) {}

long NuclearEquations::Residuals::exponent() const {
  return std::max({largest_exponent(left), largest_exponent(right), largest_exponent(margin)});
}

NuclearEquations::Residuals NuclearEquations::residuals(const NuclearPoint& point) const {
  std::vector<Ball> m = rows_.combination(point.active, point.multiplier);
  forget_radii(m);
  Residuals found{point.left, point.right, {}};
  for (std::size_t a = 0; a < d_; ++a) {
    for (std::size_t b = 0; b < e_; ++b) {
      const Ball minus = neg(m[a * e_ + b]);
      for (std::size_t j = 0; j < point.rank; ++j) {
        add_product(found.left[a * point.rank + j], minus, point.right[b * point.rank + j], bits_);
        add_product(found.right[b * point.rank + j], minus, point.left[a * point.rank + j], bits_);
      }
    }
  }
  const std::vector<Ball> margins = rows_.margins(point.left, point.right, point.rank);
  for (const std::size_t c : point.active) found.margin.push_back(sub(margins[c], Ball(1), bits_));
  return found;
}

Eigen::MatrixXd NuclearEquations::derivative(const NuclearPoint& point) const {
  const auto rank = static_cast<Index>(point.rank), d = static_cast<Index>(d_), e = static_cast<Index>(e_);
  const auto active = static_cast<Index>(point.active.size());
  const Index own = rank * (d + e) + active, turns = rank * (rank - 1) / 2;
  const RowMatrix k = approx_matrix(point.left, d, rank), q = approx_matrix(point.right, e, rank);
  Eigen::VectorXd lambda(active);
  for (Index c = 0; c < active; ++c) lambda[c] = point.multiplier[static_cast<std::size_t>(c)].approx_mid();
  const RowMatrix m = approx_combination(problem_.scaled, point.active, lambda);
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
    const std::size_t at = point.active[static_cast<std::size_t>(c)];
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

void NuclearEquations::refine(NuclearPoint& point) const {
  Residuals now = residuals(point);
  long size = now.exponent();
  Eigen::PartialPivLU<Matrix> factor;
  for (std::size_t step = 0, fruitless = 0; step < most_refinements && size > 16 - bits_; ++step) {
    problem_.budget.poll();
    if (step == 0 || size > -24 || fruitless > 0) factor.compute(derivative(point));
    Eigen::VectorXd right = Eigen::VectorXd::Zero(factor.matrixLU().rows());
    Index at = 0;
    for (const std::vector<Ball>* part : {&now.left, &now.right, &now.margin}) {
      for (const Ball& x : *part) right[at++] = -scale_by_power_of_two(x, -size).approx_mid();
    }
    const Eigen::VectorXd change = factor.solve(right);
    if (!change.allFinite()) return;
    const auto before = std::make_tuple(point.left, point.right, point.multiplier);
    at = 0;
    for (std::vector<Ball>* part : {&point.left, &point.right, &point.multiplier}) {
      for (Ball& x : *part) x = add(x, scale_by_power_of_two(Ball(change[at++]), size), bits_);
      forget_radii(*part);
    }
    Residuals next = residuals(point);
    const long found = next.exponent();
    if (found >= size && ++fruitless > 2) {
      std::tie(point.left, point.right, point.multiplier) = before;
      return;
    }
    if (found < size) fruitless = 0;
    now = std::move(next);
    size = found;
  }
}

}  // namespace attest
