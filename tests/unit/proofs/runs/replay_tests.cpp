// The checker's replay against the iteration written down once more: every enclosure contains the exact
// value, and is narrow.
#include <doctest/doctest.h>

#include "proofs/checker/runs/replay.hpp"
#include "tests/unit/proofs/runs/reference_iteration.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

constexpr unsigned fraction_bits = 192;
const Real slack = pow(Real(2), -400);  // of the reference

void check_contains(const Interval& interval, const Real& value, int narrow = 120) {
  const Real lo = real(interval.lower()), hi = real(interval.upper());
  CHECK(lo <= value + slack);
  CHECK(value <= hi + slack);
  CHECK(hi - lo < pow(Real(2), -narrow) * (1 + abs(value)));
}

// How far a point is along the direction of the centre.
Real along_of(const std::vector<Real>& w, const SpanElement& centre, std::size_t right) {
  Real along;
  for (std::size_t k = 0; k < w.size(); ++k)
    along += real(fraction(centre.column(k % right)[k / right], centre.column_denominator())) * w[k];
  return along / sqrt(real(centre.norm_squared()));
}

// What the replay says of its point, against the reference's.
void check_point(Replay& replay, const ReferencePoint& point, const Real& norm, const Real& along,
                 const Problem& problem, int narrow) {
  const Observation seen = replay.observe();
  check_contains(seen.norm, norm, narrow);
  check_contains(seen.along, along, narrow);
  check_contains(seen.one_minus_corr, 1 - along / norm, narrow);
  check_contains(seen.loss_gap, point.loss_gap, narrow);
  check_contains(seen.gradient, point.gradient, narrow);
  check_contains(seen.unselected, point.unselected, narrow);
  CHECK(replay.place().directed());
  check_contains(replay.place().one_minus_corr(), 1 - along / norm, narrow);
  const RunPoint facts = replay.facts();
  check_contains(facts.height, along, narrow);
  check_contains(facts.loss_gap, point.loss_gap, narrow);
  for (std::size_t i = 0; i < point.logit.size(); ++i) {
    for (std::size_t token = 0; token < point.logit[i].size(); ++token)
      check_contains(facts.margin[i][token], point.logit[i][problem.selection[i]] - point.logit[i][token],
                     narrow);
  }
}

Loss loss_of_outputs(unsigned seed) {
  if (seed <= 64) return Loss::classifier;
  return std::array{Loss::relu_logistic, Loss::relu_exponential, Loss::relu_correlation}[seed % 3];
}

