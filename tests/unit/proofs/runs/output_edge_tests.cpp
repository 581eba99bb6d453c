// Edges of the replay and of the Jacobian bound for heads of several outputs: what is refused, and what is
// counted where the words show nothing.
#include <doctest/doctest.h>

#include "tests/unit/proofs/checker/files.hpp"
#include "tests/unit/proofs/runs/replay_inspection.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

constexpr unsigned output_bits = 192;

// A replay from W_0 = 0 of one group.
struct Start {
  Start(const std::string& text, Loss loss)
      : instance(read_instance(TemporaryFile(text).path())), features(instance) {
    problem.features = &features;
    problem.loss = loss;
    problem.selection = {0};
    ConstraintVector listed;
    listed.at = {{0, 1}};
    listed.numerator = {1};
    centre.emplace(problem, listed);
    direction.bits = output_bits + 32;
    direction.centre = &*centre;
    direction.norm = square_root(Interval(centre->norm_squared(), direction.bits));
    specification.rule = Rule::gd;
    specification.step = 1;
    replay.emplace(direction, specification, StartPoint{}, output_bits);
  }
  void evaluate_within(long exponent, long count = 1) {
    ReplayInspection::set_radius(*replay, Interval::between(count, count, exponent, 64));
    replay->evaluate();
  }
  const Instance instance;
  const Features features;
  Problem problem;
  std::optional<SpanElement> centre;
  ReferenceDirection direction;
  Specification specification;
  std::optional<Replay> replay;
};

}  // namespace

// At equal attention the two other classes weigh the same and what the token gains in one it loses in the
// other, but for 2^-20: the omegas are far below what a change of p does to them.
TEST_CASE("a classifier's ball is small beside what is left of omegas that cancel") {
  Start start(R"({"X": [[[1, 0], [0, 1]]], "head": "classifier", "y": [0],
                  "U": [[0, 0], [1, "1/1048576"], [0, 1]], "z": [[1]]})",
              Loss::classifier);
  start.evaluate_within(-64);
  CHECK_THROWS_AS(ReplayInspection::growth_point(*start.replay, Interval(0)), Imprecise);
  start.evaluate_within(-100);
  CHECK_NOTHROW(ReplayInspection::growth_point(*start.replay, Interval(0)));
  // sigma = 0.7673, omegas of 2^-23 sigma in all, tokens sqrt 2 apart: 80 sqrt(2) sigma r = 2^-79 where r is
  // 23.59 times 2^-90.
  start.evaluate_within(-90, 23);
  CHECK_NOTHROW(ReplayInspection::growth_point(*start.replay, Interval(0)));
  start.evaluate_within(-90, 25);
  CHECK_THROWS_AS(ReplayInspection::growth_point(*start.replay, Interval(0)), Imprecise);
}

// Tokens 0, 1 and -1 over 2, outputs 31/64 times as much as the tokens there: the norm of N is near both of
// its bounds.
TEST_CASE("what bounds N holds where the tokens lie on both sides of their first one") {
  const std::string tokens = R"({"X": [[[0], [1], [-1]]], "head": "classifier", "y": [0],
                                 "U": [[0], ["31/32"]], "z": [[1]])";
  const auto most = [](const std::string& text) {
    Start start(text, Loss::classifier);
    start.evaluate_within(-100);
    return ReplayInspection::growth_point(*start.replay, Interval(0)).outputs.at(0).most;
  };
  // Equal attention: N = (2/3)(1/2)(31/64).
  CHECK(most(tokens + "}").upper() >= Rational(31, 192));
  // The first token has hardly any, and q = 1/(1 + e^3): N is about q (1 - q) 31/32 = 0.0437.
  const Interval saturated = most(tokens + R"(, "offsets": [[-40, 0, -3]]})");
  CHECK(saturated.upper() >= Rational(437, 10000));
  CHECK(saturated.upper() <= Rational(475, 10000));
}

