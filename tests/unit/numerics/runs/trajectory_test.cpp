// Validated trajectories against an independent run: dense W, textbook softmax gradient, 2000-bit MPFR
// numbers.
#include <doctest/doctest.h>

#include <Eigen/SVD>
#include <array>
#include <boost/multiprecision/mpfr.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "numerics/runs/descent.hpp"
#include "numerics/runs/gradient_step.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using attest_test::counted_instance;
using attest_test::CountedInstance;
using attest_test::gaussian_instance;

namespace {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<0>,
                                           boost::multiprecision::et_off>;

// Decimal digits of every Real made until the end of the scope: 650 are over 2000 bits.
struct Digits {
  explicit Digits(unsigned digits) { Real::default_precision(digits); }
  ~Digits() { Real::default_precision(650); }
};
const Digits usual(650);

Real real(const Rational& x) {
  return Real(numerator(x)) / Real(denominator(x));
}

// The definition of theory.md section 0, term by term, on a dense W.
struct Reference {
  const TokenData& data;
  const TokenData* best;
  OptimizerSpec spec;
  std::vector<Real> W, U;
  std::uint64_t t = 0;

  // `from` token by token; the best scores are those of `merged`, when given, where equal tokens have their
  // mean.
  Reference(const TokenData& from, const OptimizerSpec& with, const ExactArray& start,
            const TokenData* merged = nullptr)
      : data(from),
        best(merged == nullptr ? &from : merged),
        spec(with),
        W(from.left_dimension * from.right_dimension, 0),
        U(W) {
    for (std::size_t k = 0; k < start.size(); ++k) W[k] = real(start.exact(k));
  }

  Real x(std::size_t i, std::size_t s, std::size_t j) const {
    return real(data.token_factor.exact(data.row(i, s) * data.left_dimension + j));
  }
  Real z(std::size_t i, std::size_t k) const {
    return real(data.query_factor.exact(i * data.right_dimension + k));
  }

  std::vector<Real> softmax(std::size_t i) const {
    std::vector<Real> logit(data.tokens(i), 0), s;
    for (std::size_t tok = 0; tok < data.tokens(i); ++tok) {
      for (std::size_t j = 0; j < data.left_dimension; ++j) {
        for (std::size_t k = 0; k < data.right_dimension; ++k) {
          logit[tok] += x(i, tok, j) * W[j * data.right_dimension + k] * z(i, k);
        }
      }
    }
    Real total = 0;
    for (const Real& l : logit) total += exp(l - logit[0]);
    for (const Real& l : logit) s.push_back(exp(l - logit[0]) / total);
    return s;
  }

  Real loss(const Real& f) const {
    if (spec.loss == Loss::correlation) return -f;
    if (spec.loss == Loss::cross_entropy) return -log(f);  // f is the attention on the targets
    if (spec.loss == Loss::exponential) return exp(-f);
    return log(1 + exp(-f));
  }
  Real slope(const Real& f) const {
    if (spec.loss == Loss::correlation) return -1;
    if (spec.loss == Loss::cross_entropy) return -1 / f;
    if (spec.loss == Loss::exponential) return -exp(-f);
    return -1 / (1 + exp(f));
  }

  Real loss_gap() const {
    Real sum = 0;
    for (std::size_t i = 0; i < data.groups(); ++i) {
      const std::vector<Real> s = softmax(i);
      Real f = 0, top = real(best->score(i, 0));
      for (std::size_t tok = 0; tok < data.tokens(i); ++tok) f += s[tok] * real(data.score(i, tok));
      for (std::size_t tok = 0; tok < best->tokens(i); ++tok) top = std::max(top, real(best->score(i, tok)));
      sum += loss(f) - loss(top);
    }
    return sum / Real(static_cast<unsigned long>(data.groups()));
  }

  std::vector<Real> gradient() const {
    std::vector<Real> g(W.size(), 0);
    for (std::size_t i = 0; i < data.groups(); ++i) {
      const std::vector<Real> s = softmax(i);
      Real f = 0;
      for (std::size_t tok = 0; tok < data.tokens(i); ++tok) f += s[tok] * real(data.score(i, tok));
      for (std::size_t tok = 0; tok < data.tokens(i); ++tok) {
        const Real weight = slope(f) / Real(static_cast<unsigned long>(data.groups())) * s[tok] *
                            (real(data.score(i, tok)) - f);
        for (std::size_t j = 0; j < data.left_dimension; ++j) {
          for (std::size_t k = 0; k < data.right_dimension; ++k) {
            g[j * data.right_dimension + k] += weight * x(i, tok, j) * z(i, k);
          }
        }
      }
    }
    return g;
  }

