// Trajectories of mirror descent against the definition in 650 digits, and what is proved of later steps
// against a run in doubles.
#include <doctest/doctest.h>

#include <map>

#include "numerics/mirror/run.hpp"
#include "tests/unit/numerics/runs/dense_run.hpp"

using namespace attest;
using namespace attest_test;

namespace {

Real signed_power(const Real& x, const Real& power) {
  if (x == 0) return x;
  const Real size = pow(abs(x), power);
  return x < 0 ? Real(-size) : size;
}

// Z+ = Z - tau grad L(W), term by term.
struct DenseMirror {
  Reference reference;
  Real exponent;
  bool normalised;
  std::vector<Real> Z;

  DenseMirror(const TokenData& data, const MirrorSpec& spec, const ExactArray& start)
      : reference(data, spec.steps, start), exponent(real(spec.exponent)), normalised(spec.normalised) {
    for (const Real& w : reference.W) Z.push_back(signed_power(w, exponent - 1));
  }
  void advance() {
    const std::vector<Real> g = reference.gradient();
    const Real q = exponent / (exponent - 1);
    Real sum = 0, tau = real(reference.spec.step);
    for (const Real& entry : g) sum += entry == 0 ? Real(0) : Real(pow(abs(entry), q));
    if (normalised) tau /= pow(sum, 1 / q);
    for (std::size_t j = 0; j < Z.size(); ++j) {
      Z[j] -= tau * g[j];
      reference.W[j] = signed_power(Z[j], 1 / (exponent - 1));
    }
  }
};

bool holds(const Ball& ball, const Real& value) {
  const Real distance = abs(value - real(arb_midref(ball.raw())));
  arf_t radius;
  arf_init(radius);
  arf_set_mag(radius, arb_radref(ball.raw()));
  const Real room = real(radius) + pow(Real(10), -500);
  arf_clear(radius);
  return distance <= room;
}

MirrorSpec mirror(const Rational& exponent, bool normalised, const Rational& step,
                  Loss loss = Loss::logistic) {
  MirrorSpec result;
  result.exponent = exponent;
  result.normalised = normalised;
  result.steps = spec(update_rule("gd"), step, loss);
  return result;
}

void check_trajectory(const TokenData& data, const MirrorSpec& asked, const ExactArray& start, int steps,
                      long least_bits = 150) {
  const Features features(data, 256);
  const Potential potential(asked.exponent);
  MirrorIteration run(features, asked, potential, start);
  DenseMirror dense(data, asked, start);
  for (int t = 0; t <= steps; ++t) {
    REQUIRE(run.evaluate() == IterationStatus::ok);
    for (std::size_t j = 0; j < dense.Z.size(); ++j) {
      REQUIRE(holds(run.dual()[j], dense.Z[j]));
      REQUIRE(holds(run.primal()[j], dense.reference.W[j]));
    }
    if (t > 0) CHECK(run.correct_bits() > least_bits);
    REQUIRE(run.advance() == IterationStatus::ok);
    dense.advance();
  }
}

}  // namespace

TEST_CASE("trajectories contain the iteration, for several potentials, rules and losses") {
  const TokenData data = gaussian_instance({3, 4, 2}, 3, 2, 7);
  const ExactArray start = ExactArray::from_binary64({0.5, -0.25, 0.0, 1.0, -2.0, 0.125});
  check_trajectory(data, mirror(Rational(7, 4), true, Rational(1, 10)), {}, 40);
  check_trajectory(data, mirror(Rational(7, 4), false, Rational(1, 2)), start, 30);
  check_trajectory(data, mirror(3, true, Rational(1, 10)), {}, 40);
  check_trajectory(data, mirror(3, false, Rational(1, 3), Loss::exponential), start, 30);
  check_trajectory(data, mirror(2, true, Rational(1, 10), Loss::correlation), start, 30);
  check_trajectory(data, mirror(Rational(11, 10), true, Rational(1, 10)), {}, 20);
}

TEST_CASE("an entry of Z that becomes exactly zero costs half the bits, not the run") {
  TokenData data;
  data.left_dimension = data.right_dimension = 3;
  data.first_row = {0, 3, 6, 9};
  data.token_factor = ExactArray::from_binary64(
      {3, 1, 0, 0, 2, 1, 1, 0, 2, 1, 3, 1, 2, 0, 1, 0, 1, 3, 0, 1, 3, 3, 0, 1, 1, 2, 0});
  data.query_factor = ExactArray::from_binary64({0.5, 0, 0.25, 0, 0.5, 0, 0.25, 0.25, 0});
  const ExactArray v = ExactArray::from_binary64({0.25, 0.125, 0});
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t t = 0; t < 3; ++t)
      data.scores.push_back((i == 1 ? -1 : 1) * exact_dot(data.token_factor, data.row(i, t), v, 0, 3));
  }
  check_trajectory(data, mirror(3, false, Rational(1, 2), Loss::exponential), {}, 12, 60);
}

