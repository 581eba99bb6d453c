// The bound of a step's derivative against differences of two exact steps.
#include <doctest/doctest.h>

#include "tests/unit/numerics/factored/dense_factors.hpp"

using namespace attest;
using namespace attest_test;

namespace {

Real distance(const DenseFactors& a, const DenseFactors& b) {
  Real sum = 0;
  for (std::size_t k = 0; k < a.K.size(); ++k) sum += (a.K[k] - b.K[k]) * (a.K[k] - b.K[k]);
  for (std::size_t k = 0; k < a.Q.size(); ++k) sum += (a.Q[k] - b.Q[k]) * (a.Q[k] - b.Q[k]);
  return sqrt(sum);
}

// Two runs from points that are close by: while they are, their distance never grows by more than the bounds
// of the steps allow.
void check_growth(const FactoredSpec& asked, unsigned seed, double least_share = -1e9) {
  const TokenData data = gaussian_instance({3, 4}, 3, 3, seed);
  const std::size_t m = asked.rank;
  const FactoredStart start{sevenths(3 * m, seed), sevenths(3 * m, seed + 7)};
  DenseFactors one(data, asked, start), other(data, asked, start);
  std::mt19937_64 random(seed);
  for (Real& entry : other.K) entry += Real(static_cast<double>(random() % 1000) - 500) * pow(Real(10), -60);
  for (Real& entry : other.Q) entry += Real(static_cast<double>(random() % 1000) - 500) * pow(Real(10), -60);
  other.multiply();
  const Features features(data, 400);
  FactoredIteration run(features, asked, start);
  double grown = 0;
  Real before = distance(one, other);
  const Real first = before;
  for (int t = 0; t < 60; ++t) {
    REQUIRE(run.evaluate(400) == IterationStatus::ok);
    REQUIRE(run.advance_unproved(1) == IterationStatus::ok);
    one.advance();
    other.advance();
    const Real after = distance(one, other);
    const double allowed = run.growth_bits() - grown;
    grown = run.growth_bits();
    // Beyond the first it is no derivative, beyond the second the textbook gradient cancels.
    Real size = 0;
    for (const Real& w : one.reference.W) size += w * w;
    if (after > pow(Real(10), -25) || size > 40000) break;
    CHECK(log(Real(after / before)) / log(Real(2)) <= allowed + 1e-9);
    before = after;
  }
  const Real share = log(Real(before / first)) / log(Real(2)) / Real(grown);
  CHECK(share >= least_share);  // how sharp the bounds are
}

}  // namespace

TEST_CASE("errors grow no faster than the bounds of the step's derivative") {
  check_growth(factored(3, false, Rational(1, 2)), 1);
  check_growth(factored(2, false, 20, Loss::exponential), 2);
  check_growth(factored(3, true, Rational(1, 10)), 3, 0.1);
  check_growth(factored(3, true, 4), 4);  // steps that overshoot
  check_growth(factored(2, true, 3, Loss::correlation), 5);
}
