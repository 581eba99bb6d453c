// T17's bounds against what they bound: steps from points drawn at random, and the later steps of runs.
#include "numerics/mirror/region.hpp"

#include <doctest/doctest.h>

#include <random>

#include "numerics/mirror/double_run.hpp"
#include "numerics/mirror/region_data.hpp"
#include "numerics/mirror/step_curvature.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using namespace attest_test;

namespace {

constexpr long region_bits = 128;

double signed_power(double x, double power) {
  return std::copysign(std::pow(std::abs(x), power), x);
}

// A run of normalised mirror descent in balls, its limit, and where it is.
struct Course {
  TokenData data;
  MirrorSpec spec;
  Potential potential;
  Features features;
  MirrorIteration run;
  std::optional<MirrorLimit> limit;
  std::vector<double> direction, normal;

  Course(unsigned seed, const Rational& exponent, std::uint64_t steps, bool normalised = true)
      : data(gaussian_instance({4, 4, 4}, 6, 5, seed)),
        spec(asked(exponent, normalised)),
        potential(exponent),
        features(data, region_bits),
        run(features, spec, potential, {}) {
    const Budget budget;
    std::string reason;
    limit = mirror_limit(data, guess_mirror_selection(features, spec, {}, steps, budget), potential, budget,
                         reason);
    if (!limit) return;
    for (const Ball& u : limit->direction) direction.push_back(u.approx_mid());
    for (const Ball& n : limit->normal) normal.push_back(n.approx_mid());
  }
  static MirrorSpec asked(const Rational& exponent, bool normalised) {
    MirrorSpec spec;
    spec.exponent = exponent;
    spec.normalised = normalised;
    spec.steps.step = normalised ? Rational(1, 10) : Rational(2);
    return spec;
  }
  void go(std::uint64_t t) {
    while (run.step() < t) {
      REQUIRE(run.evaluate() == IterationStatus::ok);
      REQUIRE(run.advance() == IterationStatus::ok);
    }
    REQUIRE(run.evaluate() == IterationStatus::ok);
  }
  std::vector<double> at() const {
    std::vector<double> w;
    for (const Ball& x : run.primal()) w.push_back(x.approx_mid());
    return w;
  }
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// d(a, a+e) summed, P = p.
double divergence(const std::vector<double>& a, const std::vector<double>& w, double p) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j)
    sum += std::pow(std::abs(a[j]), p) / p + std::pow(std::abs(w[j]), p) * (p - 1) / p -
           a[j] * signed_power(w[j], p - 1);
  return sum;
}

// Vectors of weights between the multipliers and anything else.
std::vector<double> weights_near(const std::vector<double>& mu, std::mt19937_64& random) {
  std::exponential_distribution<double> part;
  std::uniform_real_distribution<double> unit(0, 1);
  const double share = std::pow(unit(random), 3), power = random() % 2 == 0 ? 1 : 4;
  std::vector<double> q(mu.size());
  double sum = 0;
  for (double& x : q) sum += x = std::pow(part(random), power);
  for (std::size_t c = 0; c < q.size(); ++c) q[c] = (1 - share) * mu[c] + share * q[c] / sum;
  return q;
}

}  // namespace

TEST_CASE("no step's curvature costs more than its bound, entries that were driven to zero included" *
          doctest::test_suite("long")) {
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  int tested = 0, near = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Rational exponent = seed % 2 == 0 ? Rational(3) : Rational(5, 2);
    Course course(seed, exponent, 400);
    if (!course.limit || course.limit->multipliers.empty()) continue;
    course.go(300);
    RegionData<DoubleInterval> data(exponent);
    std::string reason;
    if (!data.read(course.data, course.spec, course.potential, *course.limit, course.run.primal(), reason))
      continue;
    if (data.local) continue;
    const double p = course.potential.p(), q = course.potential.q(), eta = 0.1;
    const double gamma = course.limit->gamma.approx_mid();
    StepCurvature<DoubleInterval> curvature(data, eta);
    const std::vector<double> start = course.at();
    const double y0 = dot(course.normal, start);
    std::vector<double> mu;
    for (const Ball& x : course.limit->multipliers) mu.push_back(std::max(0.0, x.approx_mid()));
    for (int k = 0; k < 60; ++k) {
      const double y = y0 * (1 + 4 * unit(random) * unit(random)), scale = std::pow(10.0, -3 * unit(random));
      const std::vector<double> weight = weights_near(mu, random);
      std::vector<double> a, w, velocity(start.size(), 0);
      double leaning = 0, length = 0;  // KL(mu|q), ||V||_Q/Om
      for (std::size_t c = 0; c < mu.size(); ++c) {
        if (mu[c] > 0) leaning += mu[c] * std::log(mu[c] / weight[c]);
        for (std::size_t j = 0; j < velocity.size(); ++j)
          velocity[j] += weight[c] * course.limit->rows[c][j].approx_mid();
      }
      for (const double x : velocity) length += std::pow(std::abs(x), q);
      length = eta / std::pow(length, 1 / q);
      const double killed = unit(random) * unit(random);
      double cost = 0;
      for (std::size_t j = 0; j < start.size(); ++j) {
        a.push_back(start[j] + (y - y0) * course.direction[j]);
        const double step = length * velocity[j];
        double z = signed_power(a[j] + scale * normal(random), p - 1);
        if (unit(random) < killed) z = -step * (0.05 + 0.3 * unit(random));
        w.push_back(signed_power(z, 1 / (p - 1)));
        cost += (std::pow(std::abs(z + step), q) - std::pow(std::abs(z), q)) / q - w[j] * step;
      }
      StepFacts facts;
      for (const double x : a) facts.entries.push_back(std::abs(x));
      facts.energy = divergence(a, w, p) * (1 + 1e-9);
      facts.length = eta / gamma * (1 + 1e-9);
      facts.speed = gamma * (1 - 1e-9);
      const double bound = curvature(facts), value = cost / length - leaning;
      REQUIRE(value <= bound + 1e-9);
      ++tested;
      near += value > 0.2 * bound ? 1 : 0;
    }
  }
  CHECK(tested >= 120);
  CHECK(near > 0);
}

