// A run seen from several selected tokens, against W_t's own entries in floating point.
#include "numerics/runs/finite_part_observer.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "numerics/runs/validated_run.hpp"
#include "tests/unit/numerics/margin/reference.hpp"

using namespace attest;

namespace {

constexpr std::size_t dimension = 3;

// Two groups of R^3 with a tie of the best score in the first one; scores as given make a linear head.
TokenData tied_data() {
  return reference::make_data({{{2, 0, 1}, {0, 1, 1}, {-1, -1, 3}}, {{1, 1, 0}, {-1, 0, 2}}}, {{1}, {1}},
                              {{1, 1, -2}, {2, -1}});
}

// W_t's entries from its distances to multiples of unit vectors.
std::vector<double> entries(const EnclosedPoint& point) {
  Ball norm, distance;
  point.norm(norm.raw());
  std::vector<double> found;
  for (std::size_t j = 0; j < dimension; ++j) {
    std::vector<Rational> unit(dimension, 0);
    unit[j] = 1;
    point.distance(distance.raw(), ExactArray::from_rationals(std::move(unit)));
    const Ball twice = sub(add(square(norm, 256), Ball(1), 256), square(distance, 256), 256);
    found.push_back(twice.approx_mid() / 2);
  }
  return found;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
  return sum;
}

class Listener : public RunListener {
 public:
  explicit Listener(const FinitePartObserver& observer) : observer_(observer) {}
  void watch(const EnclosedPoint& enclosed, const RunObserver&, const RunPoint& point) override {
    seen = observer_.observe(point.step, enclosed);
    W = entries(enclosed);
  }
  FinitePartPoint seen;
  std::vector<double> W;

 private:
  const FinitePartObserver& observer_;
};

// The greatest cosine of W with F + c M over a grid of c > 0.
double best_cosine(const std::vector<double>& W, const std::vector<double>& F, const std::vector<double>& M) {
  double best = -1;
  for (int k = -4000; k <= 8000; ++k) {
    const double c = std::exp(k / 500.0);
    std::vector<double> both = F;
    for (std::size_t j = 0; j < both.size(); ++j) both[j] += c * M[j];
    best = std::max(best, dot(W, both) / std::sqrt(dot(W, W) * dot(both, both)));
  }
  return best;
}

}  // namespace

TEST_CASE("a run seen from several selected tokens") {
  const TokenData data = tied_data();
  const RunGeometry geometry(data, 6);
  const SelectedSets sets{{0, 1}, {0}};
  const FiniteEquations equations(data, sets, Budget());
  const MarginSolution solution = solve_margin_rows(data, margin_rows(data, sets));
  REQUIRE(solution.feasibility == Feasibility::feasible);
  const std::vector<double> difference{2, -1, 0};  // a_0 - a_1 of the first group
  for (const bool given : {false, true}) {
    CAPTURE(given);
    std::optional<std::vector<Ball>> values;
    if (given) values = logarithms({Rational(3, 2)}, 192);
    const FinitePartObserver observer(geometry, sets, equations, solution, values);
    Listener listener(observer);
    RunOptions options;
    options.steps = 20;
    options.bits = 80;
    const OptimizerSpec spec{update_rule("ngd"), Schedule::constant, Rational(1, 4), Loss::logistic};
    validated_run(geometry, spec, ExactArray(), options, &listener);
    const FinitePartPoint& seen = listener.seen;
    REQUIRE(seen.step == 20);
    const std::vector<double>& W = listener.W;
    // Attention in the first group.
    const double s[3] = {std::exp(2 * W[0] + W[2]), std::exp(W[1] + W[2]), std::exp(-W[0] - W[1] + 3 * W[2])};
    const double t[2] = {std::exp(W[0] + W[1]), std::exp(-W[0] + 2 * W[2])};
    const double all = s[0] + s[1] + s[2];
    CHECK(seen.least_selected.approx_mid() ==
          doctest::Approx(std::min({s[0] / all, s[1] / all, t[0] / (t[0] + t[1])})));
    CHECK(seen.greatest_masked.approx_mid() == doctest::Approx(std::max(s[2] / all, t[1] / (t[0] + t[1]))));
    // W_fin is along the one difference, W_mm orthogonal to it.
    const double value = given ? std::log(1.5) : dot(difference, W);
    std::vector<double> F = difference;
    for (double& x : F) x *= value / 5;
    REQUIRE(seen.finite_norm);
    CHECK(seen.finite_norm->approx_mid() == doctest::Approx(std::abs(value) / std::sqrt(5.0)));
    std::vector<double> M(dimension, 0);
    const ConstraintVector& primal =
        solution.exact ? solution.exact->multipliers : solution.enclosed->multipliers;
    for (std::size_t k = 0; k < primal.size(); ++k) {
      const Constraint& c = primal.constraint[k];
      for (std::size_t j = 0; j < dimension; ++j) {
        const Rational x = data.token_factor.exact(data.row(c.group, 0) * dimension + j) -
                           data.token_factor.exact(data.row(c.group, c.token) * dimension + j);
        M[j] += Rational(primal.value(k) * x).convert_to<double>();
      }
    }
    CHECK(std::abs(dot(M, difference)) < 1e-12);
    if (dot(W, F) <= 0) {  // given ratios need not be the run's
      CHECK_FALSE(seen.one_minus_corr);
      continue;
    }
    REQUIRE(seen.one_minus_corr);
    const double best = best_cosine(W, F, M);
    CHECK(seen.one_minus_corr->approx_mid() == doctest::Approx(1 - best).epsilon(1e-4));
    CHECK(seen.one_minus_corr->radius_upper() < 1e-18);
    REQUIRE(seen.factor);
    const double c = seen.factor->approx_mid();
    std::vector<double> both = F;
    for (std::size_t j = 0; j < both.size(); ++j) both[j] += c * M[j];
    CHECK(dot(W, both) / std::sqrt(dot(W, W) * dot(both, both)) >= best - 1e-12);
  }
}