  void advance() {
    const std::vector<Real> g = gradient();
    Real square = 0;
    for (const Real& entry : g) square += entry * entry;
    Real tau = real(spec.step);
    if (spec.schedule == Schedule::inverse) tau /= Real(static_cast<unsigned long>(t + 1));
    if (spec.schedule == Schedule::inverse_sqrt) tau /= sqrt(Real(static_cast<unsigned long>(t + 1)));
    if (spec.rule == update_rule("ngd")) tau /= sqrt(square);
    if (spec.rule == update_rule("polyak")) tau *= loss_gap() / square;
    for (std::size_t k = 0; k < W.size(); ++k) {
      U[k] = real(spec.momentum) * U[k] - tau * g[k];
      W[k] += U[k];
    }
    ++t;
  }
};

Real real(arf_srcptr value) {
  mpfr_t number;
  mpfr_init2(number, static_cast<mpfr_prec_t>(Real::default_precision() * 10 / 3));
  arf_get_mpfr(number, value, MPFR_RNDN);
  Real result(number);
  mpfr_clear(number);
  return result;
}

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

// The kept iterate W_0 + sum P_i z_i'.
std::vector<Real> kept(const Iteration& iteration, const Reference& reference, const ExactArray& start) {
  const auto& run = dynamic_cast<const FeaturePoint&>(iteration.point());
  const std::size_t d = reference.data.left_dimension, e = reference.data.right_dimension;
  std::vector<Real> W(d * e, 0);
  for (std::size_t k = 0; k < start.size(); ++k) W[k] = real(start.exact(k));
  for (std::size_t i = 0; i < run.geometry().groups.size(); ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      WorkingBall p;
      fixed_to_arb(p, run.coordinates()[i * d + j], run.format());
      const Real value = real(arb_midref(static_cast<arb_srcptr>(p)));
      for (std::size_t k = 0; k < e; ++k)
        W[j * e + k] += value * reference.z(run.geometry().groups[i].original, k);
    }
  }
  return W;
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
      const auto state = iteration->narrowed(words(--limbs));
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
      run.loss_gap(ball);
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
          many[merged] += 1;
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

OptimizerSpec spec(const UpdateRule* rule, Rational step, Loss loss = Loss::logistic,
                   Schedule schedule = Schedule::constant) {
  return {rule, schedule, step, loss};
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

namespace {

// The same data with the head of cross-entropy.
TokenData aimed(TokenData data, const std::vector<std::size_t>& targets) {
  set_targets(data, targets, {});
  return data;
}

}  // namespace

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
  CHECK(data.scores == std::vector<Rational>{1, 0, 0, 0, 1});
  CHECK(data.multiplicity(0, 0) == 5);
}

TEST_CASE("the exact trajectory stays in the claimed ball when words are dropped on the way") {
  const TokenData data = gaussian_instance({3, 4, 1, 2}, 3, 2, 11);
  CHECK(follow(data, spec(update_rule("gd"), 1, Loss::logistic), {}, 7, 60, 13) > 1e-6);
  CHECK(follow(data, spec(update_rule("ngd"), Rational(1, 10), Loss::exponential), {}, 7, 60, 13) > 1e-6);
}

TEST_CASE("equal tokens: the run of the merged data is that of the data token by token") {
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

TEST_CASE("the exact trajectory stays in the claimed ball with momentum, too") {
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

namespace {

struct JacobianCase {
  const UpdateRule* rule;
  Rational step;
  Loss loss;
  double excess;  // allowed log2(bound) - log2(norm)
};
const std::vector<JacobianCase> scalar_cases{{update_rule("gd"), 1, Loss::logistic, 0.2},
                                             {update_rule("gd"), 200, Loss::exponential, 3},
                                             {update_rule("ngd"), Rational(1, 10), Loss::logistic, 0.1},
                                             {update_rule("ngd"), 3, Loss::correlation, 3},
                                             {update_rule("polyak"), Rational(1, 2), Loss::logistic, 3}};
const std::vector<JacobianCase> cross_entropy_cases{
    {update_rule("gd"), 1, Loss::cross_entropy, 0.2},
    {update_rule("gd"), 50, Loss::cross_entropy, 7},
    {update_rule("ngd"), Rational(1, 10), Loss::cross_entropy, 0.1},
    {update_rule("polyak"), Rational(1, 2), Loss::cross_entropy, 3}};

}  // namespace

// `each` are the same data token by token.
static void check_jacobian_bound(const TokenData& data, const TokenData& each,
                                 const std::vector<JacobianCase>& cases = scalar_cases) {
  const RunGeometry geometry(data, 4);
  for (const JacobianCase& c : cases) {
    CAPTURE(c.rule->word());
    const OptimizerSpec with = spec(c.rule, c.step, c.loss);
    Descent run({geometry, with, {}, FixedFormat{6, 352}});
    for (int t = 0; t < 12; ++t) {
      REQUIRE(run.evaluate() == IterationStatus::ok);
      Reference centre(each, with, {}, &data);
      const std::vector<Real> W = kept(run, centre, {});
      centre.W = W;
      centre.advance();
      const auto size = static_cast<Eigen::Index>(W.size());
      Eigen::MatrixXd jacobian(size, size);
      const Real h("1e-200");
      for (Eigen::Index k = 0; k < size; ++k) {
        Reference moved(each, with, {}, &data);
        moved.W = W;
        moved.W[static_cast<std::size_t>(k)] += h;
        moved.advance();
        for (Eigen::Index j = 0; j < size; ++j) {
          const auto index = static_cast<std::size_t>(j);
          jacobian(j, k) = static_cast<double>((moved.W[index] - centre.W[index]) / h);
        }
      }
      const FeaturePoint at = run.point();
      const double norm = jacobian.jacobiSvd().singularValues()(0);
      const double before = run.amplification_bits();
      REQUIRE(run.advance() == IterationStatus::ok);
      const double bits = run.amplification_bits() - before;
      CHECK(bits >= std::log2(norm) - 1e-9);
      CHECK(bits <= std::log2(norm) + c.excess);

      // The derivative T = jacobian - I of the step alone, about other points than -1.
      GradientStep step(geometry, with, FixedFormat{6, 352}, nullptr);
      REQUIRE(step.prepare(at, static_cast<std::uint64_t>(t)));
      const auto derivative = step.derivative(at, 0x1p-10);
      REQUIRE(derivative);
      for (const double share : {0.0, 0.3, 0.5, 1.0}) {
        const double kept = share * derivative->step * derivative->fall;
        const Eigen::MatrixXd shifted = jacobian + (kept - 1) * Eigen::MatrixXd::Identity(size, size);
        const double true_norm = shifted.jacobiSvd().singularValues()(0);
        // Entries near 1 lose what cancels.
        CHECK(c.rule->jacobian_norm(*derivative, kept) >= true_norm * (1 - 1e-9) - 1e-14);
      }
    }
  }
}

TEST_CASE("the Jacobian bound dominates the true norm and is not far above it") {
  const TokenData plain = gaussian_instance({3, 4, 3}, 3, 3, 12);
  check_jacobian_bound(plain, plain);
  const CountedInstance counted = counted_instance({3, 4, 3}, 3, 3, 12);
  check_jacobian_bound(counted.merged, counted.unfolded);
  const TokenData targets = aimed(plain, {1, 3, 0});
  check_jacobian_bound(targets, targets, cross_entropy_cases);
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

TEST_CASE("logits of 10^4 and softmax ties") {
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
  data.scores[1] = data.scores[0];
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

TEST_CASE("an exactly zero gradient is a verdict") {
  const OptimizerSpec steps = spec(update_rule("ngd"), Rational(1, 10));
  TokenData data = gaussian_instance({3, 4}, 3, 2, 10);
  {
    TokenData equal = data;  // all scores of a group equal
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t t = 0; t < equal.tokens(i); ++t)
        equal.scores[equal.row(i, t)] = equal.scores[equal.row(i, 0)];
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
    for (std::size_t k = 0; k < 3; ++k) opposite.scores[3 + k] = opposite.scores[k];
    const RunGeometry geometry(opposite, 4);
    Descent run({geometry, steps, {}, FixedFormat{3, 160}});
    CHECK(run.evaluate() == IterationStatus::stationary);
    // The same data away from W = 0 are not stationary, and an almost cancelling pair is not called
    // stationary.
    Descent moved({geometry, steps, ExactArray::from_rationals(std::vector<Rational>(6, Rational(1))),
                   FixedFormat{3, 160}});
    CHECK(moved.evaluate() == IterationStatus::ok);
    opposite.scores[0] += Rational(1, Integer(1) << 900);
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
    const auto whole = iterate(geometry, steps, {}, format), first = iterate(geometry, steps, {}, format),
               second = iterate(geometry, steps, {}, format);
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
