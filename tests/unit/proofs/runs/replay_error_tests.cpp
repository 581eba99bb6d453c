// The error counts of the replay (RUNS.md section 3) against what they count: at every step of small random
// runs each stored number is compared with the exact one, with scales that make one term after the other the
// largest.
#include <doctest/doctest.h>

#include <array>

#include "tests/unit/proofs/runs/reference_iteration.hpp"
#include "tests/unit/proofs/runs/replay_inspection.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

struct Scales {
  int tokens, queries;  // of the tokens and queries, in sixteenths
  int flat;             // what tokens are divided by beside, and the decoder multiplied with
  int dimension, groups;
  int start;
  int tokens_more;  // per group
  int most_count;   // 0: no counts; else each group's first token stands at its end once more
};

// Tokens, queries and start with thirds and sevenths; scores differ within every group.
std::string instance_of(unsigned seed, const Scales& scales) {
  std::mt19937 random(seed);
  const auto number = [&](int scale, int over) {
    const int x = (1 + static_cast<int>(random() % 12)) * (random() % 3 == 0 ? -1 : 1) * scale;
    return std::string("\"")
        .append(std::to_string(x))
        .append("/")
        .append(std::to_string(over * 16))
        .append("\"");
  };
  const std::string flat = std::to_string(scales.flat);
  std::string tokens, queries, labels, counts;
  for (int i = 0; i < scales.groups; ++i) {
    tokens += i > 0 ? ", [" : "[";
    const std::size_t begin = tokens.size();
    const int count = 2 + static_cast<int>(random() % 4) + scales.tokens_more;
    for (int t = 0; t < count; ++t) {
      tokens += t > 0 ? ", [" : "[";
      for (int k = 0; k < scales.dimension; ++k)
        tokens.append(number(scales.tokens, (k % 2 == 0 ? 3 : 7) * scales.flat)).append(", ");
      tokens.append("\"")
          .append(std::to_string(5 * t + static_cast<int>(random() % 5)))
          .append("/")
          .append(std::to_string(9 * scales.flat))
          .append("\"]");
    }
    if (scales.most_count > 0) {
      const std::size_t end = tokens.find(']', begin) + 1;
      tokens.append(", ").append(tokens.substr(begin, end - begin));
      for (int t = 0; t <= count; ++t) {
        counts.append(counts.empty() ? "" : ", ");
        counts.append(std::to_string(1 + random() % static_cast<unsigned>(scales.most_count)));
      }
    }
    tokens += "]";
    queries.append(i > 0 ? ", [" : "[").append(number(scales.queries, 3)).append("]");
    labels += i > 0 ? ", 1" : "1";
  }
  std::string v = "[";
  for (int k = 0; k < scales.dimension; ++k) v += "0, ";
  std::string text = R"({"X": [)";
  return text.append(tokens)
      .append(R"(], "Y": [)")
      .append(labels)
      .append(R"(], "v": )")
      .append(v)
      .append(flat)
      .append(R"(], "z": [)")
      .append(queries)
      .append(scales.most_count > 0 ? "], \"counts\": [" + counts + "]}" : "]}");
}

// The instance of a seed, and a loss of its head.
struct Trained {
  std::string instance;
  Loss loss = Loss::none;
};

Trained trained(unsigned seed, const Scales& scales) {
  const std::string text = instance_of(seed, scales);
  if (seed <= 160) return {text, std::array{Loss::logistic, Loss::exponential, Loss::correlation}[seed % 3]};
  const auto groups = static_cast<std::size_t>(scales.groups),
             dimension = static_cast<std::size_t>(scales.dimension) + 1;
  if (seed <= 200)
    return {with_targets(text, std::string("1, 0, 1").substr(0, 3 * groups - 2)), Loss::cross_entropy};
  const bool classifier = seed <= 250;
  const std::array units{Loss::relu_logistic, Loss::relu_exponential, Loss::relu_correlation};
  return {with_outputs(text, classifier, seed, 2 + seed % 4, groups, dimension),
          classifier ? Loss::classifier : units[seed % 3]};
}

Real scaled_real(const Integer& x, long exponent) {
  return checker_tests::real(Rational(x)) * pow(Real(2), static_cast<int>(exponent));
}

