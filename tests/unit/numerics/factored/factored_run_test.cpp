// Trajectories of (K,Q) against the definition in 650 digits, observations against their own definitions, and
// what is proved of later steps against the steps themselves.
#include <doctest/doctest.h>

#include "numerics/factored/run.hpp"
#include "tests/unit/numerics/factored/dense_factors.hpp"

using namespace attest;
using namespace attest_test;

namespace {

void check_trajectory(const TokenData& data, const FactoredSpec& asked, const FactoredStart& start, int steps,
                      const TokenData* unfolded = nullptr) {
  const Features features(data, 300);
  FactoredIteration run(features, asked, start);
  DenseFactors dense(unfolded == nullptr ? data : *unfolded, asked, start);
  for (int t = 0; t <= steps; ++t) {
    REQUIRE(run.evaluate(300) == IterationStatus::ok);
    const FactorColumns left = run.left(280), right = run.right(280);
    for (std::size_t c = 0; c < asked.rank; ++c) {
      for (std::size_t j = 0; j < dense.d(); ++j) REQUIRE(holds(left[c][j], dense.K[j * asked.rank + c]));
      for (std::size_t k = 0; k < dense.e(); ++k) REQUIRE(holds(right[c][k], dense.Q[k * asked.rank + c]));
    }
    if (t > 0) CHECK(run.correct_bits() > 120);
    REQUIRE(run.advance() == IterationStatus::ok);
    dense.advance();
  }
}

FactoredStart start_of(const TokenData& data, std::size_t rank, unsigned seed) {
  return {sevenths(data.left_dimension * rank, seed), sevenths(data.right_dimension * rank, seed + 1)};
}

}  // namespace

TEST_CASE("trajectories contain the iteration, for both rules, several losses, ranks and schedules") {
  const TokenData data = gaussian_instance({3, 4, 2}, 3, 2, 7);
  check_trajectory(data, factored(3, false, Rational(1, 2)), start_of(data, 3, 1), 25);
  check_trajectory(data, factored(3, true, Rational(1, 10)), start_of(data, 3, 2), 25);
  check_trajectory(data, factored(3, true, 1), start_of(data, 3, 8), 30);  // overshoots
  check_trajectory(data, factored(1, true, Rational(1, 3), Loss::exponential), start_of(data, 1, 3), 25);
  check_trajectory(data, factored(5, false, 3, Loss::exponential), start_of(data, 5, 4), 25);
  check_trajectory(data, factored(2, true, Rational(1, 2), Loss::correlation, Schedule::inverse_sqrt),
                   start_of(data, 2, 5), 25);
  check_trajectory(aimed(data, {0, 1, 1}), factored(2, false, 1, Loss::cross_entropy), start_of(data, 2, 6),
                   20);
}

TEST_CASE("equal tokens move as often as they stand there") {
  const CountedInstance instance = counted_instance({4, 3}, 3, 2, 2);
  check_trajectory(instance.merged, factored(2, true, Rational(1, 10)), start_of(instance.merged, 2, 1), 12,
                   &instance.unfolded);
}

TEST_CASE("a whole run keeps the bits wanted, and its observations are what they say" *
          doctest::test_suite("long")) {
  const TokenData data = gaussian_instance({4, 4, 4}, 6, 5, 3);
  BallRunOptions options;
  options.steps = 200;
  for (const bool normalised : {false, true}) {
    const FactoredSpec asked = factored(4, normalised, Rational(1, 5));
    const FactoredStart start = start_of(data, 4, 9);
    const FactoredOutcome outcome = factored_run(data, asked, start, options);
    REQUIRE(outcome.verdict == RunVerdict::complete);
    CHECK(outcome.record.correct_bits >= 100);
    DenseFactors dense(data, asked, start);
    for (int t = 0; t < 200; ++t) dense.advance();
    Real square = 0;
    for (const Real& w : dense.reference.W) square += w * w;
    const FactoredObservation& last = outcome.record.checkpoints.back();
    CHECK(holds(last.norm, sqrt(square)));
    CHECK(holds(last.loss_gap, dense.reference.loss_gap()));
    Ball squares;
    for (const Ball& value : last.singular_values) squares = add(squares, attest::square(value, 200), 200);
    CHECK(holds(squares, square));
    // What a step adds to K'K - Q'Q is what it has added afterwards.
    Real before = 0;
    std::vector<Real> balance(16, 0);
    const auto add_balance = [&](int sign) {
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) {
          for (std::size_t j = 0; j < 6; ++j)
            balance[a * 4 + b] += sign * dense.K[j * 4 + a] * dense.K[j * 4 + b];
          for (std::size_t k = 0; k < 5; ++k)
            balance[a * 4 + b] -= sign * dense.Q[k * 4 + a] * dense.Q[k * 4 + b];
        }
      }
    };
    add_balance(1);
    for (const Real& entry : balance) before += entry * entry;
    CHECK(holds(last.balance, sqrt(before)));
    balance.assign(16, 0);
    add_balance(-1);
    dense.advance();
    add_balance(1);
    Real change = 0;
    for (const Real& entry : balance) change += entry * entry;
    CHECK(holds(last.balance_step, sqrt(change)));
  }
}

