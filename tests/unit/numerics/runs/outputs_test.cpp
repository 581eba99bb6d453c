// Heads of several outputs: validated trajectories against the definitions, token by token, on a dense W in
// 2000-bit MPFR numbers; gaps against softmax by hand.
#include <doctest/doctest.h>

#include <boost/multiprecision/mpfr.hpp>
#include <random>
#include <vector>

#include "numerics/runs/feature_point.hpp"
#include "numerics/runs/iteration.hpp"
#include "numerics/runs/plain_run.hpp"

using namespace attest;

namespace {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<0>,
                                           boost::multiprecision::et_off>;

Real real(const Rational& x) {
  return Real(numerator(x)) / Real(denominator(x));
}
Real real(arf_srcptr value) {
  mpfr_t number;
  mpfr_init2(number, static_cast<mpfr_prec_t>(Real::default_precision() * 10 / 3));
  arf_get_mpfr(number, value, MPFR_RNDN);
  Real result(number);
  mpfr_clear(number);
  return result;
}
Real real(mag_srcptr value) {
  arf_t bound;
  arf_init(bound);
  arf_set_mag(bound, value);
  Real result = real(bound);
  arf_clear(bound);
  return result;
}
bool contains(const WorkingBall& ball, const Real& value) {
  arb_srcptr raw = ball;
  return abs(value - real(arb_midref(raw))) <= real(arb_radref(raw));
}

// The head as it is defined: outputs of each token, and of a group a class, or a label for units.
struct Layer {
  std::size_t outputs = 0;
  std::vector<Rational> of_token;  // rows x outputs: U x, or A x + bias
  std::vector<std::size_t> classes;
  std::vector<Rational> r;
  std::vector<int> Y;
};

struct Case {
  TokenData data;
  Layer layer;
};

Case make_case(unsigned seed, OutputHead head, std::size_t outputs) {
  std::mt19937 random(seed);
  const auto draw = [&] { return Rational(static_cast<int>(random() % 33) - 16, 8); };
  constexpr std::size_t n = 3, T = 4, d = 3, e = 2;
  Case made;
  TokenData& data = made.data;
  Layer& layer = made.layer;
  data.left_dimension = d;
  data.right_dimension = e;
  std::vector<Rational> x, z;
  for (std::size_t i = 0; i <= n; ++i) data.first_row.push_back(i * T);
  for (std::size_t k = 0; k < n * T * d; ++k) x.push_back(draw() / 2);
  for (std::size_t k = 0; k < n * e; ++k) z.push_back(draw() / 2);
  data.token_factor = ExactArray::from_rationals(std::move(x));
  data.query_factor = ExactArray::from_rationals(std::move(z));
  layer.outputs = outputs;
  for (std::size_t k = 0; k < n * T * outputs; ++k) layer.of_token.push_back(draw() + Rational(1, 3));
  for (std::size_t u = 0; u < outputs; ++u) layer.r.push_back(u == 1 ? Rational(0) : draw() + Rational(1, 5));
  OutputTable table;
  table.head = head;
  table.width = table.classifier() ? outputs - 1 : outputs;
  for (std::size_t i = 0; i < n; ++i) {
    layer.classes.push_back(random() % outputs);
    layer.Y.push_back(random() % 2 == 0 ? 1 : -1);
    for (std::size_t t = 0; t < T; ++t) {
      const Rational* row = layer.of_token.data() + (i * T + t) * outputs;
      for (std::size_t u = 0; u < outputs; ++u) {
        if (!table.classifier()) table.values.push_back(row[u] * layer.r[u] * Rational(-layer.Y[i]));
        if (table.classifier() && u != layer.classes[i])
          table.values.push_back(row[u] - row[layer.classes[i]]);
      }
    }
    for (std::size_t u = 0; !table.classifier() && u < outputs; ++u)
      table.sense.push_back(-layer.Y[i] * layer.r[u].sign());
  }
  set_outputs(data, std::move(table), {});
  return made;
}

struct Reference {
  const Case& of;
  OptimizerSpec spec;
  std::vector<Real> W;

  Reference(const Case& what, const OptimizerSpec& with)
      : of(what), spec(with), W(what.data.left_dimension * what.data.right_dimension, 0) {}

