// The error counts of the replay at their edge: stored numbers are put as far off as the counts before allow,
// and the next count must still hold; and its Jacobian bound against the Jacobian where the bound is sharp.
#include <doctest/doctest.h>

#include <array>
#include <memory>

#include "tests/unit/proofs/checker/claims.hpp"
#include "tests/unit/proofs/runs/reference_iteration.hpp"
#include "tests/unit/proofs/runs/replay_inspection.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

// What a replay needs and must outlive it.
struct Scene {
  Instance instance;
  Features features;
  Problem problem;
  std::unique_ptr<SpanElement> centre;
  ReferenceDirection direction;

  Scene(const std::string& text, Loss loss, unsigned replay_bits)
      : instance(read_instance(TemporaryFile(text).path())), features(instance) {
    problem.features = &features;
    problem.loss = loss;
    problem.selection.assign(features.groups(), 0);
    ConstraintVector listed;
    listed.at = {{0, 1}};
    listed.numerator = {1};
    listed.denominator = 3;
    centre = std::make_unique<SpanElement>(problem, listed);
    direction.bits = replay_bits + 32;
    direction.centre = centre.get();
    direction.norm = square_root(Interval(centre->norm_squared(), direction.bits));
  }
};

Rational fractional_part(const Rational& x) {
  return x - divide_floor(x.get_num(), x.get_den());
}

constexpr unsigned replay_bits = 128;
const Rational unit = scale_by_power_of_two(1, -static_cast<long>(replay_bits));

}  // namespace

TEST_CASE("norm and height are enclosed whatever images are within their error of the exact ones") {
  const Scene scene(R"({"X": [[[0], [-1]]], "Y": [1], "v": [1], "z": [[1]]})", Loss::logistic, replay_bits);
  Specification specification;
  specification.rule = Rule::gd;
  specification.step = 1;
  // W_0 is almost a unit above its stored image.
  const Rational start = 1 + unit * Rational(99, 100);
  for (const int side : {-1, 1}) {
    CAPTURE(side);
    Replay replay(scene.direction, specification, {start}, replay_bits);
    replay.evaluate();
    replay.advance();
    auto& group = ReplayInspection::groups(replay).at(0);
    REQUIRE(group.position[0] > 0);
    const Rational exact = start + group.position[0] * unit;
    const Rational off = exact / unit + side * ReplayInspection{replay}.image_error();
    group.image[0] =
        side < 0 ? divide_ceil(off.get_num(), off.get_den()) : divide_floor(off.get_num(), off.get_den());
    ReplayInspection::set_radius(replay, Interval(0));
    const Place place = replay.place();
    CHECK(place.norm.lower() <= exact);
    CHECK(place.norm.upper() >= exact);
    CHECK(place.along.lower() <= exact);
    CHECK(place.along.upper() >= exact);
  }
}

// Of two groups with scores 0 and -1: the references, and how many eighths the mean scores are below theirs.
LossPoint loss_point(Loss loss, std::vector<std::size_t> reference, long first, long second) {
  LossPoint point{std::move(reference), {}, {}};
  for (const long deficit : {first, second}) {
    const long score = point.reference[point.deficit.size()] == 0 ? 0 : -1;
    point.deficit.push_back(Interval::between(deficit, deficit, -3, replay_bits));
    point.slope.push_back(Interval::ratio(1, 2, 64) *
                          loss_slope(loss, (Interval(score) - point.deficit.back()).rounded(64)));
  }
  return point;
}

TEST_CASE(
    "a loss that is steep decreases by what its scores rise by at the slopes after the step, at least") {
  const Scene scene(R"({"X": [[[0], [-1]], [[0], [-1]]], "Y": [1, 1], "v": [1], "z": [[1], [2]]})",
                    Loss::logistic, replay_bits);
  Specification specification;
  specification.rule = Rule::gd;
  specification.step = 1;
  Replay replay(scene.direction, specification, {0}, replay_bits);
  replay.evaluate();
  const auto decreases = [&](long first, long second) {
    return replay.loss_decreases(loss_point(Loss::logistic, {0, 0}, 4, 4),
                                 loss_point(Loss::logistic, {0, 0}, first, second));
  };
  CHECK(decreases(3, 4));
  CHECK(decreases(1, 5));
  // The slopes after the step are too small to tell.
  CHECK(decreases(-12, 9));
  // The slopes before it say the opposite of those after it.
  CHECK_FALSE(decreases(-28, 34));
  CHECK_FALSE(decreases(0, 8));
}