TEST_CASE("entries that no step moves take nothing from what the others cost, however small they are") {
  // x = 1 against -1, z = (1, 0): W_1 moves, W_2 stays what it was at the start.
  const Rational exponent = 64;
  TokenData data;
  data.left_dimension = 1;
  data.right_dimension = 2;
  data.first_row = {0, 2};
  const std::vector<double> tokens{1, -1}, query{1, 0};
  data.token_factor = ExactArray::from_binary64(tokens);
  data.query_factor = ExactArray::from_binary64(query);
  data.scores.push_back(Rational(1));
  data.scores.push_back(Rational(0));
  const Potential potential(exponent);
  const Budget budget;
  std::string reason;
  auto limit = mirror_limit(data, {0}, potential, budget, reason);
  REQUIRE(limit);
  // Exactly; for so large a P the solver's distance is not small.
  limit->direction = limit->normal = {Ball(1), Ball(0)};
  limit->gamma = limit->along[0] = Ball(2);
  limit->multipliers = {Ball(1)};
  limit->optimum.locally_optimal = true;
  for (const double still : {0.0, 1e-5, 7e-5, 8e-5, 9e-5, 9.5e-5, 1e-4, 0.1}) {
    RegionData<DoubleInterval> facts(exponent);
    REQUIRE(
        facts.read(data, Course::asked(exponent, true), potential, *limit, {Ball(1), Ball(still)}, reason));
    StepCurvature<DoubleInterval> curvature(facts, 0.1);
    // Z = (1, still^63), a step of 1/10 along V/Om = (2, 0).
    const double q = 64.0 / 63, cost = (std::pow(1.1, q) - 1) / q - 0.1;
    CHECK(curvature({{1, still}, 1e-12, 0.05, 2, 0}) >= cost / 0.05);
  }
}

TEST_CASE("the constant of Hoelder's bound is least, up to a millionth") {
  for (const Rational& p : {Rational(5, 2), Rational(3), Rational(4), Rational(10)}) {
    const Exponents e(p);
    const double q = e.q.value(), bound = hoelder_constant<DoubleInterval>(e);
    double most = 0;
    for (int k = 1; k < 100000; ++k) {
      const double z = -1e-5 * k;
      most = std::max(most, (std::pow(1 + z, q) - std::pow(-z, q)) / q + std::pow(-z, q - 1));
    }
    CHECK(most <= bound);
    CHECK(bound <= most * (1 + 1e-4));
  }
}

TEST_CASE("the region's bounds hold at thousands of later steps" * doctest::test_suite("long")) {
  int proved = 0;
  for (unsigned seed = 0; seed < 3; ++seed) {
    const Rational exponent = seed % 4 == 0 ? Rational(7, 4) : seed % 4 == 1 ? Rational(3) : Rational(5, 2);
    Course course(seed, exponent, 3000);
    if (!course.limit) continue;
    MirrorRegionProver prover(exponent);
    const Budget budget;
    std::optional<MirrorRegion> region;
    std::string reason;
    std::uint64_t t0 = 400;
    for (; t0 < 2000 && !region; t0 += t0 / 2) {
      course.go(t0);
      region = prover(course.data, course.spec, course.potential, *course.limit, course.run.primal(), budget,
                      reason);
    }
    if (!region) continue;
    ++proved;
    const std::uint64_t from = course.run.step();
    const double p = course.potential.p(), clock = std::max(1.0, course.potential.q() - 1);
    const std::vector<double> start = course.at();
    const double y0 = dot(course.normal, start);
    CHECK(region->height <= y0 * (1 + 1e-12));
    for (std::uint64_t t = from; t < from + 2000; t += 199) {
      course.go(t);
      const std::vector<double> w = course.at();
      double zeta = 0;
      for (std::size_t j = 0; j < w.size(); ++j) zeta += signed_power(w[j], p - 1) * course.direction[j];
      CHECK(zeta >= (region->zeta + region->growth * 0.1 * static_cast<double>(t - from)) * (1 - 1e-12));
      // E(w): the point of the ray with the same zeta.
      std::vector<double> a(w.size());
      double least = y0 * 0.5, most = y0 * 100;
      for (int k = 0; k < 200; ++k) {
        const double y = (least + most) / 2;
        double here = 0;
        for (std::size_t j = 0; j < w.size(); ++j) {
          a[j] = start[j] + (y - y0) * course.direction[j];
          here += signed_power(a[j], p - 1) * course.direction[j];
        }
        (here < zeta ? least : most) = y;
      }
      CHECK(divergence(a, w, p) <=
            region->energy * (std::pow(zeta, clock) - std::pow(region->zeta, clock)) + 1e-9 * zeta);
      for (const std::vector<Ball>& row : course.limit->rows) {
        std::vector<double> delta;
        for (const Ball& x : row) delta.push_back(x.approx_mid());
        CHECK(dot(delta, w) >= region->least_margin - 1e-9);
      }
      double square = 0;
      for (const double x : w) square += std::pow(std::abs(x), p);
      const double bregman = 1 - zeta / std::pow(square, 1 - 1 / p);
      CHECK(bregman <= region->direction / std::pow(zeta, region->power) + 1e-12);
    }
  }
  CHECK(proved >= 2);
}