  Real feature(std::size_t i, std::size_t t, std::size_t k) const {
    const TokenData& data = of.data;
    const std::size_t e = data.right_dimension;
    return real(data.token_factor.exact(data.row(i, t) * data.left_dimension + k / e)) *
           real(data.query_factor.exact(i * e + k % e));
  }
  std::vector<Real> softmax(std::size_t i) const {
    std::vector<Real> s;
    Real total = 0;
    for (std::size_t t = 0; t < of.data.tokens(i); ++t) {
      Real logit = 0;
      for (std::size_t k = 0; k < W.size(); ++k) logit += feature(i, t, k) * W[k];
      s.push_back(exp(logit));
      total += s.back();
    }
    for (Real& share : s) share /= total;
    return s;
  }
  Real output(std::size_t i, std::size_t t, std::size_t u) const {
    return real(of.layer.of_token[of.data.row(i, t) * of.layer.outputs + u]);
  }
  // The loss of a group at an attention vector, and its derivative by each token's attention.
  Real loss(std::size_t i, const std::vector<Real>& s, std::vector<Real>* slope) const {
    const Layer& layer = of.layer;
    std::vector<Real> o(layer.outputs, 0), by_output(layer.outputs, 0);
    for (std::size_t u = 0; u < layer.outputs; ++u) {
      for (std::size_t t = 0; t < s.size(); ++t) o[u] += s[t] * output(i, t, u);
    }
    Real value = 0;
    if (of.data.outputs->classifier()) {
      Real total = 0;
      for (const Real& x : o) total += exp(x);
      value = log(total) - o[layer.classes[i]];
      for (std::size_t u = 0; u < layer.outputs; ++u)
        by_output[u] = exp(o[u]) / total - (u == layer.classes[i] ? 1 : 0);
    } else {
      Real f = 0;
      for (std::size_t u = 0; u < layer.outputs; ++u) {
        if (o[u] > 0) f += real(layer.r[u]) * o[u];
      }
      f *= layer.Y[i];
      const Loss scalar = scalar_loss(spec.loss);
      value = scalar == Loss::correlation ? -f : scalar == Loss::exponential ? exp(-f) : log(1 + exp(-f));
      const Real first = scalar == Loss::correlation   ? Real(-1)
                         : scalar == Loss::exponential ? Real(-exp(-f))
                                                       : Real(-1 / (1 + exp(f)));
      for (std::size_t u = 0; u < layer.outputs; ++u)
        by_output[u] = o[u] > 0 ? first * layer.Y[i] * real(layer.r[u]) : Real(0);
    }
    if (slope == nullptr) return value;
    slope->assign(s.size(), 0);
    for (std::size_t t = 0; t < s.size(); ++t) {
      for (std::size_t u = 0; u < layer.outputs; ++u) (*slope)[t] += by_output[u] * output(i, t, u);
    }
    return value;
  }
  Real vertex_loss(std::size_t i, std::size_t t) const {
    std::vector<Real> s(of.data.tokens(i), 0);
    s[t] = 1;
    return loss(i, s, nullptr);
  }
  Real loss_gap(const Selection& limit) const {
    Real sum = 0;
    for (std::size_t i = 0; i < of.data.groups(); ++i)
      sum += loss(i, softmax(i), nullptr) - vertex_loss(i, limit[i]);
    return sum / Real(static_cast<unsigned long>(of.data.groups()));
  }
  std::vector<Real> gradient() const {
    std::vector<Real> g(W.size(), 0), slope;
    for (std::size_t i = 0; i < of.data.groups(); ++i) {
      const std::vector<Real> s = softmax(i);
      loss(i, s, &slope);
      Real mean = 0;
      for (std::size_t t = 0; t < s.size(); ++t) mean += s[t] * slope[t];
      for (std::size_t t = 0; t < s.size(); ++t) {
        const Real weight = s[t] * (slope[t] - mean) / Real(static_cast<unsigned long>(of.data.groups()));
        for (std::size_t k = 0; k < g.size(); ++k) g[k] += weight * feature(i, t, k);
      }
    }
    return g;
  }
  static Real norm(const std::vector<Real>& v) {
    Real square = 0;
    for (const Real& x : v) square += x * x;
    return sqrt(square);
  }
  void advance() {
    const std::vector<Real> g = gradient();
    Real tau = real(spec.step);
    if (spec.rule == update_rule("ngd")) tau /= norm(g);
    for (std::size_t k = 0; k < W.size(); ++k) W[k] -= tau * g[k];
  }
};

// Every enclosure at every step; the steps for which there is one.
int follow(const Case& what, const OptimizerSpec& spec, int steps) {
  const RunGeometry geometry(what.data, 4);
  const ExactArray start;
  const auto iteration = make_iteration({geometry, spec, start, {5, 256}});
  PlainRun<double> plain(geometry, spec, start, GradientForm::cancellation_free);
  Reference reference(what, spec);
  const Selection limit{0, 1, 2};
  for (int t = 0; t <= steps; ++t) {
    const IterationStatus status = iteration->evaluate();
    const EnclosedPoint& run = iteration->point();
    if (status != IterationStatus::ok) {
      CHECK(!run.obstacle().empty());
      return t;
    }
    WorkingBall ball;
    run.loss_gap(ball, &limit);
    REQUIRE(contains(ball, reference.loss_gap(limit)));
    REQUIRE(ball.accuracy_bits() > 40);
    run.gradient_norm(ball);
    const Real speed = Reference::norm(reference.gradient());
    REQUIRE(contains(ball, speed));
    REQUIRE(ball.accuracy_bits() > 40);
    CHECK(plain.observe(nullptr).gradient_norm == doctest::Approx(static_cast<double>(speed)).epsilon(1e-6));
    run.norm(ball);
    REQUIRE(contains(ball, Reference::norm(reference.W)));
    if (t == steps) break;
    if (iteration->advance() != IterationStatus::ok) return t;
    reference.advance();
    plain.advance();
  }
  return steps;
}

OptimizerSpec specification(const char* rule, Loss loss, const Rational& step, const Rational& momentum = 0) {
  OptimizerSpec spec;
  spec.rule = update_rule(rule);
  spec.loss = loss;
  spec.step = step;
  spec.momentum = momentum;
  return spec;
}

}  // namespace

