// Ends of validated runs: no direction to go, numbers beyond the format, a state that is saved and restored.
#include <doctest/doctest.h>

#include <vector>

#include "numerics/runs/descent.hpp"
#include "tests/unit/numerics/runs/dense_run.hpp"

using namespace attest;
using attest_test::gaussian_instance;
using attest_test::spec;

TEST_CASE("an exactly zero gradient is a verdict") {
  const OptimizerSpec steps = spec(update_rule("ngd"), Rational(1, 10));
  TokenData data = gaussian_instance({3, 4}, 3, 2, 10);
  {
    TokenData equal = data;  // all scores of a group equal
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t t = 0; t < equal.tokens(i); ++t)
        equal.scores.set(equal.row(i, t), equal.scores[equal.row(i, 0)]);
    }
    const RunGeometry geometry(equal, 4);
    Descent run({geometry, steps, {}, FixedFormat{3, 160}});
    CHECK(run.evaluate() == IterationStatus::stationary);
  }
  {
    TokenData single = gaussian_instance({1, 1}, 3, 2, 10);  // one token per group
    const RunGeometry geometry(single, 4);
    Descent run({geometry, steps, {}, FixedFormat{3, 160}});
    CHECK(run.evaluate() == IterationStatus::stationary);
  }
  {
    // Two groups with the same tokens and scores and opposite queries: their contributions cancel exactly at
    // W = 0.
    TokenData opposite = gaussian_instance({3, 3}, 3, 2, 10);
    std::vector<Rational> tokens, queries;
    for (std::size_t k = 0; k < 18; ++k) tokens.push_back(opposite.token_factor.exact(k % 9));
    for (std::size_t k = 0; k < 4; ++k)
      queries.push_back((k < 2 ? 1 : -1) * opposite.query_factor.exact(k % 2));
    opposite.token_factor = ExactArray::from_rationals(tokens);
    opposite.query_factor = ExactArray::from_rationals(queries);
    for (std::size_t k = 0; k < 3; ++k) opposite.scores.set(3 + k, opposite.scores[k]);
    const RunGeometry geometry(opposite, 4);
    Descent run({geometry, steps, {}, FixedFormat{3, 160}});
    CHECK(run.evaluate() == IterationStatus::stationary);
    // The same data away from W = 0 are not stationary, and an almost cancelling pair is not called
    // stationary.
    Descent moved({geometry, steps, ExactArray::from_rationals(std::vector<Rational>(6, Rational(1))),
                   FixedFormat{3, 160}});
    CHECK(moved.evaluate() == IterationStatus::ok);
    opposite.scores.set(0, opposite.scores[0] + Rational(1, Integer(1) << 900));
    const RunGeometry nearly(opposite, 4);
    Descent undecided({nearly, steps, {}, FixedFormat{3, 160}});
    CHECK(undecided.evaluate() == IterationStatus::precision);
  }
}

TEST_CASE("a run whose numbers leave the format says so") {
  const TokenData data = gaussian_instance({3, 4}, 3, 2, 8);
  const RunGeometry geometry(data, 4);
  Descent run({geometry, spec(update_rule("gd"), 100000), {}, FixedFormat{3, 184}});
  IterationStatus status = IterationStatus::ok;
  for (int t = 0; t < 50 && status == IterationStatus::ok; ++t) {
    status = run.evaluate();
    if (status == IterationStatus::ok) status = run.advance();
  }
  CHECK(status == IterationStatus::range);
  Descent far({geometry, spec(update_rule("gd"), 1),
               ExactArray::from_rationals(std::vector<Rational>(6, Rational(1000000))), FixedFormat{3, 184}});
  CHECK(far.evaluate() == IterationStatus::range);
}

