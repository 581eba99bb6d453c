// The bounds of MIRROR.md sections 4 and 5 against points drawn at random, as guesses and as proofs.
#include "numerics/mirror/divergence.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "numerics/mirror/whole_entry.hpp"

using attest::DoubleInterval;
using attest::Exponents;
using attest::Rational;

namespace {

long double signed_power(long double x, long double power) {
  return std::copysign(std::pow(std::abs(x), power), x);
}

// d(a, w) = |a|^p/p + |w|^p/q - a g(w).
long double divergence(long double a, long double w, long double p) {
  return std::pow(std::abs(a), p) / p + std::pow(std::abs(w), p) * (p - 1) / p - a * signed_power(w, p - 1);
}

const Rational exponents[] = {Rational(11, 10), Rational(3, 2), Rational(7, 4), 2, Rational(5, 2), 3, 4};

template <typename Number>
void check_reach() {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<attest::Reach<Number>> reaches;
  for (const Rational& p : exponents) reaches.emplace_back(Exponents(p));
  for (int k = 0; k < 20000; ++k) {
    const Exponents all(exponents[k % 7]);
    const double p = all.p.value();
    constexpr std::size_t size = 4;
    attest::RaySpan ray;
    std::vector<double> h, a, e;
    double energy = 0, moved = 0;
    const double scale = std::pow(10.0, -2.0 * (k % 5) / 2);
    for (std::size_t j = 0; j < size; ++j) {
      a.push_back(normal(random) * (j == 0 ? 0.01 : 1));
      e.push_back(normal(random) * scale * (random() % 3 == 0 ? 3 : 1));
      h.push_back(std::abs(normal(random)));
      energy += static_cast<double>(divergence(a[j], a[j] + e[j], p));
      moved += h[j] * std::abs(e[j]);
      const bool unsure = random() % 8 == 0;
      ray.low.push_back(unsure ? 0 : std::abs(a[j]) * (random() % 2 == 0 ? 1 : 0.7));
      ray.high.push_back(std::abs(a[j]) * (random() % 2 == 0 ? 1 : 1.4));
    }
    if (energy < 1e-12) continue;
    const attest::PoweredRay<Number> powers(ray, all);
    CHECK(moved <= reaches[static_cast<std::size_t>(k % 7)](h, powers, energy * (1 + 1e-9)));
  }
}

}  // namespace

TEST_CASE("no functional moves farther than its reach" * doctest::test_suite("long")) {
  check_reach<double>();
  check_reach<DoubleInterval>();
}

TEST_CASE("the remainder of the gradient is a share of the divergence") {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-30, 30);
  std::vector<double> constants;
  for (const Rational& p : exponents) {
    constants.push_back(attest::remainder_constant<DoubleInterval>(Exponents(p)));
    CHECK(constants.back() ==
          doctest::Approx(attest::remainder_constant<double>(Exponents(p))).epsilon(1e-6));
  }
  for (int k = 0; k < 200000; ++k) {
    const double p = Exponents(exponents[k % 7]).p.value(),
                 w = k % 3 == 0 ? uniform(random) / 20 : uniform(random);
    const long double remainder = signed_power(w, p - 1) - 1 - (p - 1) * (w - 1);
    const long double bound = constants[static_cast<std::size_t>(k % 7)] * divergence(1, w, p);
    CHECK(-remainder / (p - 1) <= bound + 1e-15L * (1 + std::abs(w)));
  }
}

TEST_CASE("entries that may change their sign have a remainder of their own") {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 50000; ++k) {
    const Exponents all(exponents[k % 3]);
    const double p = all.p.value();
    const double a = 0.1 * normal(random), e = 0.2 * normal(random), u = std::abs(0.1 * normal(random));
    const auto energy = static_cast<double>(divergence(a, a + e, p));
    const double share = 0.01 + std::abs(normal(random));
    const auto value = static_cast<double>(
        u / (p - 1) * std::abs(signed_power(a + e, p - 1) - signed_power(a, p - 1)) - share * energy);
    const double most =
        attest::rough_remainder<DoubleInterval>(all, u, std::abs(a), energy * (1 + 1e-9) + 1e-15, share);
    CHECK(value <= most + 1e-12);
  }
}

TEST_CASE("an entry as a whole adds no more than its bound, and at some point nearly that") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  int tight = 0;
  for (int k = 0; k < 300; ++k) {
    const Exponents all(exponents[4 + k % 3]);
    const attest::WholeEntry<DoubleInterval> entry(all);
    const double p = all.p.value(), b = 1 + normal(random) * (k % 2 == 0 ? 0.2 : 3);
    const double from = b - 0.02 * unit(random), to = b + 0.02 * unit(random);
    const double share = 0.3 + unit(random), bound = entry(from, to, share);
    double most = 0;
    for (int i = 0; i < 400; ++i) {
      const double at = from + unit(random) * (to - from), t = at + normal(random) * (i % 2 == 0 ? 0.3 : 4);
      const auto value =
          static_cast<double>((t - at) - (signed_power(t, p - 1) - signed_power(at, p - 1)) / (p - 1) -
                              share * divergence(at, t, p));
      REQUIRE(value <= bound + 1e-13);
      most = std::max(most, value);
    }
    tight += bound <= 1.5 * most + 0.01 ? 1 : 0;
  }
  CHECK(tight > 200);
}
