// What claims about runs take from elsewhere, at its edge: rate shapes and losses against their formulas, and
// what an enclosed solution leaves open of the direction a run is compared with.
#include <doctest/doctest.h>

#include "proofs/checker/runs/rate_shapes.hpp"
#include "proofs/checker/runs/replay.hpp"
#include "proofs/checker/text/context.hpp"
#include "tests/unit/proofs/checker/claims.hpp"
#include "tests/unit/proofs/runs/reference_iteration.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

bool contains(const Interval& interval, const Real& value) {
  const Real tiny = pow(Real(2), -440) * (1 + abs(value));
  return real(interval.lower()) <= value + tiny && value - tiny <= real(interval.upper());
}

bool narrow(const Interval& interval) {
  return real(interval.upper() - interval.lower()) <= pow(Real(2), -50) * abs(real(interval.upper()));
}

// two_groups with token 0 selected: Delta_1 = (2, 0), Delta_2 = (0, 2), so the matrix of x is (2 x_1, 2 x_2).
struct Plane {
  Instance instance = read_instance(TemporaryFile(two_groups).path());
  Features features{instance};
  Problem problem;
  Facts facts;
  StatedClaim stated{{1, "run", problem, 1}, nullptr};
  Claim claim{stated, facts};
  Plane() {
    problem.features = &features;
    problem.loss = Loss::logistic;
    problem.selection = {0, 0};
  }
  // The matrix (a, b) / 64.
  SpanElement matrix(long a, long b) const {
    ConstraintVector x;
    x.denominator = 128;
    if (a != 0) x.at.push_back({0, 1}), x.numerator.push_back(a);
    if (b != 0) x.at.push_back({1, 1}), x.numerator.push_back(b);
    return SpanElement(problem, x);
  }
};

}  // namespace

TEST_CASE("rate shapes are what their names say") {
  const std::pair<const char*, Real (*)(const Real&)> shapes[] = {
      {"1/t^2", [](const Real& t) { return Real(1 / (t * t)); }},
      {"1/t", [](const Real& t) { return Real(1 / t); }},
      {"log(t)/t", [](const Real& t) { return Real(log(t) / t); }},
      {"log(t)^2/sqrt(t)", [](const Real& t) { return Real(log(t) * log(t) / sqrt(t)); }},
      {"t^(-1/2)", [](const Real& t) { return Real(1 / sqrt(t)); }},
      {"t^(-3/4)", [](const Real& t) { return Real(1 / (sqrt(t) * sqrt(sqrt(t)))); }},
      {"1/log(t)", [](const Real& t) { return Real(1 / log(t)); }},
      {"1/log(t)^2", [](const Real& t) { return Real(1 / (log(t) * log(t))); }}};
  for (const auto& [word, formula] : shapes) {
    const auto& name = word;
    CAPTURE(name);
    const RateShape* shape = find_rate_shape(name);
    REQUIRE(shape != nullptr);
    for (const std::size_t t : {2UL, 3UL, 10UL, 1000UL, 123456789UL}) {
      const Interval value = shape->value(RateTime(t));
      CHECK(contains(value, formula(Real(t))));
      CHECK(narrow(value));
    }
  }
  CHECK(find_rate_shape("1/t^3") == nullptr);
}

TEST_CASE("losses, their slopes and curvatures") {
  for (const int numerator : {-900, -40, -3, 0, 1, 7, 60, 1000}) {
    CAPTURE(numerator);
    const Rational score = fraction(numerator, 7);
    const Real f = real(score);
    const Interval at(score, 200);
    CHECK(contains(loss_slope(Loss::logistic, at), 1 / (1 + exp(f))));
    CHECK(contains(loss_slope(Loss::exponential, at), exp(-f)));
    CHECK(contains(loss_slope(Loss::correlation, at), 1));
    CHECK(contains(loss_curvature_ratio(Loss::logistic, at), 1 / (1 + exp(-f))));
    CHECK(contains(loss_curvature_ratio(Loss::exponential, at), 1));
    CHECK(contains(loss_curvature_ratio(Loss::correlation, at), 0));
    for (const int drop : {0, 1, 30}) {
      const Rational deficit = fraction(drop, 11);
      const Real x = real(deficit);
      const Interval by(deficit, 200);
      CHECK(contains(loss_excess(Loss::logistic, at, by), log1p(exp(-f + x)) - log1p(exp(-f))));
      CHECK(contains(loss_excess(Loss::exponential, at, by), exp(-f + x) - exp(-f)));
      CHECK(contains(loss_excess(Loss::correlation, at, by), x));
    }
  }
}

