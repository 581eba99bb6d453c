// The bounds of MIRROR.md sections 4 and 5 against points drawn at random.
#include "numerics/mirror/divergence.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace {

double signed_power(double x, double power) {
  return std::copysign(std::pow(std::abs(x), power), x);
}

// d(a, w) = |a|^p/p + |w|^p/q - a g(w).
double divergence(double a, double w, double p) {
  const double q = p / (p - 1);
  return std::pow(std::abs(a), p) / p + std::pow(std::abs(w), p) / q - a * signed_power(w, p - 1);
}

constexpr double exponents[] = {1.1, 1.5, 1.75, 2, 2.5, 3, 4};

}  // namespace

TEST_CASE("no functional moves farther than its reach") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<attest::Reach> reaches;
  for (const double p : exponents) reaches.emplace_back(p);
  for (int k = 0; k < 20000; ++k) {
    const double p = exponents[k % 7];
    constexpr std::size_t size = 4;
    attest::RaySpan ray;
    std::vector<double> h, a, e;
    double energy = 0, moved = 0;
    const double scale = std::pow(10.0, -2.0 * (k % 5) / 2);
    for (std::size_t j = 0; j < size; ++j) {
      a.push_back(normal(random) * (j == 0 ? 0.01 : 1));
      e.push_back(normal(random) * scale * (random() % 3 == 0 ? 3 : 1));
      h.push_back(std::abs(normal(random)));
      energy += divergence(a[j], a[j] + e[j], p);
      moved += h[j] * std::abs(e[j]);
      const bool unsure = random() % 8 == 0;
      ray.low.push_back(unsure ? 0 : std::abs(a[j]) * (random() % 2 == 0 ? 1 : 0.7));
      ray.high.push_back(std::abs(a[j]) * (random() % 2 == 0 ? 1 : 1.4));
    }
    if (energy < 1e-12) continue;
    CHECK(moved <= reaches[static_cast<std::size_t>(k % 7)](h, ray, energy * (1 + 1e-9)));
  }
}

TEST_CASE("the remainder of the gradient is a share of the divergence") {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-30, 30);
  for (int k = 0; k < 200000; ++k) {
    const double p = exponents[k % 7], w = k % 3 == 0 ? uniform(random) / 20 : uniform(random);
    const double remainder = signed_power(w, p - 1) - 1 - (p - 1) * (w - 1);
    const double bound = attest::remainder_constant(p) * divergence(1, w, p);
    CHECK(-remainder / (p - 1) <= bound + 1e-12 * (1 + std::abs(w)));
  }
}

TEST_CASE("entries that may change their sign have a remainder of their own") {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 50000; ++k) {
    const double p = exponents[k % 3];
    const double a = 0.1 * normal(random), e = 0.2 * normal(random), u = std::abs(0.1 * normal(random));
    const double energy = divergence(a, a + e, p), share = 0.01 + std::abs(normal(random));
    const double value =
        u / (p - 1) * std::abs(signed_power(a + e, p - 1) - signed_power(a, p - 1)) - share * energy;
    CHECK(value <= attest::rough_remainder(u, std::abs(a), energy * (1 + 1e-9) + 1e-15, share, p) + 1e-12);
  }
}