TEST_CASE("a loss decreases when every deficit does, from the same references; else it is compared") {
  // Scores 0 and -1 in both groups.
  const Scene scene(R"({"X": [[[0], [-1]], [[0], [-1]]], "Y": [1, 1], "v": [1], "z": [[1], [2]]})",
                    Loss::correlation, replay_bits);
  Specification specification;
  specification.rule = Rule::gd;
  specification.step = 1;
  Replay replay(scene.direction, specification, {0}, replay_bits);
  replay.evaluate();
  const auto at = [](std::vector<std::size_t> reference, long first, long second) {
    return loss_point(Loss::correlation, std::move(reference), first, second);
  };
  // Eighths of the distance to the reference's score, which is 0 or -1.
  const LossPoint before = at({0, 0}, 4, 4);
  CHECK(replay.loss_decreases(before, at({0, 0}, 3, 4)));
  CHECK(replay.loss_decreases(before, at({0, 0}, 3, 3)));
  CHECK(replay.loss_decreases(before, at({0, 0}, 1, 5)));
  for (const auto& [first, second] : {std::pair(3L, 6L), std::pair(6L, 3L), std::pair(5L, 4L)})
    CHECK_FALSE(replay.loss_decreases(before, at({0, 0}, first, second)));
  CHECK(replay.loss_decreases(before, at({1, 0}, -6, 4)));
  CHECK_FALSE(replay.loss_decreases(before, at({1, 0}, -2, 3)));
  CHECK_FALSE(replay.loss_decreases(before, at({1, 1}, -3, -3)));
}

TEST_CASE("a margin is off by what its images are, and by its own division") {
  // Both images of W_0 are almost a unit short, and a third of (0, 1).(1, 2) is rounded down by two thirds.
  const Scene scene(R"({"X": [[["1/3", "2/3"], [0, 0]]], "Y": [1], "v": [1, 1], "z": [[1]]})", Loss::logistic,
                    replay_bits);
  Specification specification;
  specification.rule = Rule::gd;
  specification.step = 1;
  const StartPoint start = {unit * Rational(99, 100), unit * Rational(199, 100)};
  Replay replay(scene.direction, specification, start, replay_bits);
  replay.evaluate();
  const ReplayInspection seen{replay};
  const Rational exact = (start[0] + 2 * start[1]) / unit / 3;
  CHECK(seen.groups()[0].reference == 0);
  CHECK(exact - seen.groups()[0].margin[1] > Rational(3, 2));
  CHECK(exact - seen.groups()[0].margin[1] <= seen.margin_error());
}

TEST_CASE("an image's error grows by what the floors of a step can be off by") {
  // Two opposite queries, so that what P_2 is short of makes the image of the first too small.
  const Scene scene(R"({"X": [[[0], [-1]], [[0], [-1]]], "Y": [1, 1], "v": [1], "z": [["7/10"], ["-7/10"]]})",
                    Loss::logistic, replay_bits);
  const Rational product(49, 100);
  Specification specification;
  specification.rule = Rule::gd;
  specification.step = 1;
  const StartPoint start = {unit * Rational(95, 100) * Rational(10, 7)};
  // A factor just below 2.
  {
    Replay replay(scene.direction, specification, start, replay_bits);
    replay.evaluate();
    const Rational wanted = Rational(199, 100) / ReplayInspection{replay}.factor().upper() * (1 << 20);
    specification.step = fraction(divide_floor(wanted.get_num(), wanted.get_den()), 1 << 20);
  }
  Replay replay(scene.direction, specification, start, replay_bits);
  replay.evaluate();
  const Interval factor = ReplayInspection{replay}.factor();
  const long shift = static_cast<long>(replay_bits) - factor.top();
  const Rational scaled = factor.floor_at(shift) * scale_by_power_of_two(1, -shift);
  CHECK(scaled > Rational(19, 10));
  CHECK(factor.ceil_at(0) == 2);
  gmp_randclass random(gmp_randinit_default);
  auto& groups = ReplayInspection::groups(replay);
  for (;;) {  // some ten thousand times
    const Integer a = random.get_z_bits(replay_bits), b = random.get_z_bits(replay_bits);
    if (fractional_part(scaled * a) > Rational(1, 10) || fractional_part(scaled * b) < Rational(9, 10))
      continue;
    const Rational image = (a - b) * product;
    const Integer stored = divide_floor(image.get_num(), image.get_den());
    if (image - stored < Rational(9, 10) || fractional_part(scaled * stored) < Rational(9, 10)) continue;
    groups[0].velocity = {a};
    groups[1].velocity = {b};
    groups[0].velocity_image = {stored};
    groups[1].velocity_image = {Integer(-stored)};
    break;
  }
  replay.advance();
  const Rational exact =
      start[0] * Rational(7, 10) / unit + (groups[0].position[0] - groups[1].position[0]) * product;
  CHECK(abs(exact - groups[0].image[0]) <= ReplayInspection{replay}.image_error());
  CHECK(exact - groups[0].image[0] > 4);
}

