// Validated trajectories against an independent run (dense_run.hpp): the exact iterates stay in the balls.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "numerics/runs/descent.hpp"
#include "numerics/runs/gradient_step.hpp"
#include "tests/unit/numerics/runs/dense_run.hpp"

using namespace attest;
using attest_test::aimed;
using attest_test::counted_instance;
using attest_test::CountedInstance;
using attest_test::Digits;
using attest_test::gaussian_instance;
using attest_test::kept;
using attest_test::Real;
using attest_test::real;
using attest_test::Reference;
using attest_test::spec;

namespace {

bool contains(const WorkingBall& ball, const Real& value) {
  mag_t radius;
  arf_t bound;
  mag_init(radius);
  arf_init(bound);
  arf_set_mag(bound, arb_radref(static_cast<arb_srcptr>(ball)));
  const Real distance = abs(value - real(arb_midref(static_cast<arb_srcptr>(ball))));
  const bool inside = distance <= real(bound);
  arf_clear(bound);
  mag_clear(radius);
  return inside;
}

std::unique_ptr<Iteration> iterate(const RunGeometry& geometry, const OptimizerSpec& spec,
                                   const ExactArray& start, FixedFormat format) {
  return make_iteration({geometry, spec, start, format});
}

FixedFormat words(std::size_t limbs) {
  return {limbs, static_cast<long>(64 * limbs) - 32};
}

// Follows both for `steps` steps, with a word less after every `drop_every` steps (0: never) down to three;
// checks the enclosure of the iterate and of every observable; returns the worst ratio of true distance to
// claimed radius. With `counted`, whose merged data these are, the reference follows the data token by token.
double follow(const TokenData& data, const OptimizerSpec& spec, const ExactArray& start, std::size_t limbs,
              int steps, int drop_every = 0, const CountedInstance* counted = nullptr) {
  const RunGeometry geometry(data, 4);
  auto iteration = iterate(geometry, spec, start, words(limbs));
  Reference reference(counted == nullptr ? data : counted->unfolded, spec, start, &data);
  double worst = 0;
  for (int t = 0;; ++t) {
    if (drop_every > 0 && t > 0 && t % drop_every == 0 && limbs > 3) {
      const auto state = iteration->state_in(words(--limbs));
      REQUIRE(state);
      iteration = iterate(geometry, spec, start, words(limbs));
      REQUIRE(iteration->restore(*state) == IterationStatus::ok);
    }
    const EnclosedPoint& run = iteration->point();
    REQUIRE(iteration->evaluate() == IterationStatus::ok);
    const std::vector<Real> W = kept(*iteration, reference, start);
    Real square = 0;
    for (std::size_t k = 0; k < W.size(); ++k) square += (W[k] - reference.W[k]) * (W[k] - reference.W[k]);
    arf_t bound;
    arf_init(bound);
    arf_set_mag(bound, run.radius());
    const Real radius = real(bound), distance = sqrt(square);
    arf_clear(bound);
    REQUIRE(distance <= radius);
    if (t > 0) worst = std::max(worst, static_cast<double>(distance / radius));
    if (t % 10 == 0 || t == steps) {
      WorkingBall ball;
      run.loss_gap(ball, nullptr);
      REQUIRE(contains(ball, reference.loss_gap()));
      const std::vector<Real> gradient = reference.gradient();
      Real norm = 0;
      for (const Real& entry : gradient) norm += entry * entry;
      run.gradient_norm(ball);
      REQUIRE(contains(ball, sqrt(norm)));
      for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
        const RunGroup& group = geometry.groups[i];
        const std::vector<Real> each = reference.softmax(group.original);
        std::vector<Real> s(group.tokens, 0), many(group.tokens, 0);  // of classes, and their sizes
        const std::size_t top = run.reference()[i];
        Real f = 0, rest = 0;
        for (std::size_t tok = 0; tok < each.size(); ++tok) {
          const std::size_t merged = counted == nullptr ? tok : counted->stands_for[group.original][tok];
          s[merged] += each[tok];
          many[merged] = data.offsets ? Real(1) : Real(many[merged] + 1);
          f += each[tok] * real(reference.data.score(group.original, tok));
        }
        for (std::size_t tok = 0; tok < group.tokens; ++tok) {
          if (tok == top || many[tok] == 0) continue;
          rest += s[tok];
          run.margin(ball, i, group.first_row + tok);
          REQUIRE(contains(ball, log(s[top] * many[tok] / (s[tok] * many[top]))));
          if (run.dominates(i)) REQUIRE(s[top] / many[top] > s[tok] / many[tok]);
        }
        run.unselected(ball, i);
        REQUIRE(contains(ball, rest));
        run.deficit(ball, i);
        REQUIRE(contains(ball, real(data.score(group.original, top)) - f));
      }
    }
    if (t == steps) break;
    REQUIRE(iteration->advance() == IterationStatus::ok);
    reference.advance();
  }
  return worst;
}

}  // namespace