TEST_CASE("outputs: trajectories of a classifier are enclosed" * doctest::test_suite("long")) {
  Real::default_precision(650);
  for (unsigned seed = 0; seed < 6; ++seed) {
    for (const std::size_t classes : {2, 3, 5}) {
      const Case what = make_case(seed, OutputHead::classifier, classes);
      CHECK(follow(what, specification("ngd", Loss::classifier, Rational(1, 10)), 40) == 40);
      CHECK(follow(what, specification("gd", Loss::classifier, Rational(1, 2)), 40) == 40);
    }
  }
}

TEST_CASE("outputs: trajectories of ReLU units are enclosed while their signs are certain" *
          doctest::test_suite("long")) {
  Real::default_precision(650);
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Case what = make_case(seed, OutputHead::relu, 5);
    for (const Loss loss : {Loss::relu_logistic, Loss::relu_exponential, Loss::relu_correlation}) {
      CHECK(follow(what, specification("ngd", loss, Rational(1, 10)), 40) == 40);
      CHECK(follow(what, specification("gd", loss, Rational(1, 20)), 40) == 40);
    }
  }
}

TEST_CASE("outputs: the gap of a selected token is the derivative of the loss at its vertex") {
  Real::default_precision(650);
  for (const OutputHead head : {OutputHead::classifier, OutputHead::relu}) {
    const Loss loss = head == OutputHead::classifier ? Loss::classifier : Loss::relu_correlation;
    for (unsigned seed = 0; seed < 6; ++seed) {
      const Case what = make_case(seed, head, 4);
      const Reference reference(what, specification("gd", loss, 1));
      for (std::size_t i = 0; i < what.data.groups(); ++i) {
        for (std::size_t a = 0; a < 4; ++a) {
          std::vector<Real> s(4, 0), slope;
          s[a] = 1;
          reference.loss(i, s, &slope);
          for (std::size_t t = 0; t < 4; ++t) {
            if (t == a) continue;
            const double gap = static_cast<double>(real(score_gap(what.data, {i, a, t})));
            CHECK(gap == doctest::Approx(static_cast<double>(slope[t] - slope[a])).epsilon(1e-12));
          }
        }
      }
    }
  }
}

TEST_CASE("outputs: a classifier's gap that cancels is exactly 0, a unit on its kink has none") {
  OutputTable table;
  table.width = 3;
  // Winner: two exponents equal; the other token exchanges them.
  table.values = {1, 1, 2, 2, 0, 2};
  CHECK(limit_gap(table, 0, 0, 1) == 0);
  table.values[5] = Rational(2) + Rational(1, Integer(1) << 400);
  CHECK(limit_gap(table, 0, 0, 1) > 0);
  table.values[5] = Rational(2) - Rational(1, Integer(1) << 400);
  CHECK(limit_gap(table, 0, 0, 1) < 0);
  table.head = OutputHead::relu;
  table.sense = {1, -1, 1};
  table.values = {1, 0, -2, 5, 5, 5};
  CHECK(limit_gap(table, 0, 0, 1) == 0);
  table.values = {1, 2, -2, 5, 5, 5};
  CHECK(limit_gap(table, 0, 0, 1) == 4);
}
