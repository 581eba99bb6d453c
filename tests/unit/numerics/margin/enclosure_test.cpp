// The parts of the enclosure tier: rigorous double margins, certified eigenvalue bounds, precision and
// budgets.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "numerics/margin/active_gram.hpp"
#include "numerics/margin/kernel.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "tests/unit/numerics/margin/reference.hpp"

namespace attest {
namespace {

using reference::Vector;

// Standard instances of the benchmarks: unit Gaussian rows, scores X v.
TokenData gaussian(std::uint64_t seed, std::size_t n, std::size_t tokens, std::size_t d, double spread = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto rows = [&](std::size_t count) {
    std::vector<double> values(count * d);
    for (std::size_t r = 0; r < count; ++r) {
      double squares = 0;
      for (std::size_t j = 0; j < d; ++j) {
        values[r * d + j] = normal(random);
        squares += values[r * d + j] * values[r * d + j];
      }
      for (std::size_t j = 0; j < d; ++j) values[r * d + j] *= spread / std::sqrt(squares);
    }
    return values;
  };
  TokenData data;
  data.left_dimension = data.right_dimension = d;
  for (std::size_t i = 0; i <= n; ++i) data.first_row.push_back(i * tokens);
  const std::vector<double> x = rows(n * tokens);
  const std::vector<double> v = rows(1);
  data.token_factor = ExactArray::from_binary64(x);
  data.query_factor = ExactArray::from_binary64(rows(n));
  for (std::size_t r = 0; r < n * tokens; ++r) {
    double score = 0;
    for (std::size_t j = 0; j < d; ++j) score += x[r * d + j] * v[j];
    data.scores.push_back(Rational(score));
  }
  return data;
}

// G - bound I is positive definite, by exact elimination.
bool exceeds(std::vector<Vector> gram, const Rational& bound) {
  const std::size_t k = gram.size();
  for (std::size_t s = 0; s < k; ++s) gram[s][s] -= bound;
  for (std::size_t s = 0; s < k; ++s) {
    if (gram[s][s] <= 0) return false;
    for (std::size_t r = s + 1; r < k; ++r) {
      const Rational factor = gram[r][s] / gram[s][s];
      for (std::size_t j = s; j < k; ++j) gram[r][j] -= factor * gram[s][j];
    }
  }
  return true;
}

}  // namespace

TEST_CASE("rigorous double margins contain the exact ones") {
  std::mt19937_64 random(3);
  for (const double spread : {1.0, 1e-120, 1e120}) {
    const TokenData data = gaussian(random(), 5, 6, 7, spread);
    const Selection selection = best_selection(data);
    const IntegerConstraints constraints(data, selection);
    const ScaledConstraints scaled = scale_constraints(constraints, Budget{});
    const MarginKernel kernel(scaled);
    const std::vector<Vector> exact = reference::constraint_vectors(data, selection);
    for (const int magnitude : {0, -280, 280, -1000}) {
      RowMatrix w(7, 7);
      for (Eigen::Index j = 0; j < w.size(); ++j) {
        w.data()[j] = std::ldexp(static_cast<double>(random() % 2001) - 1000, magnitude) / 997;
      }
      const RigorousMargins margins = kernel.margins(w);
      CHECK(std::isfinite(margins.error_factor));
      for (std::size_t c = 0; c < constraints.size(); ++c) {
        Rational margin = 0;
        for (std::size_t j = 0; j < 49; ++j) margin += exact[c][j] * Rational(w.data()[j]);
        margin *= power_of_two(-scaled.exponent);
        CHECK(Rational(kernel.lower(margins, c)) <= margin);
        CHECK(margin <= Rational(kernel.upper(margins, c)));
        if (magnitude == 0) {
          CHECK(margins.error_factor * kernel.norm_bound(c) < 1e-11 * w.norm() * kernel.norm_bound(c));
        }
      }
    }
    RowMatrix bad = RowMatrix::Ones(7, 7);
    bad(2, 3) = std::numeric_limits<double>::quiet_NaN();
    const RigorousMargins undefined = kernel.margins(bad);
    CHECK_FALSE(kernel.certainly_above(undefined, 0, -1e300));
    CHECK_FALSE(kernel.certainly_below(undefined, 0, 1e300));
    bad(2, 3) = std::numeric_limits<double>::max();
    CHECK_FALSE(kernel.certainly_above(kernel.margins(bad), 0, -1e300));
  }
}

TEST_CASE("certified eigenvalue bounds are true and close to the estimate") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const TokenData data = gaussian(seed, 4, 4, 4);
    const Selection selection = best_selection(data);
    const IntegerConstraints constraints(data, selection);
    const ScaledConstraints scaled = scale_constraints(constraints, Budget{});
    const std::vector<std::size_t> at{0, 2, 3, 5, 7, 8, 11};
    const auto gram = ActiveGram::factorise(scaled, at);
    REQUIRE(gram.has_value());
    std::vector<Vector> exact(at.size(), Vector(at.size()));
    const std::vector<Vector> vectors = reference::constraint_vectors(data, selection);
    for (std::size_t a = 0; a < at.size(); ++a) {
      for (std::size_t b = 0; b < at.size(); ++b) {
        exact[a][b] = reference::dot(vectors[at[a]], vectors[at[b]]) * power_of_two(-2 * scaled.exponent);
      }
    }
    const double estimate = gram->approx_least_eigenvalue();
    CHECK(gram->proves_least_eigenvalue(0.5 * estimate));
    CHECK_FALSE(gram->proves_least_eigenvalue(1.1 * estimate));
    CHECK_FALSE(gram->proves_least_eigenvalue(0));
    CHECK_FALSE(gram->proves_least_eigenvalue(std::numeric_limits<double>::quiet_NaN()));
    for (double part = 0.9; part < 1.2; part += 0.001) {
      const double bound = part * estimate;
      if (gram->proves_least_eigenvalue(bound)) CHECK(exceeds(exact, Rational(bound)));
    }
  }
}