TEST_CASE("a run whose numbers leave the format goes on in a wider one, from the step it stands at") {
  const TokenData data = gaussian_instance({3, 4}, 3, 2, 8);
  const RunGeometry geometry(data, 4);
  OptimizerSpec steps = spec(update_rule("ngd"), 4);
  const FixedFormat narrow{3, 184}, wide{4, 184};
  const auto step_of = [](Iteration& iteration) {
    const IterationStatus status = iteration.evaluate();
    return status == IterationStatus::ok ? iteration.advance() : status;
  };
  for (const Rational& momentum : {Rational(0), Rational(1, 2)}) {
    CAPTURE(momentum);
    steps.momentum = momentum;
    const auto start = [&](FixedFormat format) { return make_iteration({geometry, steps, {}, format}); };
    const auto whole = start(wide), run = start(narrow), on = start(wide);
    while (step_of(*run) == IterationStatus::ok) REQUIRE(step_of(*whole) == IterationStatus::ok);
    CHECK(run->point().obstacle().empty());
    CHECK(run->step() > 3);
    CHECK_FALSE(run->state_in({2, 126}).has_value());
    const auto state = run->state_in(wide);
    REQUIRE(state);
    CHECK(state->step == whole->step());
    REQUIRE(on->restore(*state) == IterationStatus::ok);
    CHECK(mag_cmp(on->point().radius(), run->point().radius()) == 0);
    for (int t = 0; t < 3; ++t) {
      REQUIRE(step_of(*on) == IterationStatus::ok);
      REQUIRE(step_of(*whole) == IterationStatus::ok);
      Ball one, other;
      on->point().norm(one.raw());
      whole->point().norm(other.raw());
      CHECK(overlap(one, other));
    }
  }
}

TEST_CASE("steps and margins beyond all formats say so") {
  const TokenData data = gaussian_instance({3, 4}, 3, 2, 8);
  const RunGeometry geometry(data, 4);
  const FixedFormat format{8, 352};
  const Rational huge(Integer(1) << 1001U);
  Descent run({geometry, spec(update_rule("ngd"), huge), {}, format});
  REQUIRE(run.evaluate() == IterationStatus::ok);
  CHECK(run.advance() == IterationStatus::range);
  CHECK(run.point().obstacle() == "the step is longer than 2^1000");
  Descent far({geometry, spec(update_rule("gd"), 1),
               ExactArray::from_rationals(std::vector<Rational>(6, Rational(Integer(1) << 45U))), format});
  CHECK(far.evaluate() == IterationStatus::range);
  CHECK(far.point().obstacle() == "a margin is beyond 2^38");
}

TEST_CASE("a saved state continues bit for bit") {
  const TokenData data = gaussian_instance({3, 4}, 3, 2, 8);
  const RunGeometry geometry(data, 4);
  const FixedFormat format{4, 224};
  OptimizerSpec steps = spec(update_rule("ngd"), Rational(1, 10));
  const auto go = [](Iteration& run, int count) {
    for (int t = 0; t < count; ++t) {
      REQUIRE(run.evaluate() == IterationStatus::ok);
      REQUIRE(run.advance() == IterationStatus::ok);
    }
  };
  for (const Rational& momentum : {Rational(0), Rational(9, 10)}) {
    CAPTURE(momentum);
    steps.momentum = momentum;
    const auto start = [&] { return make_iteration({geometry, steps, {}, format}); };
    const auto whole = start(), first = start(), second = start();
    go(*whole, 48);
    go(*first, 24);
    const Iteration::State middle = first->save();
    REQUIRE(second->restore(middle) == IterationStatus::ok);
    go(*second, 24);
    CHECK(second->step() == 48);
    CHECK(second->save().coordinates == whole->save().coordinates);
    // Only what bounds are guessed from is not part of the state.
    CHECK(mag_get_d(second->point().radius()) <= 1.5 * mag_get_d(whole->point().radius()));
    // A state of another kind of iteration is refused.
    Iteration::State foreign = middle;
    foreign.errors.pop_back();
    CHECK(second->restore(foreign) == IterationStatus::range);
    foreign = middle;
    foreign.coordinates.pop_back();
    CHECK(second->restore(foreign) == IterationStatus::range);
  }
}