TEST_CASE("shares and alignment are at most 1, balancedness is kept by small steps") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const TokenData data = gaussian_instance({4, 4, 4}, 6, 5, seed);
    BallRunOptions options;
    options.steps = 100;
    options.bits = 60;
    const FactoredOutcome outcome =
        factored_run(data, factored(6, false, Rational(1, 100)), start_of(data, 6, seed), options);
    REQUIRE(outcome.verdict == RunVerdict::complete);
    for (const FactoredObservation& point : outcome.record.checkpoints) {
      CHECK(point.alignment.lower_double() <= 1);
      CHECK(point.margin_share_nuclear.lower_double() <= 1);
      CHECK(point.margin_share_frobenius.lower_double() <= 1);
      CHECK(point.balance_change.upper_double() < 0.01 * static_cast<double>(point.step) * 0.01 + 1e-12);
    }
  }
}

TEST_CASE("what is proved for all later steps holds at later steps" * doctest::test_suite("long")) {
  int proved = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const TokenData data = gaussian_instance({3, 3}, 6, 5, seed);
    BallRunOptions options;
    options.steps = 2000;
    options.bits = 60;
    const FactoredSpec asked = factored(6, false, 5, seed % 2 == 0 ? Loss::logistic : Loss::exponential);
    std::vector<double> left(36, 0), right(30, 0);
    for (std::size_t k = 0; k < 5; ++k) left[k * 7] = right[k * 7] = 1;
    const FactoredStart start{ExactArray::from_binary64(left), ExactArray::from_binary64(right)};
    options.steps = 500;
    const FactoredOutcome early = factored_run(data, asked, start, options);
    if (!early.proof) continue;
    ++proved;
    options.steps = 3000;
    const FactoredOutcome outcome = factored_run(data, asked, start, options);
    REQUIRE(outcome.settled());
    const FactoredLaterSteps& later = early.proof->later;
    for (const FactoredObservation& point : outcome.record.checkpoints) {
      if (point.step < early.proof->t0) continue;
      const double since = static_cast<double>(point.step - early.proof->t0);
      CHECK(point.loss_gap.lower_double() <=
            1 / (1 / later.loss_gap.upper_double() + later.loss_growth.lower_double() * since));
      const double size =
          std::pow(point.left_norm.lower_double(), 2) + std::pow(point.right_norm.lower_double(), 2);
      CHECK(point.least_margin.upper_double() >= later.margin_floor.lower_double() * size / 2);
      CHECK(point.margin_share_nuclear.upper_double() >= later.share.lower_double());
      CHECK(1 - point.max_unselected.upper_double() >= later.attention.lower_double());
    }
  }
  CHECK(proved >= 2);
}

TEST_CASE("a start without a gradient ends stationary, or undefined where one factor has one") {
  const TokenData data = gaussian_instance({3, 3}, 3, 2, 1);
  BallRunOptions options;
  options.steps = 5;
  const ExactArray none = ExactArray::from_binary64(std::vector<double>(6, 0)),
                   none_right = ExactArray::from_binary64(std::vector<double>(4, 0));
  CHECK(factored_run(data, factored(2, true, 1), {none, none_right}, options).verdict ==
        RunVerdict::stationary);
  const FactoredOutcome half =
      factored_run(data, factored(2, true, 1), {sevenths(6, 1), none_right}, options);
  CHECK(half.verdict == RunVerdict::undecided);
  CHECK(half.reason.find("not defined") != std::string::npos);
  CHECK(factored_run(data, factored(2, false, 1), {sevenths(6, 1), none_right}, options).verdict ==
        RunVerdict::complete);
}
