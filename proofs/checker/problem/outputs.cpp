// Heads of several outputs: see problem/outputs.hpp.
#include "proofs/checker/problem/outputs.hpp"

#include <algorithm>
#include <map>

#include "proofs/checker/base/interval.hpp"

namespace attest_check {

Outputs::Outputs(const Instance& instance, const EqualTokens& equal)
    : instance_(instance),
      equal_(equal),
      layer_(instance.outputs->weights, instance.dimension),
      tokens_(instance.X, instance.dimension) {}

Rational Outputs::product(std::size_t group, std::size_t token, std::size_t u) const {
  const std::size_t first = instance_.first_row[group];
  const Integer denominator = layer_.denominator() * tokens_.denominator();
  if (instance_.setting != Setting::prompt)  // equal tokens have equal rows of X
    return fraction(layer_.dot(u, tokens_, first + token), denominator);
  Integer sum;
  for (std::size_t t = token; t < instance_.tokens(group); ++t) {
    if (equal_.representative(group, t) == token)
      sum += Integer(instance_.count(first + t)) * layer_.dot(u, tokens_, first + t);
  }
  return fraction(sum, denominator * Integer(equal_.multiplicity(group, token)));
}

Rational Outputs::value(std::size_t group, std::size_t token, std::size_t u) const {
  const OutputLayer& layer = *instance_.outputs;
  if (!classifier()) {
    const Rational input = product(group, token, u) + layer.bias.exact(u);
    return -instance_.Y[group] * layer.r.exact(u) * input;
  }
  const std::size_t own = layer.classes[group];
  return product(group, token, u < own ? u : u + 1) - product(group, token, own);
}

Rational Outputs::smoothness(std::size_t group, const Rational& root_bound) const {
  constexpr unsigned working_bits = 160;
  Rational spread;
  Interval sum;
  for (std::size_t u = 0; u < count(); ++u) {
    Rational low = value(group, 0, u), high = low;  // the first token is present
    for (std::size_t t = 1; t < instance_.tokens(group); ++t) {
      if (equal_.multiplicity(group, t) == 0) continue;
      const Rational at = value(group, t, u);
      low = std::min(low, at);
      high = std::max(high, at);
    }
    spread = std::max(spread, Rational(high - low));
    sum += exponential(Interval(high, working_bits));
  }
  return (sum / (Interval(1) + sum)).upper() * spread * (root_bound + spread / 16);
}

bool Outputs::active(std::size_t group, std::size_t u, int sign) const {
  return sign * sgn(instance_.outputs->r.exact(u)) * instance_.Y[group] < 0;
}

int Outputs::gap_sign(std::size_t group, std::size_t winner, std::size_t loser) const {
  return classifier() ? classifier_sign(group, winner, loser) : unit_sign(group, winner, loser);
}

// The gap is sum_u p_u (d_u - d_y), d_u = G_loser,u - G_winner,u, p the softmax of G_winner: that of sum_u
// e^{h_u} (d_u - d_y), h_u = G_winner,u - G_winner,y rational. Powers of e with different rational exponents
// are linearly independent over the rationals (Lindemann and Weierstrass), so it is 0 only where the terms of
// each exponent cancel; otherwise some precision tells.
int Outputs::classifier_sign(std::size_t group, std::size_t winner, std::size_t loser) const {
  const std::size_t own = instance_.outputs->classes[group];
  const Rational origin = product(group, winner, own), drift = product(group, loser, own) - origin;
  std::map<Rational, Rational> terms;
  for (std::size_t u = 0; u < layer_.rows(); ++u) {
    const Rational at = product(group, winner, u);
    terms[at - origin] += product(group, loser, u) - at - drift;
  }
  std::erase_if(terms, [](const auto& term) { return term.second == 0; });
  if (terms.empty()) return 0;
  for (unsigned bits = 128;; bits *= 2) {
    Interval sum;
    for (const auto& [exponent, difference] : terms)
      sum += exponential(Interval(exponent, bits)) * Interval(difference, bits);
    if (sum.positive()) return 1;
    if (sum.negative()) return -1;
  }
}

// The gap is |l'| Y sum_u r_u A_u.(x_winner - x_loser) over the units that are active at the winner.
int Outputs::unit_sign(std::size_t group, std::size_t winner, std::size_t loser) const {
  const OutputLayer& layer = *instance_.outputs;
  Rational gap;
  for (std::size_t u = 0; u < layer_.rows(); ++u) {
    const Rational weight = layer.r.exact(u), at = product(group, winner, u);
    if (weight == 0) continue;
    const Rational input = at + layer.bias.exact(u);
    if (input == 0) return 0;
    if (input > 0) gap += weight * (at - product(group, loser, u));
  }
  return instance_.Y[group] * sgn(gap);
}

}  // namespace attest_check
