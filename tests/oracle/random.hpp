// Portable pseudo-random numbers with fixed seeds: the same families on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace reference {

// SplitMix64 (Steele, Lea and Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Uniform in {0, ..., bound - 1} up to a negligible bias.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

  // Sum of twelve uniforms minus six: close to a standard Gaussian, and the same bits everywhere.
  double gaussian() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(next() >> 11) * 0x1p-53;
    return sum;
  }

  // A Gaussian vector scaled to about unit length in binary64.
  std::vector<double> unit_vector(std::size_t dimension) {
    std::vector<double> x(dimension);
    double square = 0;
    for (double& entry : x) {
      entry = gaussian();
      square += entry * entry;
    }
    const double length = std::sqrt(square);
    for (double& entry : x) entry /= length;
    return x;
  }

 private:
  std::uint64_t state_;
};

}  // namespace reference