TEST_CASE("enclosures reach the requested precision and their evidence holds" * doctest::test_suite("long")) {
  for (const std::size_t n : {3u, 6u}) {
    for (const long bits : {64L, 128L, 300L}) {
      const TokenData data = gaussian(40 + n, n, 8, 10, 1e-3);
      const Selection selection = best_selection(data);
      MarginOptions options;
      options.form = Form::enclosure;
      options.precision_bits = bits;
      const MarginSolution solution = solve_margin_problem(data, selection, options);
      REQUIRE(solution.enclosed.has_value());
      reference::check_evidence(data, selection, solution);
      const EnclosedOptimum& enclosed = *solution.enclosed;
      CHECK(enclosed.radius * enclosed.radius <= power_of_two(-2 * bits) * enclosed.norm_squared.hi);
      CHECK(enclosed.cholesky_bits == 29);
      options.form = Form::exact;
      const MarginSolution exact = solve_margin_problem(data, selection, options);
      reference::check_evidence(data, selection, exact);
      CHECK(exact.support == solution.support);
      REQUIRE(exact.exact.has_value());
      CHECK(enclosed.norm_squared.lo <= exact.exact->norm_squared);
      CHECK(exact.exact->norm_squared <= enclosed.norm_squared.hi);
    }
  }
}

TEST_CASE("budgets end in undecided with the reason, keeping what is proved") {
  const TokenData data = gaussian(1, 60, 24, 40);
  const Selection selection = best_selection(data);
  MarginOptions options;
  options.form = Form::exact;
  options.time_limit_seconds = 0.05;
  const MarginSolution late = solve_margin_problem(data, selection, options);
  CHECK_FALSE(late.exact.has_value());
  CHECK(late.reason.starts_with("time"));
  options.time_limit_seconds = 0;
  options.memory_limit_bytes = 1000;
  const MarginSolution large = solve_margin_problem(data, selection, options);
  CHECK(large.feasibility == Feasibility::undecided);
  CHECK(large.reason.starts_with("memory"));
}

