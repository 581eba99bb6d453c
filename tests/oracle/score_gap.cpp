// Score gaps, those of heads of several outputs among them (proofs/statements/GRAMMAR.md section 2).
#include <map>

#include "tests/oracle/ball.hpp"

namespace reference {

namespace {

// The mean of the rows of X of the token and its equals, each as often as it stands there.
Row mean_row(const Dataset& data, std::size_t group, std::size_t token) {
  Row sum(data.dimension());
  Number tokens;
  for (std::size_t t = 0; t < data.X[group].size(); ++t) {
    if (first_equal(data, group, t) != first_equal(data, group, token)) continue;
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += count(data, group, t) * data.X[group][t][j];
    tokens += count(data, group, t);
  }
  for (Number& x : sum) x /= tokens;
  return sum;
}

// The sign of sum_u e^{h_u} d_u: different rational powers of e are independent over the rationals.
int sign_of(std::map<Number, Number> terms) {
  std::erase_if(terms, [](const auto& term) { return term.second == 0; });
  if (terms.empty()) return 0;
  for (slong precision = 128;; precision *= 2) {
    const Ball zero(Number(0), precision);
    Ball sum = zero;
    for (const auto& [power, factor] : terms)
      sum = sum + Ball(power, precision).exponential() * Ball(factor, precision);
    if (sum.surely_below(zero)) return -1;
    if (zero.surely_below(sum)) return 1;
  }
}

}  // namespace

Number score_gap(const Dataset& data, std::size_t group, std::size_t selected, std::size_t token) {
  if (!data.layer) return class_score(data, group, selected) - class_score(data, group, token);
  const Layer& layer = *data.layer;
  const Row winner = mean_row(data, group, selected), loser = mean_row(data, group, token);
  if (!layer.classifier) {
    Number gap;
    for (std::size_t u = 0; u < layer.weights.size(); ++u) {
      const Number input = dot(layer.weights[u], winner) + layer.bias[u];
      if (layer.r[u] != 0 && input == 0) return 0;
      if (input > 0) gap += layer.r[u] * (dot(layer.weights[u], winner) - dot(layer.weights[u], loser));
    }
    return data.Y[group] * sgn(gap);
  }
  // sum_u p_u (d_u - d_y), p proportional to e^{h_u}.
  const Row& own = layer.weights[layer.classes[group]];
  std::map<Number, Number> terms;
  for (const Row& row : layer.weights)
    terms[dot(row, winner) - dot(own, winner)] +=
        dot(row, loser) - dot(row, winner) - dot(own, loser) + dot(own, winner);
  return sign_of(std::move(terms));
}

}  // namespace reference
