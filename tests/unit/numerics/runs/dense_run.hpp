// An independent run to judge validated ones by: dense W, textbook softmax gradient, 2000-bit MPFR numbers.
#pragma once

#include <boost/multiprecision/mpfr.hpp>
#include <utility>
#include <vector>

#include "numerics/runs/descent.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

namespace attest_test {

using attest::ExactArray;
using attest::Loss;
using attest::OptimizerSpec;
using attest::Rational;
using attest::Schedule;
using attest::TokenData;
using attest::update_rule;
using attest::UpdateRule;

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<0>,
                                           boost::multiprecision::et_off>;

// Decimal digits of every Real made until the end of the scope: 650 are over 2000 bits.
struct Digits {
  explicit Digits(unsigned digits) { Real::default_precision(digits); }
  ~Digits() { Real::default_precision(650); }
};
inline const Digits usual(650);

inline Real real(const Rational& x) {
  return Real(numerator(x)) / Real(denominator(x));
}

inline Real real(arf_srcptr value) {
  mpfr_t number;
  mpfr_init2(number, static_cast<mpfr_prec_t>(Real::default_precision() * 10 / 3));
  arf_get_mpfr(number, value, MPFR_RNDN);
  Real result(number);
  mpfr_clear(number);
  return result;
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
    for (std::size_t tok = 0; data.offsets && tok < data.tokens(i); ++tok)
      logit[tok] += real(arb_midref(data.offsets->log_multiplicity(data.row(i, tok), 1000).raw()));
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

// The kept iterate W_0 + sum P_i z_i'.
inline std::vector<Real> kept(const attest::Iteration& iteration, const Reference& reference,
                              const ExactArray& start) {
  const auto& run = dynamic_cast<const attest::FeaturePoint&>(iteration.point());
  const std::size_t d = reference.data.left_dimension, e = reference.data.right_dimension;
  std::vector<Real> W(d * e, 0);
  for (std::size_t k = 0; k < start.size(); ++k) W[k] = real(start.exact(k));
  for (std::size_t i = 0; i < run.geometry().groups.size(); ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      attest::WorkingBall p;
      attest::fixed_to_arb(p, run.coordinates()[i * d + j], run.format());
      const Real value = real(arb_midref(static_cast<arb_srcptr>(p)));
      for (std::size_t k = 0; k < e; ++k)
        W[j * e + k] += value * reference.z(run.geometry().groups[i].original, k);
    }
  }
  return W;
}

inline OptimizerSpec spec(const UpdateRule* rule, Rational step, Loss loss = Loss::logistic,
                          Schedule schedule = Schedule::constant) {
  return {rule, schedule, std::move(step), loss};
}

// The same data with the head of cross-entropy.
inline TokenData aimed(TokenData data, const std::vector<std::size_t>& targets) {
  set_targets(data, targets, {});
  return data;
}

}  // namespace attest_test