// One step of one run, everything stored against the exact numbers at the iterate.
class Comparison {
 public:
  Comparison(const Replay& replay, const Problem& problem, const Specification& specification,
             const StartPoint& start, unsigned bits)
      : at_{replay},
        iteration_(problem, specification),
        bits_(static_cast<long>(bits)),
        unit_(pow(Real(2), -static_cast<int>(bits))) {
    const std::size_t d = iteration_.left(), e = iteration_.right();
    for (const Rational& x : start) iterate_.push_back(checker_tests::real(x));
    iterate_.resize(d * e);
    for (const auto& group : at_.groups()) {
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t b = 0; b < e; ++b)
          iterate_[a * e + b] += scaled_real(group.position[a], -bits_) * iteration_.query(group.index, b);
      }
    }
  }

  const std::vector<Real>& iterate() const { return iterate_; }

  void images() const {
    for (const auto& group : at_.groups()) {
      for (std::size_t a = 0; a < iteration_.left(); ++a) {
        Real exact;
        for (std::size_t b = 0; b < iteration_.right(); ++b)
          exact += iterate_[a * iteration_.right() + b] * iteration_.query(group.index, b);
        within(group.image[a], exact, at_.image_error(), "image");
      }
    }
  }

  void evaluated() const {
    const std::size_t d = iteration_.left(), e = iteration_.right();
    const ReferencePoint exact = iteration_.at(iterate_);
    const Real least = scaled_real(at_.least_margin(), -bits_),
               common = exp(-least) * pow(Real(2), static_cast<int>(at_.common_exponent()));
    std::vector<Real> stored(d * e),
        off(d * e);  // off: less the exact velocity, which is -sum omega_t (x_t - x_r) z'
    for (const auto& group : at_.groups()) {
      const std::size_t i = group.index, r = group.reference;
      Real others, deficit;
      std::vector<Real> velocity(d);
      for (std::size_t t = 0; t < group.tokens; ++t) {
        const Real margin = exact.logit[i][r] - exact.logit[i][t];
        within(group.margin[t], margin, at_.margin_error(), "margin");
        for (std::size_t k = 0; k < d; ++k)
          velocity[k] -= scaled_real(group.weight[t], -bits_) * iteration_.token(i, t, k);
        if (t == r) continue;
        const Real part_of =
            iteration_.multiplicity(i, t) * pow(Real(2), -static_cast<int>(at_.multiplicity_bits()));
        within(group.odds[t], part_of * exp(least - margin), at_.odds_error(), "odds");
        const Real omega =
            exact.slope[i] * exact.share[i][t] * (exact.output[i] - exact.score[i][t]) / common;
        within(group.weight[t], omega, at_.weight_error(), "weight");
        for (std::size_t k = 0; k < d; ++k) {
          const Real part = omega * (iteration_.token(i, t, k) - iteration_.token(i, r, k));
          for (std::size_t b = 0; b < e; ++b) off[k * e + b] += part * iteration_.query(i, b);
        }
        others += part_of * exp(-margin);
        deficit += exact.share[i][t] * (exact.score[i][r] - exact.score[i][t]);
      }
      inside(group.others, others, "others");
      inside(group.deficit, deficit, "deficit");
      inside(group.slope, exact.slope[i], "slope");
      for (std::size_t k = 0; k < d; ++k) {
        within(group.velocity[k], velocity[k], 1, "velocity");
        for (std::size_t b = 0; b < e; ++b)
          stored[k * e + b] += scaled_real(group.velocity[k], -bits_) * iteration_.query(i, b);
      }
    }
    for (const auto& group : at_.groups()) {
      for (std::size_t k = 0; k < d; ++k) {
        Real image;
        for (std::size_t b = 0; b < e; ++b) image += stored[k * e + b] * iteration_.query(group.index, b);
        within(group.velocity_image[k], image, 1, "velocity's image");
      }
    }
    inside(at_.speed(), ReferenceIteration::norm(stored), "speed");
    for (std::size_t k = 0; k < off.size(); ++k) off[k] += stored[k];
    CHECK(ReferenceIteration::norm(off) <= checker_tests::real(at_.velocity_slack().upper()) + tiny);
  }

 private:
  // |stored - exact| is at most `error` units.
  void within(const Integer& stored, const Real& exact, const Integer& error, const char* what) const {
    const Real off = abs(scaled_real(stored, -bits_) - exact) / unit_;
    if (off > checker_tests::real(Rational(error)) + tiny / unit_)
      FAIL_CHECK(what << " off by " << off.str(6) << " of " << error.get_str());
  }
  void inside(const Interval& interval, const Real& exact, const char* what) const {
    if (checker_tests::real(interval.lower()) > exact + tiny ||
        checker_tests::real(interval.upper()) < exact - tiny)
      FAIL_CHECK(what);
  }

  static inline const Real tiny = pow(Real(2), -400);
  ReplayInspection at_;
  ReferenceIteration iteration_;
  long bits_;
  Real unit_;
  std::vector<Real> iterate_;
};

}  // namespace