// The solution may be (1, 0), while the centre is (1, 1/64) and the run starts at right angles to the
// solution.
TEST_CASE("what is off by the solution's radius is widened by it") {
  const Plane plane;
  EnclosedSolution enclosed(plane.matrix(64, 1));
  enclosed.radius = Rational(1, 64);
  const ReferenceDirection direction = reference_direction(plane.claim, enclosed, 160, false);
  const StartPoint start = {0, 10};
  CHECK(contains(start_point_facts(direction, start, 160).height, 0));
  CHECK(contains(start_point_facts(direction, start, 160).residual, 10));
  Specification specification;
  specification.rule = Rule::ngd;
  specification.step = 1;
  Replay replay(direction, specification, start, 128);
  replay.evaluate();
  CHECK(contains(replay.place().norm, 10));
  CHECK(contains(replay.place().along, 0));
  CHECK(contains(replay.facts().height, 0));
  CHECK(contains(replay.facts().residual, 10));
  // The other way: the solution may be (1, 2/64).
  const Real along = 10 * (Real(2) / 64) / sqrt(1 + pow(Real(2) / 64, 2));
  CHECK(contains(start_point_facts(direction, start, 160).height, along));
  CHECK(contains(replay.place().along, along));
}

TEST_CASE("a direction is as uncertain as the solution it comes from") {
  const Plane plane;
  EnclosedSolution enclosed(plane.matrix(32, 32));  // (1/2, 1/2), multipliers 1/4 each
  enclosed.radius = Rational(1, 16);
  enclosed.multiplier_radius = Rational(1, 32);
  const ReferenceDirection direction = reference_direction(plane.claim, enclosed, 160, true);
  const Real norm = 1 / sqrt(Real(2)), radius = Real(1) / 16;
  for (const Real& possible : {Real(norm - radius), norm, Real(norm + radius)}) {
    CHECK(contains(direction.norm, possible));
    CHECK(contains(direction.margin, 1 / possible));
    for (const Real& multiplier : {Real(7) / 32, Real(8) / 32, Real(9) / 32})
      CHECK(contains(direction.weight[0], multiplier / (possible * possible)));
  }
  REQUIRE(direction.active.size() == 2);
  enclosed.multiplier_radius = Rational(1, 4);
  CHECK_THROWS_AS(reference_direction(plane.claim, enclosed, 160, true), Failure);
  CHECK_NOTHROW(reference_direction(plane.claim, enclosed, 160, false));
  enclosed.radius = Rational(3, 4);
  CHECK_THROWS_AS(reference_direction(plane.claim, enclosed, 160, false), Failure);

  GapSolution gap(plane.matrix(32, 32));
  gap.claim = &plane.stated;
  gap.distance_squared = Rational(1, 256);
  const ReferenceDirection from_gap = reference_direction(plane.claim, gap, 160, false);
  CHECK(contains(from_gap.norm, norm - radius));
  CHECK(contains(from_gap.norm, norm + radius));
  CHECK_THROWS_AS(reference_direction(plane.claim, gap, 160, true), Failure);
  gap.distance_squared = 1;
  CHECK_THROWS_AS(reference_direction(plane.claim, gap, 160, false), Failure);
}

// A constraint without a multiplier: its slope gamma_c = m_c(W*)/||W*|| moves with W*, by ||Delta_c|| R.
TEST_CASE("slopes off the support are widened by the radius") {
  const Plane plane;
  EnclosedSolution enclosed(plane.matrix(64, 0));  // (1, 0): margins 2 and 0
  enclosed.radius = Rational(1, 8);
  const ReferenceDirection direction = reference_direction(plane.claim, enclosed, 160, true);
  REQUIRE(direction.active.size() == 1);
  CHECK(contains(direction.slopes(0)[1], 1));
  CHECK(contains(direction.slopes(1)[1], 1));  // a margin is at least 1 at the solution, wherever it is
  EnclosedSolution other(plane.matrix(64, 64));
  other.radius = Rational(1, 8);
  ReferenceDirection apart = reference_direction(plane.claim, other, 160, true);
  apart.active = {{0, 1}};  // as if only the first had a multiplier
  const Real norm = sqrt(Real(2));
  for (const int sign : {-1, 1}) {
    CHECK(contains(apart.slopes(1)[1], (2 + sign * 2 * Real(1) / 8) / norm));
    CHECK(contains(apart.slopes(1)[1], 2 / (norm + sign * Real(1) / 8)));
  }
}

TEST_CASE("a problem without constraints has no direction") {
  const Instance instance = read_instance(TemporaryFile(no_constraints).path());
  const Features features(instance);
  Problem problem;
  problem.features = &features;
  problem.loss = Loss::logistic;
  problem.selection = {0};
  const Facts facts;
  const StatedClaim stated{{1, "run", problem, 1}, nullptr};
  const Claim claim(stated, facts);
  const ExactSolution zero{SpanElement(problem, ConstraintVector())};
  for (const bool multipliers : {false, true})
    CHECK_THROWS_WITH_AS(reference_direction(claim, zero, 160, multipliers),
                         doctest::Contains("no constraint"), Failure);
}