TEST_CASE("a tie too large for the time limit leaves a duality gap whose evidence holds") {
  TokenData data = gaussian(5, 36, 10, 36);
  const Selection selection = best_selection(data);
  MarginOptions options;
  options.form = Form::enclosure;
  const MarginSolution generic = solve_margin_problem(data, selection, options);
  REQUIRE(generic.support.has_value());
  REQUIRE(generic.enclosed.has_value());
  // Give a token without weight the features of a support token of its group.
  const Constraint copied = generic.support->front();
  std::size_t other = 0;
  const auto is_taken = [&](std::size_t token) {
    return token == selection[copied.group] ||
           std::binary_search(generic.support->begin(), generic.support->end(),
                              Constraint{copied.group, token});
  };
  while (is_taken(other)) ++other;
  std::vector<double> x = data.token_factor.binary64().doubles();
  std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(data.row(copied.group, copied.token) * 36), 36,
              x.begin() + static_cast<std::ptrdiff_t>(data.row(copied.group, other) * 36));
  data.token_factor = ExactArray::from_binary64(x);
  options.time_limit_seconds = 0.3;
  const MarginSolution tied = solve_margin_problem(data, selection, options);
  CHECK(tied.reason.starts_with("time"));
  CHECK_FALSE(tied.exact.has_value());
  CHECK_FALSE(tied.enclosed.has_value());
  CHECK_FALSE(tied.support.has_value());
  if (tied.gap) {
    reference::check_evidence(data, selection, tied);
    for (const Constraint& c : {copied, Constraint{copied.group, other}}) {
      CHECK(std::find(tied.support_undecided.begin(), tied.support_undecided.end(), c) !=
            tied.support_undecided.end());
    }
    // The optimum is that of the generic problem: the copied token adds nothing.
    CHECK(tied.norm_squared.lo <= generic.norm_squared.hi);
    CHECK(generic.norm_squared.lo <= tied.norm_squared.hi);
  }
}

TEST_CASE("infeasible and ill-conditioned problems of middle size are settled with few exact pivots" *
          doctest::test_suite("long")) {
  const auto solve = [](const TokenData& data) {
    const Selection selection = best_selection(data);
    MarginSolution solution = solve_margin_problem(data, selection);
    reference::check_evidence(data, selection, solution);
    return solution;
  };
  const MarginSolution infeasible = solve(gaussian(2, 100, 8, 8));
  CHECK(infeasible.feasibility == Feasibility::infeasible);
  CHECK(infeasible.statistics.exact_pivots <= 6);
  int feasible = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {  // near the transition
    const MarginSolution solution = solve(gaussian(seed, seed % 2 == 0 ? 15 : 26, 8, 6));
    CHECK(solution.feasibility != Feasibility::undecided);
    CHECK(solution.statistics.exact_pivots <= 12);
    feasible += solution.feasibility == Feasibility::feasible;
  }
  CHECK(feasible >= 1);
  CHECK(feasible <= 3);
}

TEST_CASE("dyadic roundings are on the promised side and close") {
  std::mt19937_64 random(29);
  for (int trial = 0; trial < 2000; ++trial) {
    Rational value(Integer(1 + random() % 100000), Integer(1 + random() % 1000));
    value *= power_of_two(static_cast<long>(random() % 400) - 200);
    const auto bits = static_cast<unsigned>(4 + random() % 60);
    const Rational step = power_of_two(2 - static_cast<long>(bits));
    CHECK(dyadic_below(value, bits) <= value);
    CHECK(dyadic_below(value, bits) >= value * (1 - step));
    CHECK(dyadic_above(value, bits) >= value);
    CHECK(dyadic_above(value, bits) <= value * (1 + step));
    CHECK(dyadic_below(-value, bits) <= -value);
    const Rational root = dyadic_above_sqrt(value, bits);
    CHECK(root * root >= value);
    CHECK(root * root <= value * (1 + 2 * step) * (1 + 2 * step));
    CHECK(power_of_two(approx_log2(value)) <= value);
    CHECK(value < power_of_two(approx_log2(value) + 2));
  }
  CHECK(dyadic_above_sqrt(0, 20) == 0);
  CHECK(rounded_integer(0.75, 2) == 3);
  CHECK(rounded_integer(-0.75, 1) == -2);
  CHECK(rounded_integer(1, 100) == Integer(1) << 100);
  CHECK(rounded_integer(1, -100) == 0);
}

}  // namespace attest
