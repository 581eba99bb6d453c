// Trajectories of the pair against their definition, the shifted problem against its own, and what T20 says
// of later steps against the steps themselves.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "numerics/joint/mirror.hpp"
#include "numerics/joint/run.hpp"
#include "numerics/joint/shifted_direction.hpp"
#include "tests/unit/numerics/joint/joint_samples.hpp"

using namespace attest;

namespace {

constexpr long exact_bits = 1200;

JointSpec spec_of(bool normalised, const Rational& attention, const Rational& decoder, Loss loss,
                  const Rational& power = 0) {
  return {loss, {normalised, attention, power}, {normalised, decoder, power}};
}

// The iteration by its definition, on a full W, in balls that stay tiny.
class Defined {
 public:
  Defined(const Sample& sample, const JointSpec& spec)
      : features(sample.joint, exact_bits), spec_(spec), W(features.d * features.e) {
    for (const double x : sample.start) v.emplace_back(x);
  }

  void advance() {
    std::vector<Ball> gradient(W.size()), pull(v.size());
    for (const JointGroup& group : features.groups) {
      const std::size_t count = group.tokens.size();
      std::vector<Ball> part, score;
      Ball total, output;
      for (std::size_t t = 0; t < count; ++t) {
        Ball logit, one;
        for (std::size_t j = 0; j < features.d; ++j) {
          for (std::size_t k = 0; k < features.e; ++k)
            add_product(logit, mul(group.key[t * features.d + j], group.query[k], exact_bits),
                        W[j * features.e + k], exact_bits);
          add_product(one, group.value[t * features.d + j], v[j], exact_bits);
        }
        part.push_back(exp(logit, exact_bits));
        score.push_back(one);
        total = add(total, part[t], exact_bits);
      }
      for (std::size_t t = 0; t < count; ++t) {
        part[t] = div(part[t], total, exact_bits);
        add_product(output, part[t], score[t], exact_bits);
      }
      Ball slope, ratio;
      loss_derivatives(slope.raw(), ratio.raw(), spec_.loss, output.raw(), exact_bits);
      arb_div_ui(slope.raw(), slope.raw(), features.groups.size(), exact_bits);
      for (std::size_t t = 0; t < count; ++t) {
        const Ball share = mul(slope, part[t], exact_bits);
        const Ball weight = mul(share, sub(score[t], output, exact_bits), exact_bits);
        for (std::size_t j = 0; j < features.d; ++j) {
          add_product(pull[j], share, group.value[t * features.d + j], exact_bits);
          for (std::size_t k = 0; k < features.e; ++k)
            add_product(gradient[j * features.e + k], weight,
                        mul(group.key[t * features.d + j], group.query[k], exact_bits), exact_bits);
        }
      }
    }
    step(W, gradient, spec_.attention);
    step(v, pull, spec_.decoder);
    ++t_;
  }

  Ball image(std::size_t group, std::size_t j) const {
    return dot({W.data() + j * features.e, features.e}, features.groups[group].query, exact_bits);
  }

  JointFeatures features;

 private:
  void step(std::vector<Ball>& x, const std::vector<Ball>& velocity, const JointStep& size) const {
    Ball factor = size.at(t_, exact_bits);
    if (spec_.exponent) return mirror_step(x, velocity, size.normalised, factor);
    if (size.normalised)
      factor = div(factor, sqrt(dot(velocity, velocity, exact_bits), exact_bits), exact_bits);
    for (std::size_t k = 0; k < x.size(); ++k) add_product(x[k], factor, velocity[k], exact_bits);
  }

  // sign(x) |x|^power.
  static Ball signed_to(const Ball& x, const Ball& power) {
    if (arb_is_zero(x.raw()) != 0) return {};
    const Ball size = exp(mul(power, log(abs(x), exact_bits), exact_bits), exact_bits);
    return arb_is_negative(x.raw()) != 0 ? neg(size) : size;
  }

  void mirror_step(std::vector<Ball>& x, const std::vector<Ball>& velocity, bool normalised,
                   Ball factor) const {
    const Ball less(*spec_.exponent - 1, exact_bits),
        dual(*spec_.exponent / (*spec_.exponent - 1), exact_bits);
    if (normalised) {
      Ball sum;
      for (const Ball& one : velocity) sum = add(sum, signed_to(abs(one), dual), exact_bits);
      factor = div(factor, signed_to(sum, inverse(dual, exact_bits)), exact_bits);
    }
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = signed_to(add(signed_to(x[k], less), mul(factor, velocity[k], exact_bits), exact_bits),
                       inverse(less, exact_bits));
  }