TEST_CASE("the exact trajectory stays in the claimed ball: every rule, loss and schedule") {
  const TokenData data = gaussian_instance({3, 4, 1, 2}, 3, 2, 11);
  for (const Loss loss : {Loss::logistic, Loss::exponential, Loss::correlation}) {
    CAPTURE(name(loss));
    CHECK(follow(data, spec(update_rule("gd"), 1, loss), {}, 3, 60) > 0);
    CHECK(follow(data, spec(update_rule("ngd"), Rational(1, 10), loss), {}, 3, 60) > 0);
    CHECK(follow(data, spec(update_rule("polyak"), Rational(1, 2), loss), {}, 6, 20) > 0);
  }
  CHECK(follow(data, spec(update_rule("ngd"), 1, Loss::logistic, Schedule::inverse_sqrt), {}, 3, 60) > 0);
  CHECK(follow(data, spec(update_rule("gd"), 3, Loss::logistic, Schedule::inverse), {}, 3, 60) > 0);
}

TEST_CASE("offsets of the logits: the exact trajectory stays in the claimed ball") {
  TokenData data = gaussian_instance({3, 4, 1, 2}, 3, 2, 11);
  std::vector<Rational> offsets;
  std::vector<std::uint32_t> alone;
  for (std::uint32_t row = 0; row < data.scores.size(); ++row) {
    offsets.emplace_back(static_cast<int>(7 * row % 11) - 5, 3);
    alone.push_back(row);
  }
  const ExactArray values = ExactArray::from_rationals(offsets);
  data.offsets = std::make_shared<const LogitOffsets>(values, std::vector<std::uint64_t>{}, alone);
  for (const char* rule : {"gd", "ngd", "polyak"})
    CHECK(follow(data, spec(update_rule(rule), Rational(1, 10), Loss::logistic), {}, 5, 40, 9) > 0);

  // The same with the last token of the first two groups like the first, for which one row stands.
  CountedInstance counted;
  counted.unfolded = data;
  std::vector<double> rows = data.token_factor.binary64().doubles();
  for (std::size_t i = 0; i < 4; ++i) {
    counted.stands_for.emplace_back();
    for (std::size_t t = 0; t < data.tokens(i); ++t) counted.stands_for[i].push_back(t);
    if (i > 1) continue;
    const std::size_t first = data.row(i, 0), last = data.row(i, data.tokens(i) - 1);
    std::copy_n(rows.begin() + static_cast<long>(3 * first), 3, rows.begin() + static_cast<long>(3 * last));
    counted.unfolded.scores.set(last, data.scores[first]);
    counted.stands_for[i].back() = 0;
  }
  counted.unfolded.token_factor = ExactArray::from_binary64(rows);
  counted.merged = counted.unfolded;
  merge_equal_tokens(counted.merged, {});
  counted.merged.offsets = std::make_shared<const LogitOffsets>(values, std::vector<std::uint64_t>{},
                                                                first_equal_rows(counted.merged));
  for (const char* rule : {"gd", "ngd"})
    CHECK(follow(counted.merged, spec(update_rule(rule), Rational(1, 10), Loss::exponential), {}, 4, 40, 0,
                 &counted) > 0);
}