namespace {

// The 2-norm of the Jacobian of the exact step at the iterate, by central differences.
Real jacobian_norm(const Scene& scene, const Specification& specification, const Replay& replay,
                   const StartPoint& start) {
  const ReferenceIteration reference(scene.problem, specification);
  const std::size_t d = reference.left(), e = reference.right(), size = d * e;
  std::vector<Real> w;
  for (const Rational& x : start) w.push_back(checker_tests::real(x));
  w.resize(size);
  for (const auto& group : ReplayInspection{replay}.groups()) {
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b < e; ++b)
        w[a * e + b] +=
            checker_tests::real(Rational(group.position[a]) * unit) * reference.query(group.index, b);
    }
  }
  const Real h = pow(Real(10), -40);
  std::vector<Real> jacobian(size * size);
  for (std::size_t k = 0; k < size; ++k) {
    std::vector<Real> up = w, down = w;
    up[k] += h;
    down[k] -= h;
    up = reference.next(up, replay.step());
    down = reference.next(down, replay.step());
    for (std::size_t i = 0; i < size; ++i) jacobian[i * size + k] = (up[i] - down[i]) / (2 * h);
  }
  std::vector<Real> x(size, 1), y(size);
  Real value;
  for (int round = 0; round < 400; ++round) {
    for (std::size_t i = 0; i < size; ++i) {
      y[i] = 0;
      for (std::size_t j = 0; j < size; ++j) y[i] += jacobian[i * size + j] * x[j];
    }
    for (std::size_t j = 0; j < size; ++j) {
      x[j] = 0;
      for (std::size_t i = 0; i < size; ++i) x[j] += jacobian[i * size + j] * y[i];
    }
    value = ReferenceIteration::norm(x);
    for (Real& entry : x) entry /= value;
  }
  return sqrt(value);
}

}  // namespace

// One group whose attention is all but 2^-29 on the better token, 8 better by score: what the loss's
// curvature adds to a Polyak step's Jacobian is of that size, and the bound of the step is sharp beyond it.
TEST_CASE("the Jacobian bound has the curvature of the loss in it where that is small") {
  for (const Loss loss : {Loss::exponential, Loss::logistic}) {
    CAPTURE(static_cast<int>(loss));
    const Scene scene(R"({"X": [[[0], [-1]]], "Y": [1], "v": [8], "z": [[1]]})", loss, replay_bits);
    Specification specification;
    specification.rule = Rule::polyak;
    specification.step = Rational(1, 2);
    const StartPoint start = {20};
    Replay replay(scene.direction, specification, start, replay_bits);
    replay.evaluate();
    replay.advance();
    replay.evaluate();
    const Real exact = jacobian_norm(scene, specification, replay, start);
    const Real bound = checker_tests::real(ReplayInspection::stretch(replay).upper());
    CHECK(exact > 1 + pow(Real(2), -32));
    CHECK(bound >= exact);
    CHECK(bound < exact + pow(Real(2), -20));
  }
}