  JointSpec spec_;
  std::uint64_t t_ = 0;

 public:
  std::vector<Ball> W, v;
};

void check_trajectory(const Sample& sample, const JointSpec& spec, int steps) {
  const JointFeatures features(sample.joint, 256);
  JointIteration run(features, spec, {{}, ExactArray::from_binary64(sample.start)});
  Defined defined(sample, spec);
  for (int t = 0; t <= steps; ++t) {
    REQUIRE(run.evaluate(256) == IterationStatus::ok);
    const std::vector<Ball> v = run.decoder(), images = run.images();
    for (std::size_t j = 0; j < v.size(); ++j) REQUIRE(v[j].contains(defined.v[j]));
    for (std::size_t i = 0; i < features.groups.size(); ++i) {
      for (std::size_t j = 0; j < features.d; ++j)
        REQUIRE(images[i * features.d + j].contains(defined.image(i, j)));
    }
    CHECK(run.norm_squared().contains(dot(defined.W, defined.W, exact_bits)));
    CHECK(run.correct_bits() > 60);
    REQUIRE(run.advance() == IterationStatus::ok);
    defined.advance();
  }
}

void check_mirror(const Sample& sample, const JointSpec& spec, int steps) {
  const JointFeatures features(sample.joint, 512);
  JointMirror run(features, spec, {{}, ExactArray::from_binary64(sample.start)});
  Defined defined(sample, spec);
  std::vector<Ball> matrix;
  for (std::size_t k = 0; k < features.d * features.e; ++k) matrix.emplace_back(std::cos(1.0 + double(k)));
  for (int t = 0; t <= steps; ++t) {
    REQUIRE(run.evaluate(512) == IterationStatus::ok);
    for (std::size_t j = 0; j < run.decoder().size(); ++j) REQUIRE(overlap(run.decoder()[j], defined.v[j]));
    CHECK(overlap(run.norm_squared(), dot(defined.W, defined.W, exact_bits)));
    CHECK(overlap(run.along(matrix), dot(defined.W, matrix, exact_bits)));
    CHECK(run.correct_bits() > 60);
    REQUIRE(run.advance() == IterationStatus::ok);
    defined.advance();
  }
  CHECK(run.growth_bits() > 0);
}

}  // namespace

TEST_CASE("mirror descent of the pair contains the iteration; with P = 2 it is gradient descent") {
  const Sample sample = gaussian(3, 3, 4, 5);
  for (const Rational& exponent : {Rational(7, 4), Rational(2), Rational(3)}) {
    JointSpec spec = spec_of(true, Rational(1, 10), Rational(3, 100), Loss::logistic);
    spec.exponent = exponent;
    check_mirror(sample, spec, 15);
    spec.decoder.normalised = false;
    check_mirror(sample, spec, 15);
  }
  const auto limits_of = [&](const Selection& selection) { return plain_limits(sample, selection); };
  JointOptions options;
  options.steps = 40;
  JointSpec spec = spec_of(true, Rational(1, 10), Rational(1, 10), Loss::logistic);
  const JointStart start{{}, ExactArray::from_binary64(sample.start)};
  const JointOutcome gradient = joint_run(sample.joint, spec, start, limits_of, options);
  spec.exponent = 2;
  const JointOutcome mirror = joint_run(sample.joint, spec, start, limits_of, options);
  REQUIRE(gradient.verdict == RunVerdict::complete);
  REQUIRE_MESSAGE(mirror.verdict == RunVerdict::complete, mirror.reason);
  CHECK_FALSE(mirror.proof);
  CHECK(mirror.record.correct_bits >= 100);
  REQUIRE(mirror.record.checkpoints.size() == gradient.record.checkpoints.size());
  for (std::size_t k = 0; k < mirror.record.checkpoints.size(); ++k) {
    const JointPoint &a = gradient.record.checkpoints[k], &b = mirror.record.checkpoints[k];
    CHECK(overlap(a.loss, b.loss));
    CHECK(overlap(a.norm, b.norm));
    CHECK(overlap(a.decoder_norm, b.decoder_norm));
    if (b.step > 0) CHECK(overlap(a.one_minus_corr[0], b.one_minus_corr[0]));
  }
}