TEST_CASE("queries of zero keep W where it is, whatever the scores are") {
  TokenData data = gaussian_instance({3, 4}, 3, 2, 7);
  const MirrorSpec asked = mirror(Rational(7, 4), true, Rational(1, 10));
  const Potential potential(asked.exponent);
  for (const double second : {1.0, 0.0}) {
    data.query_factor = ExactArray::from_binary64({0, 0, 0, second});
    const Features features(data, 256);
    CHECK((MirrorIteration(features, asked, potential, {}).evaluate() == IterationStatus::stationary) ==
          (second == 0));
  }
}

TEST_CASE("equal tokens move as often as they stand there") {
  const CountedInstance instance = counted_instance({4, 3}, 3, 2, 2);
  const MirrorSpec asked = mirror(Rational(7, 4), true, Rational(1, 10));
  const Features features(instance.merged, 256);
  const Potential potential(asked.exponent);
  MirrorIteration run(features, asked, potential, {});
  DenseMirror dense(instance.unfolded, asked, {});
  for (int t = 0; t < 15; ++t) {
    REQUIRE(run.evaluate() == IterationStatus::ok);
    for (std::size_t j = 0; j < dense.Z.size(); ++j) REQUIRE(holds(run.dual()[j], dense.Z[j]));
    REQUIRE(run.advance() == IterationStatus::ok);
    dense.advance();
  }
}

TEST_CASE("a run is complete with the bits wanted, and P = 2 is gradient descent's limit") {
  const TokenData data = gaussian_instance({4, 4, 4}, 6, 5, 3);
  MirrorOptions options;
  options.steps = 300;
  const MirrorOutcome outcome = mirror_run(data, mirror(2, true, Rational(1, 10)), {}, options);
  CHECK(outcome.verdict == RunVerdict::complete);
  CHECK(outcome.record.correct_bits >= 100);
  REQUIRE(outcome.settled());
  // In the Euclidean norm both correlations are one.
  for (const MirrorPoint& point : outcome.record.checkpoints) {
    if (point.step > 0) CHECK(overlap(point.bregman, point.euclidean));
  }
}

TEST_CASE("a run that is stopped anywhere says of its last step what is true of that step") {
  const TokenData data = gaussian_instance({4, 4, 4}, 6, 5, 3);
  const MirrorSpec spec = mirror(3, true, Rational(1, 10));
  MirrorOptions options;
  options.steps = 40;
  options.plan = true;
  std::size_t looked = 0, most = 0;
  Budget budget;
  budget.stop_when([&] { return ++looked > most; });
  options.budget = &budget;
  std::map<std::uint64_t, Ball> norms;  // by the step at which a run was to end
  std::size_t stopped = 0;
  for (most = 1; most < 3000; most += 1 + most / 16) {
    looked = 0;
    const MirrorRecord record = mirror_run(data, spec, {}, options).record;
    if (record.checkpoints.empty()) continue;
    const MirrorPoint& last = record.checkpoints.back();
    if (!norms.contains(last.step)) {
      MirrorOptions whole;
      whole.steps = last.step;
      norms.emplace(last.step, mirror_run(data, spec, {}, whole).record.checkpoints.back().norm);
    }
    CAPTURE(most);
    CAPTURE(last.step);
    CHECK(overlap(last.norm, norms.at(last.step)));
    ++stopped;
  }
  CHECK(stopped > 20);
}

TEST_CASE("what is proved for all later steps holds at later steps" * doctest::test_suite("long")) {
  int proved = 0;
  for (unsigned seed = 0; seed < 3; ++seed) {
    const TokenData data = gaussian_instance({4, 4, 4}, 6, 5, seed);
    const Rational exponent = seed % 2 == 0 ? Rational(7, 4) : Rational(5, 2);
    MirrorOptions options;
    options.steps = 700;
    options.bits = 40;
    const MirrorOutcome outcome = mirror_run(data, mirror(exponent, true, Rational(1, 10)), {}, options);
    REQUIRE(outcome.verdict == RunVerdict::complete);
    if (!outcome.proof) continue;
    ++proved;
    const MirrorRegion& region = outcome.proof->region;
    CHECK(outcome.settled());
    for (const MirrorPoint& point : outcome.record.checkpoints) {
      if (point.step < outcome.proof->t0) continue;
      CHECK(point.max_unselected.upper_double() <= region.unselected);
      const double zeta = point.along.lower_double();
      CHECK(zeta >= region.zeta + region.growth * 0.1 * static_cast<double>(point.step - outcome.proof->t0) -
                        1e-9 * zeta);
      CHECK(point.bregman.upper_double() <= region.direction / std::pow(zeta, region.power));
    }
  }
  CHECK(proved >= 1);
}