// Makes a step, unless that takes more bits.
bool advances(Replay& replay) {
  try {
    replay.advance();
  } catch (const Imprecise&) {
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("replays enclose the exact trajectory of every optimiser, schedule and head" *
          doctest::test_suite("long")) {
  int output_steps = 0;
  for (unsigned seed = 1; seed <= 72; ++seed) {
    CAPTURE(seed);
    const bool outputs = seed > 48;
    const bool offsets = seed > 36 && !outputs, cross_entropy = seed > 24 && seed <= 40;
    const bool repeated = (seed > 12 && seed <= 30) || (seed > 42 && seed <= 54);
    std::string text = random_instance(seed, seed % 2 == 0, "3/2", repeated);
    if (cross_entropy) text = with_targets(text, seed % 4 == 1 ? "2, 0, 1, 0" : "0, 0, 3, 1");
    if (offsets) text = with_offsets(text, seed, repeated);
    if (outputs) text = with_outputs(text, loss_of_outputs(seed) == Loss::classifier, seed, 2 + seed % 4);
    const Instance instance = read_instance(TemporaryFile(text).path());
    const Features features(instance);
    Problem problem;
    problem.features = &features;
    problem.loss = outputs ? loss_of_outputs(seed)
                   : cross_entropy
                       ? Loss::cross_entropy
                       : std::array{Loss::logistic, Loss::exponential, Loss::correlation}[seed % 3];
    problem.selection = {seed % 3, 0, seed % 4, 0};
    ConstraintVector listed;
    listed.denominator = 7;
    listed.at = {{0, (seed + 1) % 3}, {2, (seed + 1) % 4}, {3, 1}};
    listed.numerator = {3, 5, 2};
    const SpanElement centre(problem, listed);
    ReferenceDirection direction;
    direction.bits = fraction_bits + 32;
    direction.centre = &centre;
    direction.norm = square_root(Interval(centre.norm_squared(), direction.bits));

    // Tokens of multiplicity 1 beside those of 10^6 have that many bits less. The growth of an error of
    // cross-entropy is bounded so roughly there, and from starts far from the token to select, that a replay
    // soon gives up.
    // Steps of several outputs may amplify errors as much, and a unit's sign may be open.
    const bool rough = (cross_entropy && (repeated || seed % 4 == 1)) || outputs;
    const int narrow = rough ? -200 : repeated || offsets ? 80 : 120;
    for (const Rule rule : {Rule::gd, Rule::ngd, Rule::polyak}) {
      if (outputs && rule == Rule::polyak) continue;
      Specification specification;
      specification.rule = rule;
      specification.schedule =
          std::array{Schedule::constant, Schedule::inverse, Schedule::inverse_root}[seed / 3 % 3];
      specification.step = Rational(2, 5);
      StartPoint start;
      std::mt19937 random(seed + 100);
      // The large ones: attention close to one token, too close for that of cross-entropy's to be seen.
      const int size = seed % 4 == 0 && !cross_entropy ? 60 : 2;
      for (std::size_t k = 0; k < features.left_dimension() * features.right_dimension(); ++k)
        start.push_back(fraction(static_cast<int>(random() % 41) - 20, 7) * size);
      const ReferenceIteration reference(problem, specification);
      std::vector<Real> w;
      for (const Rational& x : start) w.push_back(real(x));
      Real previous_gap;
      LossPoint previous_loss;
      Replay replay(direction, specification, start, fraction_bits);
      for (std::size_t t = 0; t <= 12; ++t) {
        CAPTURE(t);
        try {
          replay.evaluate();
        } catch (const Imprecise&) {
          REQUIRE(rough);
          break;
        }
        const ReferencePoint point = reference.at(w);
        const Real along = along_of(w, centre, features.right_dimension());
        check_point(replay, point, ReferenceIteration::norm(w), along, problem, narrow);
        LossPoint loss = replay.loss_point();
        // From a saturated start gradient descent hardly moves.
        if (t > 0 && abs(point.loss_gap - previous_gap) > pow(Real(2), -60) * abs(previous_gap))
          CHECK(replay.loss_decreases(previous_loss, loss) == (point.loss_gap < previous_gap));
        previous_loss = std::move(loss);
        previous_gap = point.loss_gap;
        if (reference.step_factor(point, t) * point.gradient > 100) break;  // a diverging Polyak step
        w = reference.next(w, t);
        if (outputs && !advances(replay)) break;
        output_steps += outputs;
        if (!outputs) replay.advance();
        if (!rough) CHECK(certainly_less(replay.radius(), Interval::between(1, 1, -10 - narrow, 64)));
      }
    }
  }
  CHECK(output_steps > 300);
}

TEST_CASE("Polyak steps near the limit lose few bits") {
  // Six groups of eight unit-size tokens in ten dimensions: the traces of the negative part alone exceed what
  // a step may overshoot by, and would lose two bits a step.
  std::mt19937_64 random(1);
  const auto rows = [&](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += i > 0 ? ", [" : "[";
      for (int k = 0; k < 10; ++k) {
        long sum = 0;  // about normal
        for (int part = 0; part < 12; ++part) sum += static_cast<long>(random() % 1000);
        if (k > 0) text += ", ";
        text.append("\"").append(std::to_string(sum - 5994)).append("/3162\"");
      }
      text += "]";
    }
    return text;
  };
  std::string tokens;
  for (int i = 0; i < 6; ++i) tokens.append(i > 0 ? ", [" : "[").append(rows(8)).append("]");
  std::string text = R"({"X": [)";
  text.append(tokens)
      .append(R"(], "Y": [1, -1, 1, 1, -1, 1], "v": )")
      .append(rows(1))
      .append(R"(, "z": [)")
      .append(rows(6))
      .append("]}");
  const Instance instance = read_instance(TemporaryFile(text).path());
  const Features features(instance);
  Problem problem;
  problem.features = &features;
  problem.loss = Loss::logistic;
  problem.selection.assign(6, 0);
  ConstraintVector listed;
  listed.at = {{0, 1}};
  listed.numerator = {1};
  const SpanElement centre(problem, listed);
  ReferenceDirection direction;
  direction.bits = fraction_bits + 32;
  direction.centre = &centre;
  direction.norm = square_root(Interval(centre.norm_squared(), direction.bits));
  Specification specification;
  specification.rule = Rule::polyak;
  specification.step = Rational(1, 2);
  Replay replay(direction, specification, {}, fraction_bits);
  for (int t = 0; t < 200; ++t) {
    replay.evaluate();
    replay.advance();
  }
  CHECK(certainly_less(replay.radius(), Interval::between(1, 1, -150, 64)));
  replay.evaluate();
  CHECK(certainly_less(replay.observe().loss_gap, Interval::between(1, 1, -100, 64)));
}