TEST_CASE("trajectories of the pair contain the iteration, for both rules, losses and schedules") {
  const Sample sample = gaussian(3, 3, 4, 5);
  check_trajectory(sample, spec_of(false, 1, Rational(1, 2), Loss::logistic), 20);
  check_trajectory(sample, spec_of(true, Rational(1, 10), Rational(3, 100), Loss::logistic), 20);
  check_trajectory(sample, spec_of(true, 1, 2, Loss::exponential, Rational(-2, 3)), 20);
  JointSpec mixed = spec_of(true, Rational(1, 10), 1, Loss::correlation);
  mixed.decoder.normalised = false;
  check_trajectory(sample, mixed, 15);
  check_trajectory(gaussian(2, 4, 3, 6, true),
                   spec_of(true, Rational(1, 10), Rational(1, 10), Loss::logistic), 15);
}

TEST_CASE("the shifted problem: no unit matrix does better, and equal rows are merged") {
  for (const bool repeated : {false, true}) {
    const Sample sample = gaussian(4, 4, 6, 9, repeated);
    const std::size_t n = sample.labels.size();
    const EnclosedRows rows = enclosed_rows(sample.joint.data, Selection(n, 1));
    std::vector<Ball> shift;
    for (std::size_t i = 0; i < n; ++i) shift.emplace_back(0.25 * static_cast<double>(i % 4));
    std::string reason;
    const auto found = shifted_direction(rows, shift, Budget(), reason);
    REQUIRE(found);
    CHECK(found->gap < 1e-40);
    CHECK(found->merged == (repeated ? 3 : 0));
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<Ball> near = found->direction.entries;
      const double size = std::ldexp(1.0, -trial / 10);
      for (Ball& entry : near) entry = add(entry, Ball(size * normal(random)), 256);
      const Ball norm = sqrt(dot(near, near, 256), 256);
      Ball least;
      for (std::size_t c = 0; c < rows.at.size(); ++c) {
        const Ball value = add(div(rows.margin(c, near), norm, 256), shift[rows.at[c].group], 256);
        least = c == 0 ? value : min(least, value, 256);
      }
      CHECK(least.lower_double() <= found->direction.margin.upper_double());
    }
    // Without a shift it is the plain problem.
    const auto plain = shifted_direction(rows, std::vector<Ball>(n), Budget(), reason);
    const auto solved = direction_of(rows, solve_margin_problem(sample.joint.data, Selection(n, 1)));
    REQUIRE(plain);
    REQUIRE(solved);
    CHECK(overlap(plain->direction.margin, solved->margin));
    for (std::size_t k = 0; k < solved->entries.size(); ++k)
      CHECK(overlap(plain->direction.entries[k], solved->entries[k]));
  }
}

TEST_CASE("T20's bounds hold at the later steps of the run" * doctest::test_suite("long")) {
  std::size_t proved = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Sample sample = gaussian(3, 3, 12, seed);
    const JointSpec spec = spec_of(true, Rational(1, 10), Rational(1, 10), Loss::logistic);
    JointOptions options;
    options.steps = 900;
    const JointOutcome outcome = joint_run(
        sample.joint, spec, {{}, ExactArray::from_binary64(sample.start)},
        [&](const Selection& selection) { return plain_limits(sample, selection); }, options);
    REQUIRE(outcome.verdict == RunVerdict::complete);
    if (!outcome.proof) continue;
    ++proved;
    const JointRegion& region = outcome.proof->region;
    CHECK(region.choices.boxes.size() == 3);
    const auto at_proof = [&](const JointPoint& point) { return point.step == outcome.proof->t0; };
    CHECK(std::count_if(outcome.record.checkpoints.begin(), outcome.record.checkpoints.end(), at_proof) == 1);
    for (const JointPoint& point : outcome.record.checkpoints) {
      if (point.step < outcome.proof->t0) continue;
      const double sum = 0.1 * static_cast<double>(point.step - outcome.proof->t0);
      const double y = region.decoder_start.lower_double() + region.decoder_growth.lower_double() * sum;
      const double big_y =
          region.attention_start.lower_double() + region.attention_growth.lower_double() * sum;
      const double lateral = region.lateral.upper_double();
      CHECK(point.decoder_norm.upper_double() >= y * (1 - 1e-12));
      CHECK(point.norm.upper_double() >= big_y * (1 - 1e-12));
      CHECK(point.decoder_one_minus_corr.lower_double() <= lateral * lateral / (2 * y * y));
      CHECK(point.one_minus_corr.front().lower_double() <= region.spread.upper_double() / (2 * big_y));
      CHECK(point.loss.lower_double() <=
            region.loss.upper_double() * std::exp(-region.decoder_margin.lower_double() * y));
      CHECK(point.max_unselected.lower_double() <= region.unselected.upper_double());
    }
  }
  CHECK(proved >= 2);
}

