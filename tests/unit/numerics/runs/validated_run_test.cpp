// Whole validated runs: precision retries, the direction's observations against an independent computation,
// resuming, stopping, and plain runs as comparison.
#include "numerics/runs/validated_run.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "numerics/runs/plain_run.hpp"
#include "numerics/runs/rate_shapes.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using attest_test::gaussian_instance;

namespace {

OptimizerSpec normalised() {
  OptimizerSpec spec;
  spec.rule = update_rule("ngd");
  spec.step = Rational(1, 10);
  return spec;
}

}  // namespace

TEST_CASE("a normalised run: bits, checkpoints, selection, agreement with doubles while they are right") {
  const TokenData data = gaussian_instance(std::vector<std::size_t>(6, 8), 10, 10, 0);
  const RunGeometry geometry(data, 4);
  RunOptions options;
  options.steps = 1000;
  struct : RunListener {
    std::uint64_t watched = 0;
    void watch(const EnclosedPoint&, const RunObserver&, const RunPoint& point) override {
      CHECK(point.step == watched++);
    }
  } listener;
  const RunOutcome run = validated_run(geometry, normalised(), {}, options, &listener);
  REQUIRE(run.verdict == RunVerdict::complete);
  CHECK(listener.watched == 1001);
  CHECK(run.record.correct_bits >= 100);
  REQUIRE(run.direction);
  const std::uint64_t expected[] = {0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
  REQUIRE(run.record.checkpoints.size() == std::size(expected));
  PlainRun<double> plain(geometry, normalised(), {}, GradientForm::cancellation_free);
  for (std::size_t k = 0; k < std::size(expected); ++k) {
    const RunPoint& point = run.record.checkpoints[k];
    REQUIRE(point.step == expected[k]);
    while (plain.step() < point.step) REQUIRE(plain.advance());
    const PlainObservation seen = plain.observe(&*run.direction);
    CHECK(point.norm.approx_mid() == doctest::Approx(seen.norm).epsilon(1e-8));
    CHECK(point.along.approx_mid() == doctest::Approx(seen.along).epsilon(1e-8));
    CHECK(point.loss_gap.approx_mid() == doctest::Approx(seen.loss_gap).epsilon(1e-7));
    CHECK(point.gradient_norm.approx_mid() == doctest::Approx(seen.gradient_norm).epsilon(1e-6));
    if (point.step == 0) {
      CHECK_FALSE(point.one_minus_corr.is_finite());
      continue;
    }
    CHECK(point.one_minus_corr.approx_mid() == doctest::Approx(seen.one_minus_corr).epsilon(1e-6));
    CHECK(point.one_minus_corr.radius_upper() < 1e-25);
  }
  // The least constants dominate every checkpoint and blocks partition the run.
  for (const RateShape& shape : run.record.shapes) {
    CHECK(shape.whole.to == 1000);
    CHECK(shape.whole.lo <= shape.whole.hi);
    CHECK(shape.whole.hi <= shape.whole.lo * (1 + 1e-12));
    std::uint64_t next = shape.whole.from;
    double most = 0;
    for (const LeastConstant& block : shape.blocks) {
      CHECK(block.from == next);
      next = block.to + 1;
      most = std::max(most, block.hi);
    }
    CHECK(next == 1001);
    CHECK(most == shape.whole.hi);
  }
  const RateShape& inverse = run.record.shapes[1];
  REQUIRE(inverse.name == "1/t");
  for (const RunPoint& checkpoint : run.record.checkpoints) {
    if (checkpoint.step == 0) continue;
    CHECK(checkpoint.one_minus_corr.approx_mid() * static_cast<double>(checkpoint.step) <=
          inverse.whole.hi * (1 + 1e-12));
  }
}

TEST_CASE("Polyak steps that only seem to overshoot lose few bits") {
  const TokenData data = gaussian_instance({8, 8, 8, 8, 8, 8}, 10, 10, 8);
  const RunGeometry geometry(data, 6);
  OptimizerSpec polyak;
  polyak.rule = update_rule("polyak");
  polyak.step = Rational(1, 2);
  RunOptions options;
  options.steps = 200;
  const RunOutcome run = validated_run(geometry, polyak, {}, options);
  CHECK(run.verdict == RunVerdict::complete);
  CHECK(run.amplification_bits < 20);
}

TEST_CASE("too little precision is raised until the bits are there, and a fixed one is refused") {
  const TokenData data = gaussian_instance({4, 4, 4}, 4, 4, 3);
  const RunGeometry geometry(data, 4);
  OptimizerSpec polyak;
  polyak.rule = update_rule("polyak");
  polyak.step = Rational(1, 2);
  RunOptions options;
  options.steps = 60;
  options.bits = 200;
  const RunOutcome run = validated_run(geometry, normalised(), {}, options);
  CHECK(run.verdict == RunVerdict::complete);
  CHECK(run.record.correct_bits >= 200);
  options.precision = 40;
  options.bits = 1;
  const RunOutcome coarse = validated_run(geometry, normalised(), {}, options);
  CHECK(coarse.format.fraction_bits < 100);
  CHECK(coarse.record.correct_bits < run.record.correct_bits);
  options.precision = 24;
  options.steps = 4000;
  polyak.step = 1;
  const RunOutcome refused = validated_run(geometry, polyak, {}, options);
  CHECK(refused.verdict == RunVerdict::undecided);
  CHECK_FALSE(refused.reason.empty());
  CHECK_FALSE(refused.settled);
}

TEST_CASE("far starts widen the range by themselves; stationary points and single tokens end at once") {
  const TokenData data = gaussian_instance({3, 4}, 3, 2, 8);
  const RunGeometry geometry(data, 4);
  RunOptions options;
  options.steps = 5;
  const ExactArray far = ExactArray::from_rationals(std::vector<Rational>(6, Rational(Integer(1) << 33)));
  const RunOutcome run = validated_run(geometry, normalised(), far, options);
  CHECK(run.verdict == RunVerdict::complete);
  CHECK(run.attempts == 1);  // wider from the step at which it is felt

  const TokenData single = gaussian_instance({1, 1, 1}, 3, 2, 8);
  const RunGeometry empty(single, 4);
  const RunOutcome nothing = validated_run(empty, normalised(), {}, options);
  CHECK(nothing.verdict == RunVerdict::stationary);
  REQUIRE(nothing.selection.size() == 3);
  CHECK(nothing.selection[2] == std::optional<std::size_t>(0));
}

TEST_CASE("Polyak steps that leave every range end at once, with all steps before, the cause and a way on") {
  OptimizerSpec polyak;
  polyak.rule = update_rule("polyak");
  polyak.step = 2;
  RunOptions options;
  options.steps = 400;
  std::size_t left = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const TokenData data = gaussian_instance({6, 6, 6, 6, 6, 6}, 3, 2, seed);
    const RunGeometry geometry(data, 4);
    const RunOutcome run = validated_run(geometry, polyak, {}, options);
    CAPTURE(seed);
    CAPTURE(run.reason);
    CHECK(run.attempts <= 2);
    if (run.verdict == RunVerdict::complete) continue;
    REQUIRE(run.reason.starts_with("range: "));
    ++left;
    CHECK(run.attempts == 1);
    CHECK(run.direction);
    REQUIRE(!run.record.checkpoints.empty());
    CHECK(run.record.checkpoints.back().step == run.record.step);
    CHECK(run.record.correct_bits >= 100);
    CHECK(run.reason.find("; L - L* is 0.") != std::string::npos);
    CHECK(run.reason.find("a smaller --step") != std::string::npos);
  }
  CHECK(left > 2);
}

