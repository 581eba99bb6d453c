// T21 in other norms: matrices in the ball that are no worse than the solution's multiple obey the bound.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "numerics/forever/regularisation_path.hpp"
#include "tests/unit/numerics/norms/norm_cases.hpp"

using namespace attest;
using namespace attest_test;

namespace {

using Doubles = std::vector<double>;

Doubles doubles(const Entries& x) {
  Doubles result;
  for (const Rational& entry : x) result.push_back(mpq_get_d(entry.backend().data()));
  return result;
}

double norm_of(const Doubles& w, double p) {
  double sum = 0, largest = 0;
  for (const double x : w) {
    sum += std::pow(std::abs(x), p);
    largest = std::max(largest, std::abs(x));
  }
  return std::isinf(p) ? largest : std::pow(sum, 1 / p);
}

// n (L(W) - L*) of the logistic loss.
double loss_gap(const NormCase& asked, const Doubles& w) {
  double total = 0;
  const TokenData& data = asked.data;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    double odds = 1, deficit = 0;
    for (const Constraint& c : constraints(data, asked.selection)) {
      if (c.group != i) continue;
      const Doubles row = doubles(constraint_entries(data, asked.selection, c));
      double margin = 0;
      for (std::size_t j = 0; j < w.size(); ++j) margin += row[j] * w[j];
      const Rational gap = score_gap(data, asked.selection, c);
      odds += std::exp(-margin);
      deficit += std::exp(-margin) * mpq_get_d(gap.backend().data());
    }
    const Rational exact = data.score(i, asked.selection[i]);
    const double best = mpq_get_d(exact.backend().data());
    total += std::log1p(std::exp(-(best - deficit / odds))) - std::log1p(std::exp(-best));
  }
  return total;
}

}  // namespace

TEST_CASE("whatever is no worse than the multiple of the solution is near its face") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::size_t held = 0;
  for (const auto& [word, p] :
       std::vector<std::pair<std::string, double>>{{"l3", 3}, {"l7/4", 1.75}, {"l1", 1}}) {
    const auto asked = norm_case(gaussian_instance({3, 3}, 3, 3, 5));
    REQUIRE(asked);
    const NormAnswer answer = asked->solve(word);
    REQUIRE(answer.optimum);
    const auto bound =
        bound_regularisation_path(asked->data, asked->selection, *answer.optimum, Loss::logistic);
    REQUIRE(bound);
    CHECK(bound->rate.lo <= bound->rate.hi);
    CHECK(bound->rate.hi <= bound->rate_constant);
    const Doubles w = doubles(primal(*answer.optimum)),
                  m = doubles(combination(*asked, answer.optimum->multipliers));
    const double dual = mpq_get_d(answer.optimum->dual_bound.backend().data());
    const double constant = mpq_get_d(bound->claim_constant.backend().data());
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double radius = factor * mpq_get_d(bound->from_radius.backend().data());
      Doubles best = w;
      for (double& x : best) x *= radius / norm_of(w, p);
      const double ray = loss_gap(*asked, best);
      double least = ray;
      for (int step = 0; step < 400; ++step) {
        Doubles next = best;
        for (double& x : next) x += 0.02 * radius * normal(random) / std::sqrt(1 + step);
        const double size = norm_of(next, p);
        for (double& x : next) x *= radius / size;
        const double found = loss_gap(*asked, next);
        if (found > ray) continue;
        double along = 0;
        for (std::size_t j = 0; j < next.size(); ++j) along += m[j] * next[j] / dual;
        CHECK(1 - along / radius <= constant / radius + 1e-9);
        ++held;
        if (found < least) {
          least = found;
          best = next;
        }
      }
    }
  }
  CHECK(held > 20);
}