TEST_CASE("T20 of one row, which W never leaves: roots of what vanishes stay bounded") {
  const Sample sample = gaussian(1, 2, 3, 1);
  JointOptions options;
  options.steps = 400;
  const JointOutcome outcome = joint_run(
      sample.joint, spec_of(true, Rational(1, 10), Rational(1, 10), Loss::logistic),
      {{}, ExactArray::from_binary64(sample.start)},
      [&](const Selection& selection) { return plain_limits(sample, selection); }, options);
  REQUIRE(outcome.proof);
  CHECK(outcome.proof->region.spread.upper_double() < 10);
}

TEST_CASE("a problem that is not solved leaves no answer to which one is nearest") {
  const Sample sample = gaussian(3, 3, 12, 1);
  const JointSpec spec = spec_of(true, Rational(1, 10), Rational(1, 10), Loss::logistic);
  JointOptions options;
  options.steps = 200;
  const JointStart start{{}, ExactArray::from_binary64(sample.start)};
  const auto run = [&](Feasibility other) {
    return joint_run(
        sample.joint, spec, start,
        [&](const Selection& selection) {
          JointLimits limits = plain_limits(sample, selection);
          limits.attention.push_back({"relaxed", other, {}, "asked"});
          return limits;
        },
        options);
  };
  CHECK(run(Feasibility::infeasible).nearest() == std::optional<std::string>("plain"));
  CHECK(!run(Feasibility::undecided).nearest());
  CHECK(!run(Feasibility::feasible).nearest());
}

TEST_CASE("problems of one solution are not told apart, from others they are") {
  const Sample sample = gaussian(3, 3, 12, 1);
  JointOptions options;
  options.steps = 200;
  JointOutcome outcome = joint_run(
      sample.joint, spec_of(true, Rational(1, 10), Rational(1, 10), Loss::logistic),
      {{}, ExactArray::from_binary64(sample.start)},
      [&](const Selection& selection) { return plain_limits(sample, selection); }, options);
  REQUIRE(outcome.nearest() == std::optional<std::string>("plain"));
  const auto add = [&](const char* problem, const Ball& one_minus_corr) {
    outcome.limits.attention.push_back(outcome.limits.attention.front());
    outcome.limits.attention.back().problem = problem;
    outcome.record.checkpoints.back().one_minus_corr.push_back(one_minus_corr);
  };
  add("relaxed", outcome.record.checkpoints.back().one_minus_corr.front());
  CHECK(!outcome.nearest());
  add("shifted", Ball(1));
  CHECK(outcome.nearest() == std::optional<std::string>("plain or relaxed"));
}

TEST_CASE("a zero gradient has no direction, at once") {
  const Sample sample = gaussian(3, 3, 4, 1);
  Sample idle = sample;
  idle.joint.data.query_factor = ExactArray::from_binary64(std::vector<double>(12, 0.0));
  JointOptions options;
  options.steps = 10;
  const JointStart decoder_alone{{}, ExactArray::from_binary64(sample.start)};
  for (const auto& [asked, start] : {std::pair(sample, JointStart{}), std::pair(idle, decoder_alone)}) {
    const JointOutcome outcome = joint_run(
        asked.joint, spec_of(true, 1, 1, Loss::logistic), start,
        [&](const Selection& selection) { return plain_limits(sample, selection); }, options);
    CHECK(outcome.verdict == RunVerdict::undecided);
    CHECK(outcome.attempts == 1);
    CHECK(outcome.reason.find("the gradient of the attention is zero") != std::string::npos);
  }
}