TEST_CASE("a resumed run records what an uninterrupted one does") {
  const TokenData data = gaussian_instance({4, 4, 4}, 4, 4, 3);
  const RunGeometry geometry(data, 4);
  RunOptions options;
  options.steps = 400;
  const RunOutcome whole = validated_run(geometry, normalised(), {}, options);
  struct : RunListener {
    SavedRun saved;
    std::uint64_t asked = 0;
    bool stops() override { return ++asked > 5000; }  // the guess of the selection asks too
    void watch(const EnclosedPoint&, const RunObserver&, const RunPoint& point) override {
      if (point.step >= 131) asked = 5000;
    }
    bool saves() const override { return true; }
    void save(const FixedFormat& format, const Iteration::State& state, const RunRecord& record,
              bool) override {
      saved = {format, state, record};
    }
  } listener;
  const RunOutcome stopped = validated_run(geometry, normalised(), {}, options, &listener);
  const SavedRun& saved = listener.saved;
  CHECK(stopped.verdict == RunVerdict::undecided);
  CHECK(stopped.reason.starts_with("interrupted"));
  CHECK(stopped.direction);  // what was done can be certified
  REQUIRE(saved.state.step == 128);
  REQUIRE(saved.record.step == 131);
  CHECK(saved.record.checkpoints.back().step == 100);
  RunOptions second = options;
  second.resume = &saved;
  const RunOutcome resumed = validated_run(geometry, normalised(), {}, second);
  CHECK(resumed.verdict == RunVerdict::complete);
  CHECK(resumed.attempts == 1);
  REQUIRE(resumed.record.checkpoints.size() == whole.record.checkpoints.size());
  for (std::size_t k = 0; k < whole.record.checkpoints.size(); ++k) {
    CHECK(resumed.record.checkpoints[k].step == whole.record.checkpoints[k].step);
    CHECK(overlap(resumed.record.checkpoints[k].norm, whole.record.checkpoints[k].norm));
  }
  CHECK(resumed.record.shapes[0].whole.hi == doctest::Approx(whole.record.shapes[0].whole.hi).epsilon(1e-12));
  CHECK(resumed.record.trace.size() == whole.record.trace.size());
  CHECK(resumed.selection == whole.selection);
}

TEST_CASE("a run stopped early is still measured against the selection predicted for its end") {
  std::size_t unsettled = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const TokenData data = gaussian_instance({5, 5, 5}, 5, 5, seed);
    const RunGeometry geometry(data, 6);
    RunOptions options;
    options.steps = 600;
    const RunOutcome whole = validated_run(geometry, normalised(), {}, options);
    REQUIRE(whole.verdict == RunVerdict::complete);
    struct : RunListener {
      bool stop = false;
      bool stops() override { return stop; }
      void watch(const EnclosedPoint&, const RunObserver&, const RunPoint& point) override {
        stop = point.step == 7;
      }
    } listener;
    const RunOutcome stopped = validated_run(geometry, normalised(), {}, options, &listener);
    REQUIRE(stopped.direction);
    CHECK(stopped.direction->selection == whole.direction->selection);
    CHECK(stopped.record.seen_from == whole.direction->selection);
    REQUIRE(stopped.record.checkpoints.back().step == 7);
    CHECK(stopped.settled == (stopped.selection == whole.selection));
    unsettled += stopped.settled ? 0 : 1;
  }
  CHECK(unsettled > 0);
}

TEST_CASE("checkpoints are 0, {1,2,5} x 10^k and the last step") {
  std::vector<std::uint64_t> all;
  for (std::uint64_t t = 0; t <= 777; ++t) {
    if (is_checkpoint(t, 777)) all.push_back(t);
  }
  CHECK(all == std::vector<std::uint64_t>{0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 777});
}