TEST_CASE("every stored number of a replay is within its error count of the exact one" *
          doctest::test_suite("long")) {
  constexpr unsigned bits = 110;
  int steps = 0, output_steps = 0;
  for (unsigned seed = 1; seed <= 280; ++seed) {
    CAPTURE(seed);
    const Scales scales{std::array{1, 3, 16, 64}[seed % 4],
                        std::array{1, 12, 40}[seed % 3],
                        seed % 7 < 2 ? 4096 : 1,
                        1 + static_cast<int>(seed / 4 % 3),
                        1 + static_cast<int>(seed / 12 % 3),
                        std::array{0, 1, 20}[seed / 3 % 3],
                        seed % 5 == 0 ? 40 : 0,
                        std::array{0, 0, 7, 5000}[seed / 8 % 4]};
    const Trained head = trained(seed, scales);
    const Instance instance = read_instance(TemporaryFile(head.instance).path());
    const Features features(instance);
    Problem problem;
    problem.features = &features;
    problem.loss = head.loss;
    problem.selection.assign(features.groups(), 0);
    ConstraintVector listed;
    listed.at = {{0, 1}};
    listed.numerator = {1};
    const SpanElement centre(problem, listed);
    ReferenceDirection direction;
    direction.bits = bits + 32;
    direction.centre = &centre;
    direction.norm = square_root(Interval(centre.norm_squared(), direction.bits));
    if (!direction.norm.positive()) continue;
    StartPoint start;
    std::mt19937 random(seed);
    for (std::size_t k = 0; k < features.left_dimension() * features.right_dimension(); ++k)
      start.push_back(fraction(scales.start * (static_cast<int>(random() % 25) - 12), 77));
    for (const Rule rule : {Rule::gd, Rule::ngd}) {
      CAPTURE(static_cast<int>(rule));
      Specification specification;
      specification.rule = rule;
      specification.step = fraction(rule == Rule::gd ? 1L << seed % 7 : 1, seed % 11 == 0 ? 1L << 20 : 8);
      try {
        Replay replay(direction, specification, start, bits);
        unsigned kept = bits;
        std::vector<Real> next;
        for (std::size_t t = 0; t <= 4; ++t) {
          CAPTURE(t);
          if (t > 1 && seed % 2 == 0) {  // the radius is what is lost with the bits
            std::vector<Real> off = Comparison(replay, problem, specification, start, kept).iterate();
            ReplayInspection::set_radius(replay, Interval(0));
            kept -= 1 + seed % 13;
            replay.narrow(kept);
            const std::vector<Real> now = Comparison(replay, problem, specification, start, kept).iterate();
            for (std::size_t k = 0; k < off.size(); ++k) off[k] -= now[k];
            CHECK(ReferenceIteration::norm(off) <= checker_tests::real(replay.radius().upper()));
          }
          const Comparison before(replay, problem, specification, start, kept);
          before.images();
          if (t == 1) {  // the radius is the residual of the first step
            std::vector<Real> off = before.iterate();
            for (std::size_t k = 0; k < off.size(); ++k) off[k] -= next[k];
            CHECK(ReferenceIteration::norm(off) <= checker_tests::real(replay.radius().upper()));
          }
          replay.evaluate();
          before.evaluated();
          if (t == 0) next = ReferenceIteration(problem, specification).next(before.iterate(), 0);
          replay.advance();
          ++steps;
          output_steps += features.outputs() != nullptr;
        }
      } catch (const Imprecise&) {
        // Too few bits for this step: nothing is claimed.
      }
    }
  }
  CHECK(steps > 500);
  CHECK(output_steps > 200);
}

namespace {

// Everything stored at the first step of a run of one group.
void compare_first_step(const std::string& text, Loss loss, const StartPoint& start) {
  constexpr unsigned bits = 110;
  const Instance instance = read_instance(TemporaryFile(text).path());
  const Features features(instance);
  Problem problem;
  problem.features = &features;
  problem.loss = loss;
  problem.selection = {0};
  ConstraintVector listed;
  listed.at = {{0, 1}};
  listed.numerator = {1};
  const SpanElement centre(problem, listed);
  ReferenceDirection direction;
  direction.bits = bits + 32;
  direction.centre = &centre;
  direction.norm = square_root(Interval(centre.norm_squared(), direction.bits));
  Specification specification;
  specification.rule = Rule::gd;
  specification.step = 1;
  Replay replay(direction, specification, start, bits);
  const Comparison before(replay, problem, specification, start, bits);
  replay.evaluate();
  before.evaluated();
}

std::string times(std::size_t count, const std::string& item) {
  std::string list = item;
  for (std::size_t k = 1; k < count; ++k) list.append(", ").append(item);
  return list;
}

}  // namespace

