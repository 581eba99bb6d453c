// Training of (K,Q) as it is defined, with 650 digits: to judge validated runs by.
#pragma once

#include <utility>
#include <vector>

#include "numerics/factored/run.hpp"
#include "tests/unit/numerics/runs/dense_run.hpp"

namespace attest_test {

inline bool holds(const attest::Ball& ball, const Real& value) {
  const Real distance = abs(value - real(arb_midref(ball.raw())));
  arf_t radius;
  arf_init(radius);
  arf_set_mag(radius, arb_radref(ball.raw()));
  const Real room = real(radius) + pow(Real(10), -500);
  arf_clear(radius);
  return distance <= room;
}

// K+ = K - tau_K G Q, Q+ = Q - tau_Q G'K, G = grad L(K Q').
struct DenseFactors {
  Reference reference;
  std::size_t m;
  bool normalised;
  std::vector<Real> K, Q;  // row-major

  DenseFactors(const TokenData& data, const attest::FactoredSpec& spec, const attest::FactoredStart& start)
      : reference(data, spec.steps, {}), m(spec.rank), normalised(spec.normalised) {
    for (std::size_t k = 0; k < start.left.size(); ++k) K.push_back(real(start.left.exact(k)));
    for (std::size_t k = 0; k < start.right.size(); ++k) Q.push_back(real(start.right.exact(k)));
    multiply();
  }
  std::size_t d() const { return reference.data.left_dimension; }
  std::size_t e() const { return reference.data.right_dimension; }
  void multiply() {
    for (std::size_t j = 0; j < d(); ++j) {
      for (std::size_t k = 0; k < e(); ++k) {
        Real& w = reference.W[j * e() + k];
        w = 0;
        for (std::size_t c = 0; c < m; ++c) w += K[j * m + c] * Q[k * m + c];
      }
    }
  }
  void advance() {
    const std::vector<Real> g = reference.gradient();
    std::vector<Real> left(K.size(), 0), right(Q.size(), 0);
    for (std::size_t j = 0; j < d(); ++j) {
      for (std::size_t k = 0; k < e(); ++k) {
        for (std::size_t c = 0; c < m; ++c) {
          left[j * m + c] += g[j * e() + k] * Q[k * m + c];
          right[k * m + c] += g[j * e() + k] * K[j * m + c];
        }
      }
    }
    Real tau = real(reference.spec.step);
    const auto t = Real(static_cast<unsigned long>(reference.t + 1));
    if (reference.spec.schedule == Schedule::inverse) tau /= t;
    if (reference.spec.schedule == Schedule::inverse_sqrt) tau /= sqrt(t);
    const auto factor = [&](const std::vector<Real>& gradient) {
      Real sum = 0;
      for (const Real& entry : gradient) sum += entry * entry;
      return normalised ? Real(tau / sqrt(sum)) : tau;
    };
    const Real left_factor = factor(left), right_factor = factor(right);
    for (std::size_t k = 0; k < K.size(); ++k) K[k] -= left_factor * left[k];
    for (std::size_t k = 0; k < Q.size(); ++k) Q[k] -= right_factor * right[k];
    ++reference.t;
    multiply();
  }
};

inline attest::FactoredSpec factored(std::size_t rank, bool normalised, Rational step,
                                     Loss loss = Loss::logistic, Schedule schedule = Schedule::constant) {
  attest::FactoredSpec result;
  result.rank = rank;
  result.normalised = normalised;
  result.steps = spec(update_rule(normalised ? "ngd" : "gd"), std::move(step), loss, schedule);
  return result;
}

// Entries that are multiples of 1/7: no dyadics.
inline ExactArray sevenths(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Rational> entries;
  for (std::size_t k = 0; k < count; ++k) entries.emplace_back(static_cast<long>(random() % 15) - 7, 7);
  return ExactArray::from_rationals(std::move(entries));
}

}  // namespace attest_test
