// The smoothness constant by Arb balls.
#include "tests/oracle/smoothness.hpp"

#include <algorithm>
#include <cstdlib>

#include "tests/oracle/ball.hpp"

namespace reference {

namespace {

// q (R/(6 sqrt 3) + R^2/16), R the largest spread of the scores of a class less those of the group's own, q =
// S/(1 + S), S the sum of e^(the largest) over the other classes.
Ball bend_of_classes(const Dataset& data, std::size_t group, slong precision) {
  const auto ball = [&](const Number& number) { return Ball(number, precision); };
  const std::vector<Row>& classes = data.layer->weights;
  const std::size_t own = data.layer->classes[group];
  Number spread;
  Ball sum = ball(0);
  for (std::size_t u = 0; u < classes.size(); ++u) {
    if (u == own) continue;
    std::vector<Number> values;
    for (std::size_t t = 0; t < data.X[group].size(); ++t) {
      // Equal tokens of a prompt problem have the mean of their rows.
      Number value, tokens;
      for (std::size_t s = 0; s < data.X[group].size(); ++s) {
        if (first_equal(data, group, s) != first_equal(data, group, t)) continue;
        value +=
            count(data, group, s) * (dot(classes[u], data.X[group][s]) - dot(classes[own], data.X[group][s]));
        tokens += count(data, group, s);
      }
      values.push_back(value / tokens);
    }
    const Number least = *std::min_element(values.begin(), values.end()),
                 most = *std::max_element(values.begin(), values.end());
    spread = std::max(spread, Number(most - least));
    sum = sum + ball(most).exponential();
  }
  const Ball share = sum / (ball(1) + sum);
  return share * (ball(spread) / (ball(6) * ball(3).root()) + ball(spread * spread / 16));
}

Ball constant(const Dataset& data, const std::string& loss, slong precision) {
  const auto ball = [&](const Number& number) { return Ball(number, precision); };
  Ball sum = ball(0);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    Number low = data.layer ? Number(0) : class_score(data, i, 0), high = low, widest = 0;
    for (std::size_t t = 0; t < data.X[i].size(); ++t) {
      const Number g = data.layer ? Number(0) : class_score(data, i, t);
      low = std::min(low, g);
      high = std::max(high, g);
      const Row a = feature(data, i, t);
      for (std::size_t tau = 0; tau < t; ++tau) {
        Row b = feature(data, i, tau);
        for (std::size_t j = 0; j < b.size(); ++j) b[j] -= a[j];
        widest = std::max(widest, dot(b, b));
      }
    }
    if (loss == "cross-entropy") {  // the Hessian is a covariance of features
      sum = sum + ball(widest / 4);
      continue;
    }
    if (loss == "classifier") {
      sum = sum + bend_of_classes(data, i, precision) * ball(widest);
      continue;
    }
    Ball first = ball(1), second = ball(0);  // maxima of |l'| and |l''| on [low, high]: correlation
    if (loss == "exponential") {
      first = second = ball(-low).exponential();
    } else if (loss == "logistic") {
      first = ball(1) / (ball(1) + ball(low).exponential());
      const Number nearest = low > 0 ? low : high < 0 ? high : Number(0);
      const Ball e = ball(nearest).exponential();
      second = e / ((ball(1) + e) * (ball(1) + e));
    } else if (loss != "correlation") {
      std::abort();
    }
    const Number spread = high - low;
    sum = sum + first * ball(spread * widest) / (ball(6) * ball(3).root()) +
          second * ball(spread * spread * widest / 16);
  }
  return sum / ball(static_cast<unsigned long>(data.groups()));
}

}  // namespace

bool at_least_smoothness_constant(const Dataset& data, const std::string& loss, const Number& beta) {
  for (slong precision = 256; precision <= 1 << 18; precision *= 2) {
    const Ball bound(beta, precision), value = constant(data, loss, precision);
    if (bound.surely_at_least(value)) return true;
    if (bound.surely_below(value)) return false;
  }
  std::abort();  // equal to a transcendental number: impossible for rational beta unless the constant is 0
}

double approximate_smoothness_constant(const Dataset& data, const std::string& loss) {
  return constant(data, loss, 128).middle();
}

}  // namespace reference