TEST_CASE("cross-entropy: the exact trajectory stays in the claimed ball") {
  const Loss loss = Loss::cross_entropy;
  const TokenData data = aimed(gaussian_instance({3, 4, 1, 2}, 3, 2, 11), {1, 3, 0, 0});
  CHECK(follow(data, spec(update_rule("gd"), 1, loss), {}, 3, 60) > 0);
  CHECK(follow(data, spec(update_rule("gd"), 1, loss), {}, 7, 60, 13) > 1e-6);
  CHECK(follow(data, spec(update_rule("ngd"), Rational(1, 10), loss, Schedule::inverse_sqrt), {}, 3, 60) > 0);
  CHECK(follow(data, spec(update_rule("polyak"), Rational(1, 20), loss), {}, 6, 20) > 0);
  OptimizerSpec heavy = spec(update_rule("gd"), 1, loss);
  heavy.momentum = Rational(9, 10);
  CHECK(follow(data, heavy, {}, 6, 60) > 0);
  // From where the targets have next to no attention.
  std::vector<Rational> start;
  for (int k = 0; k < 6; ++k) start.emplace_back(6 * (2 * k - 5), 7);
  const ExactArray far = ExactArray::from_rationals(start);
  for (const std::size_t target : {0U, 1U, 2U}) {
    const TokenData wrong = aimed(gaussian_instance({3, 4}, 3, 2, 7), {target, target + 1});
    CHECK(follow(wrong, spec(update_rule("gd"), 1, loss), far, 6, 60) > 0);
    CHECK(follow(wrong, spec(update_rule("ngd"), Rational(1, 10), loss), far, 6, 60) > 0);
  }
}

TEST_CASE("cross-entropy: an equal of the target is the target") {
  TokenData data = gaussian_instance({3, 2}, 2, 2, 5);
  std::vector<double> rows = data.token_factor.binary64().doubles();
  std::copy_n(rows.begin(), 2, rows.begin() + 4);  // the last token of group 0 equals the first
  data.token_factor = ExactArray::from_binary64(std::move(rows));
  set_targets(data, {2, 1}, {1, 1, 4, 1, 1});
  CHECK(*data.targets == std::vector<std::size_t>{0, 1});
  CHECK(std::vector<Rational>(data.scores.begin(), data.scores.end()) ==
        std::vector<Rational>{1, 0, 0, 0, 1});
  CHECK(data.multiplicity(0, 0) == 5);
}

TEST_CASE("the exact trajectory stays in the claimed ball when words are dropped on the way") {
  const TokenData data = gaussian_instance({3, 4, 1, 2}, 3, 2, 11);
  CHECK(follow(data, spec(update_rule("gd"), 1, Loss::logistic), {}, 7, 60, 13) > 1e-6);
  CHECK(follow(data, spec(update_rule("ngd"), Rational(1, 10), Loss::exponential), {}, 7, 60, 13) > 1e-6);
}

TEST_CASE("equal tokens: the run of the merged data is that of the data token by token" *
          doctest::test_suite("long")) {
  for (const unsigned seed : {11U, 12U, 13U}) {
    const CountedInstance data = counted_instance({4, 3, 1, 5, 2}, 3, 2, seed);
    CHECK(data.merged.different(0) == 3);
    CHECK(data.merged.multiplicity(0, 0) + data.merged.multiplicity(0, 3) == data.merged.multiplicity(0, 0));
    const Loss loss = std::array{Loss::logistic, Loss::exponential, Loss::correlation}[seed % 3];
    CHECK(follow(data.merged, spec(update_rule("gd"), 1, loss), {}, 3, 60, 0, &data) > 0);
    CHECK(follow(data.merged, spec(update_rule("ngd"), Rational(1, 10), loss), {}, 3, 60, 0, &data) > 0);
    // Longer steps run away where the best tokens are not separable.
    CHECK(follow(data.merged, spec(update_rule("polyak"), Rational(1, 20), loss), {}, 6, 10, 0, &data) > 0);
    OptimizerSpec heavy = spec(update_rule("ngd"), Rational(1, 10), loss);
    heavy.momentum = Rational(9, 10);
    CHECK(follow(data.merged, heavy, {}, 6, 60, 0, &data) > 0);
  }
}