// 2113 divides 2^110 + 1: of 2113 equal weights each loses nearly a whole unit.
TEST_CASE("what the weights of many classes lose by rounding is counted") {
  compare_first_step(R"({"X": [[[1, 0], [0, 1]]], "head": "classifier", "y": [0], "U": [[0, 0], )" +
                         times(2113, R"(["31/16", 0])") + R"(], "z": [[1]]})",
                     Loss::classifier, {});
}

// All units are active, so that scores differ 200 times as much as one output does, and the weight of the
// other token, 1/3 of a unit times 1000 off in its logit, is off by that more.
TEST_CASE("the scores of many units are over a power of two above them") {
  compare_first_step(R"({"X": [[[1000, 1], [0, "47/16"]]], "head": "relu", "Y": [1], "A": [)" +
                         times(200, "[0, 1]") + R"(], "bias": [)" + times(200, "0") + R"(], "r": [)" +
                         times(200, "1") + R"(], "z": [[1]]})",
                     Loss::relu_correlation, {Rational(1, 3), 0});
}

// 2/3 of a unit is lost of what each of 200 active units does to the score; attention has no part in it.
TEST_CASE("what the outputs of many units lose by rounding is counted") {
  compare_first_step(R"({"X": [[[1, 1], [0, "5/3"]]], "head": "relu", "Y": [1], "A": [)" +
                         times(200, "[0, 1]") + R"(], "bias": [)" + times(200, "0") + R"(], "r": [)" +
                         times(200, "1") + R"(], "z": [[1]]})",
                     Loss::relu_correlation, {50, 0});
}

// What the ball moves logits by must stay below 2^-56 over the sensitivity: at once with too few bits, or
// when the radius has grown.
TEST_CASE("a replay with too few bits ends") {
  std::string tokens = "[0, 0]";
  for (int t = 1; t < 64; ++t)
    tokens.append(", [").append(std::to_string(t % 7)).append(", ").append(std::to_string(-t)).append("]");
  const std::string text =
      std::string(R"({"X": [[)").append(tokens).append(R"(]], "Y": [1], "v": [0, "1/64"], "z": [[1]]})");
  const Instance instance = read_instance(TemporaryFile(text).path());
  const Features features(instance);
  Problem problem;
  problem.features = &features;
  problem.loss = Loss::logistic;
  problem.selection = {0};
  ConstraintVector listed;
  listed.at = {{0, 1}};
  listed.numerator = {1};
  const SpanElement centre(problem, listed);
  ReferenceDirection direction;
  direction.bits = 200;
  direction.centre = &centre;
  direction.norm = square_root(Interval(centre.norm_squared(), direction.bits));
  Specification specification;
  specification.rule = Rule::gd;
  specification.step = 1;
  Replay coarse(direction, specification, {}, 62);
  CHECK_THROWS_AS(coarse.evaluate(), Imprecise);
  Replay growing(direction, specification, {}, 84);
  CHECK_NOTHROW(growing.evaluate());
  CHECK_NOTHROW(growing.advance());
  CHECK_THROWS_AS(growing.evaluate(), Imprecise);
}

// Two scores closer than 2^-40 of a third one's distance: the tokens that move the run have weights of 2^-40,
// which 96 bits leave too few of for the words of the Jacobian bound.
TEST_CASE("a Jacobian bound without enough bits in its weights is refused") {
  const Instance instance = read_instance(
      TemporaryFile(
          R"({"X": [[[0, 1], [1, "1099511627775/1099511627776"], [100, 0]]], "Y": [1], "v": [0, 1], "z": [[1]]})")
          .path());
  const Features features(instance);
  Problem problem;
  problem.features = &features;
  problem.loss = Loss::correlation;
  problem.selection = {0};
  ConstraintVector listed;
  listed.at = {{0, 1}};
  listed.numerator = {1};
  const SpanElement centre(problem, listed);
  ReferenceDirection direction;
  direction.bits = 200;
  direction.centre = &centre;
  direction.norm = square_root(Interval(centre.norm_squared(), direction.bits));
  Specification specification;
  specification.rule = Rule::gd;
  specification.step = 1;
  const auto second_step = [&](unsigned bits) {
    Replay replay(direction, specification, {-1, 0}, bits);
    replay.evaluate();
    replay.advance();
    replay.evaluate();
    replay.advance();
  };
  for (const unsigned bits : {90U, 100U, 106U}) CHECK_THROWS_AS(second_step(bits), Imprecise);
  CHECK_NOTHROW(second_step(128));
}