// At equal attention the unit's input is 2^-66.
TEST_CASE("a unit's sign is asked for all over the ball") {
  Start start(R"({"X": [[[2], [1]]], "head": "relu", "Y": [1], "A": [[1]],
                  "bias": ["-110680464442257309695/73786976294838206464"], "r": [1], "z": [[1]]})",
              Loss::relu_logistic);
  CHECK_THROWS_AS(start.evaluate_within(-64), OpenSign);
  CHECK_NOTHROW(start.evaluate_within(-80));
}

// Shares that the words show as 0 may still be of four units: their part of the second derivative counts.
TEST_CASE("what a classifier's outputs are off by in words is counted") {
  Start start(
      R"({"X": [[[1, 0], [0, 1]]], "head": "classifier", "y": [0], "U": [[0, 0], [1, 0]], "z": [[1]]})",
      Loss::classifier);
  StepGrowth growth(start.features, {0});
  const Word one = Word{1} << word_point;
  GrowthPoint point;
  point.reference = {0};
  point.weight = {1, 1};
  point.share = {0, 0};
  point.velocity = point.image = {0, 0};
  point.curvature = point.curved = {Interval(0)};
  OutputBend bend;
  bend.most = Interval::between(1, 1, -2, 64);
  bend.weight = {Interval::between(1, 1, 2 * word_point, 64)};  // over a unit's square
  bend.difference = {0, one};
  point.outputs = {bend};
  point.speed = Interval(1);
  point.stretch = Interval(1);
  point.step_size = Interval(1);
  // ||N|| may be 4 units, so that ||B|| may be 16.
  CHECK(growth(gradient_steps, point).upper() >= 15);
}

namespace {

// DV is -N N' only, of norm 1, and V is at 45 degrees to N: B V has half its norm along V and half across,
// the most that B - 1/2 can do. The step is twice V.
Interval bound_at_half(const UpdateRule& rule, const Rational& step) {
  Start start(R"({"X": [[[0, 0], [1, 0], [0, 1]]], "head": "classifier", "y": [0], "U": [[0, 0], [1, 0]],
                  "z": [[1]]})",
              Loss::classifier);
  StepGrowth growth(start.features, {0});
  const Word one = Word{1} << word_point;
  GrowthPoint point;
  point.reference = {0};
  point.weight = {0, 0, 0};
  point.share = {one / 2, one / 4, one / 4};
  point.velocity = point.image = {one / 2, 0};
  point.curvature = point.curved = {Interval(0)};
  OutputBend bend;  // N = (1, -1)/8
  bend.most = Interval::between(1, 1, -2, 64);
  bend.weight = {Interval(32)};
  bend.difference = {0, one, -one};
  point.outputs = {bend};
  point.speed = Interval::between(1, 1, -1, 64);
  point.stretch = Interval(2);
  point.step_size = Interval(step, 64);
  return growth(rule, point);
}

}  // namespace

TEST_CASE("what a classifier's outputs turn a step by is half of their part, and no less") {
  REQUIRE(StepGrowth(Start(R"({"X": [[[0, 0], [1, 0], [0, 1]]], "head": "classifier", "y": [0],
                               "U": [[0, 0], [1, 0]], "z": [[1]]})",
                           Loss::classifier)
                         .features,
                     {0})
              .token_exponent() == 1);
  // [1, 0; -1, 0] has the norm sqrt 2, [1, 0; 1, 1] the golden ratio.
  const Interval normalised = bound_at_half(normalised_steps, 1);
  CHECK(normalised.upper() >= Rational(14142, 10000));
  CHECK(normalised.upper() <= Rational(16181, 10000));
  // [2 - S, 1; -1, 0] and, as v'Dv may be off by all of it either way, [3 - S, 1; 1, 1], S nearly 0.
  const Interval polyak = bound_at_half(polyak_steps, Rational(1, 1 << 20));
  CHECK(polyak.upper() >= Rational(24142, 10000));
  CHECK(polyak.upper() <= Rational(34143, 10000));
}