// Within 2^-56: what a velocity of the words' size, and a loss, may change by over the ball.
TEST_CASE("what a Jacobian is bounded from holds over the whole ball") {
  const Scene scene(R"({"X": [[[0], [-1]], [[0], [-2]]], "Y": [1, 1], "v": [2], "z": [[1], [1]]})",
                    Loss::exponential, replay_bits);
  Specification specification;
  specification.rule = Rule::polyak;
  specification.step = 1;
  Replay replay(scene.direction, specification, {1}, replay_bits);
  replay.evaluate();
  const ReplayInspection seen{replay};
  Integer mass;
  for (const auto& group : seen.groups()) {
    for (const Integer& x : group.weight) mass += abs(x);
  }
  const Rational words = scale_by_power_of_two(1, static_cast<long>(replay_bits) -
                                                      static_cast<long>(bit_length(mass)) -
                                                      seen.token_exponent() - seen.query_exponent()),
                 hair = scale_by_power_of_two(1, -56);
  const GrowthPoint point = ReplayInspection::growth_point(replay, Interval(1));
  const Rational slack = seen.velocity_slack().upper() * words + hair, speed = seen.speed().lower() * words;
  CHECK(point.speed.lower() <= speed - slack);
  CHECK(point.speed.upper() >= speed + slack);
  // The step is of the loss over the square of the speed.
  const Rational wide = (1 + hair) * speed * speed / ((speed - slack) * (speed - slack)),
                 narrow = (1 - hair) * speed * speed / ((speed + slack) * (speed + slack));
  CHECK(point.stretch.upper() * narrow >= point.stretch.lower() * wide * (1 - hair / 8));
  // What the curvature of a loss without slope adds is at most the square of the widest gap of scores over
  // it.
  ReplayInspection::groups(replay)[1].slope = Interval(scale_by_power_of_two(1, -200), 64);
  const GrowthPoint flat = ReplayInspection::growth_point(replay, Interval(1));
  CHECK(flat.curvature[1].lower() > scale_by_power_of_two(1, 60));
  CHECK((flat.curved[1] * flat.curvature[1]).upper() >= 16);
}

TEST_CASE("the widest distance within a group is bounded from above") {
  const Scene scene(R"({"X": [[[1, 0], [0, 1]]], "Y": [1], "v": [1, 0], "z": [[1]]})", Loss::logistic,
                    replay_bits);
  Specification specification;
  specification.rule = Rule::gd;
  specification.step = 1;
  const Replay replay(scene.direction, specification, {}, replay_bits);
  const Rational widest = ReplayInspection{replay}.widest().lower();
  CHECK(widest * widest > 2);
}

// P = 2^60 in one group against P/3 in three, of a third of the scores and thrice the query: V vanishes
// everywhere, but the stored one, with images rounded at 2^-128, does not.
TEST_CASE("no step is taken from where the gradient is not certain to be other than 0") {
  const std::string other = R"([["384307168202282325.5"], [0]])";
  const std::string instance =
      R"({"X": [[["1152921504606846976.5"], [0]], )" + other + ", " + other + ", " + other +
      R"(], "Y": [1, -1, -1, -1], "v": ["1/1152921504606846976"], "z": [[1], [3], [3], [3]]})";
  const Rational p(Integer("2305843009213693953"), 2), q = 1 / (p * p);
  const auto status = [&](const std::string& steps) {
    return check_body(instance, problem("4 0 0 0 0", "correlation") +
                                    std::vector<std::string>{
                                        "claim 1 optimal problem 1 norm-squared " + canonical(q),
                                        "vector multipliers 1 over 5316911983139663496226914259548766209",
                                        "0 1 4", "claim 2 run problem 1 from 1 steps " + steps,
                                        "optimizer ngd schedule constant step 1*2^-200 fraction-bits 64",
                                        "start 1 1/7000000000000000003", "checkpoints 1",
                                        "at " + steps +
                                            " norm -9 9 along -9 9 one-minus-corr none loss-gap -9 9 "
                                            "gradient -9 9 unselected -9 9",
                                        "loss-decreases-until 0", "rates 0"})
        .status;
  };
  CHECK(status("0") == 0);
  CHECK(status("1") == 1);
}