TEST_CASE("the exact trajectory stays in the claimed ball with momentum, too" * doctest::test_suite("long")) {
  const TokenData data = gaussian_instance({3, 4, 1, 2}, 3, 2, 11);
  const auto with = [](OptimizerSpec steps, const Rational& momentum) {
    steps.momentum = momentum;
    return steps;
  };
  for (const Rational& momentum : {Rational(1, 10), Rational(1, 2), Rational(9, 10), Rational(99, 100)}) {
    CAPTURE(momentum);
    for (const Loss loss : {Loss::logistic, Loss::exponential, Loss::correlation}) {
      CHECK(follow(data, with(spec(update_rule("gd"), 1, loss), momentum), {}, 6, 60) > 0);
      CHECK(follow(data, with(spec(update_rule("ngd"), Rational(1, 10), loss), momentum), {}, 6, 60) > 0);
    }
  }
  const Schedule schedule = Schedule::inverse_sqrt;
  CHECK(follow(data, with(spec(update_rule("ngd"), 1, Loss::logistic, schedule), Rational(2, 3)), {}, 6, 60) >
        0);
  std::vector<Rational> start;
  for (int k = 0; k < 6; ++k) start.emplace_back(2 * k - 5, 7);
  CHECK(follow(gaussian_instance({3, 4}, 3, 2, 7), with(spec(update_rule("gd"), 2), Rational(4, 5)),
               ExactArray::from_rationals(start), 6, 80) > 0);
  // Data that are not dyadic: images carry the error of the Gram matrix.
  TokenData thirds = gaussian_instance({3, 3}, 2, 2, 9);
  std::vector<Rational> queries;
  for (std::size_t k = 0; k < thirds.query_factor.size(); ++k)
    queries.push_back(thirds.query_factor.exact(k) / 3);
  thirds.query_factor = ExactArray::from_rationals(queries);
  CHECK(follow(thirds, with(spec(update_rule("ngd"), Rational(1, 10)), Rational(9, 10)), {}, 6, 60) > 0);
}

TEST_CASE("other sizes, starts and words") {
  // More dimensions than tokens, a long run deep into saturation, wide words, one group.
  CHECK(follow(gaussian_instance({3, 3}, 5, 4, 5), spec(update_rule("ngd"), Rational(1, 2)), {}, 3, 120) > 0);
  CHECK(follow(gaussian_instance({4}, 2, 2, 6), spec(update_rule("gd"), 5), {}, 10, 40) > 0);
  // A start that is not zero and not dyadic; the radius pays for its rounding.
  std::vector<Rational> start;
  for (int k = 0; k < 6; ++k) start.emplace_back(2 * k - 5, 7);
  CHECK(follow(gaussian_instance({3, 4}, 3, 2, 7), spec(update_rule("ngd"), Rational(1, 10)),
               ExactArray::from_rationals(start), 3, 60) > 0);
}

TEST_CASE("logits of 10^4 and softmax ties" * doctest::test_suite("long")) {
  TokenData data = gaussian_instance({3, 4}, 3, 2, 8);
  {
    const Digits digits(9000);  // the textbook gradient cancels down to e^-10000 and below
    const ExactArray far = ExactArray::from_rationals(std::vector<Rational>(6, Rational(10000)));
    follow(data, spec(update_rule("ngd"), Rational(1, 10)), far, 3, 2);
    follow(data, spec(update_rule("gd"), 1), far, 3, 2);
  }
  // Duplicate tokens of equal score: their logits tie for ever and no token strictly dominates the pair.
  std::vector<Rational> tokens;
  for (std::size_t k = 0; k < data.token_factor.size(); ++k) tokens.push_back(data.token_factor.exact(k));
  for (std::size_t j = 0; j < 3; ++j) tokens[3 + j] = tokens[j];
  data.token_factor = ExactArray::from_rationals(tokens);
  data.scores.set(1, data.scores[0]);
  follow(data, spec(update_rule("ngd"), Rational(1, 10)), {}, 3, 30);
  const RunGeometry geometry(data, 4);
  Descent run({geometry, spec(update_rule("gd"), 1), {}, FixedFormat{3, 160}});
  REQUIRE(run.evaluate() == IterationStatus::ok);
  CHECK_FALSE(run.point().dominates(0));
}

TEST_CASE("data that are not dyadic or have wide exponent spreads") {
  TokenData data = gaussian_instance({3, 3}, 2, 2, 9);
  std::vector<Rational> tokens;
  for (std::size_t k = 0; k < data.token_factor.size(); ++k) {
    Rational x = data.token_factor.exact(k) / 3;
    if (k % 5 == 1) x /= Integer(1) << 90;
    tokens.push_back(x);
  }
  data.token_factor = ExactArray::from_rationals(tokens);
  CHECK(follow(data, spec(update_rule("ngd"), Rational(1, 10)), {}, 3, 40) > 0);
}
