// Problems too large for single exchanges: the method of multipliers, spanning conflicts, answers at a limit,
// and the kernels below them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <random>

#include "numerics/margin/augmented_lagrangian.hpp"
#include "numerics/margin/scan.hpp"
#include "numerics/margin/spanning_conflict.hpp"
#include "numerics/margin/tiled_cholesky.hpp"
#include "numerics/margin/unit_rows.hpp"
#include "numerics/margin/working_set.hpp"
#include "numerics/numbers/decompositions.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/numbers/parallel.hpp"
#include "tests/unit/numerics/margin/reference.hpp"

namespace attest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double random_entry(std::mt19937_64& random) {
  return std::ldexp(static_cast<double>(random() >> 40), -24) - 0.5;
}

// Random tokens and queries; token 0 of each group is to be selected.
TokenData random_data(std::size_t groups, std::size_t tokens, std::size_t d, std::size_t e, unsigned seed) {
  std::mt19937_64 random(seed);
  TokenData data;
  data.left_dimension = d;
  data.right_dimension = e;
  for (std::size_t i = 0; i <= groups; ++i) data.first_row.push_back(i * tokens);
  std::vector<double> x(groups * tokens * d), z(groups * e);
  for (double& entry : x) entry = random_entry(random);
  for (double& entry : z) entry = random_entry(random);
  data.token_factor = ExactArray::from_binary64(x);
  data.query_factor = ExactArray::from_binary64(z);
  data.scores.assign(groups * tokens, Rational(0));
  return data;
}

// 21 x 21 unknowns: more than small.
constexpr std::size_t kDimension = 21;
TokenData feasible_data() {
  return random_data(60, 12, kDimension, kDimension, 7);
}
TokenData infeasible_data() {
  return random_data(320, 12, kDimension, kDimension, 8);
}

// sum value_c Delta_c by its entries.
std::vector<Rational> combination(const TokenData& data, const ConstraintVector& vector) {
  std::vector<Rational> w(data.left_dimension * data.right_dimension, Rational(0));
  for (std::size_t k = 0; k < vector.size(); ++k) {
    const Constraint& c = vector.constraint[k];
    for (std::size_t j = 0; j < data.left_dimension; ++j) {
      const Rational difference =
          data.token_factor.exact(data.row(c.group, 0) * data.left_dimension + j) -
          data.token_factor.exact(data.row(c.group, c.token) * data.left_dimension + j);
      for (std::size_t l = 0; l < data.right_dimension; ++l) {
        w[j * data.right_dimension + l] +=
            vector.value(k) * difference * data.query_factor.exact(c.group * data.right_dimension + l);
      }
    }
  }
  return w;
}

Rational norm_squared(const std::vector<Rational>& w) {
  Rational sum = 0;
  for (const Rational& entry : w) sum += entry * entry;
  return sum;
}

MatrixXd random_rows(Index rows, Index columns, unsigned seed) {
  std::mt19937_64 random(seed);
  MatrixXd matrix(rows, columns);
  for (Index k = 0; k < matrix.size(); ++k) matrix.data()[k] = random_entry(random);
  return matrix;
}

// Token 0 of each group has the largest product with a random W.
TokenData planted_data(std::size_t groups, std::size_t tokens, std::size_t d, unsigned seed) {
  TokenData data = random_data(groups, tokens, d, d, seed);
  std::vector<double> x = data.token_factor.binary64().doubles();
  const std::vector<double> z = data.query_factor.binary64().doubles();
  const MatrixXd teacher = random_rows(static_cast<Index>(d), static_cast<Index>(d), seed);
  const auto size = static_cast<Index>(d);
  for (std::size_t i = 0; i < groups; ++i) {
    const VectorXd image = teacher * Eigen::Map<const VectorXd>(z.data() + i * d, size);
    const auto row = [&](std::size_t t) {
      return Eigen::Map<VectorXd>(x.data() + (i * tokens + t) * d, size);
    };
    for (std::size_t t = 1; t < tokens; ++t) {
      if (row(t).dot(image) > row(0).dot(image)) row(0).swap(row(t));
    }
  }
  data.token_factor = ExactArray::from_binary64(x);
  return data;
}

}  // namespace

// The margin is small and the penalties grow until rounding counts; sets of one row more than there are
// unknowns stay for a while.
TEST_CASE("a thousand times as many rows as unknowns: the active set is found and proved" *
          doctest::test_suite("long")) {
  for (const unsigned seed : {1U, 2U}) {
    const TokenData data = planted_data(1600, 16, 5, seed);
    const MarginSolution solution = solve_margin_problem(data, Selection(data.groups(), 0), MarginOptions{});
    CHECK(solution.feasibility == Feasibility::feasible);
    CHECK((solution.enclosed || solution.exact));
    REQUIRE(solution.support);
    CHECK(solution.support->size() <= 25);
  }
}

TEST_CASE("a pass tells every row that is not certainly slack, and the same in parts") {
  const TokenData data = planted_data(300, 5, 4, 3);
  const Selection selection(data.groups(), 0);
  ScanRequest request;
  request.w = 40 * random_rows(4, 4, 3);
  request.radius = 0.25;
  request.most = 10'000;
  const std::vector<SeenRow> open = open_rows(data, selection, 0, data.groups(), request, Budget());
  const auto told = [&](const Constraint& c) {
    return std::any_of(open.begin(), open.end(), [&](const SeenRow& row) { return row.at == c; });
  };
  for (const Constraint& c : constraints(data, selection)) {
    const std::vector<Rational> row = combination(data, {1, {c}, {Integer(1)}});
    Rational margin = 0;
    for (std::size_t k = 0; k < row.size(); ++k) margin += row[k] * Rational(request.w.data()[k]);
    const bool slack = margin > 1 && (margin - 1) * (margin - 1) > norm_squared(row) / 16;
    if (!told(c)) CHECK(slack);
  }
  CHECK(!open.empty());
  CHECK(open.size() < 600);
  std::vector<SeenRow> parts = open_rows(data, selection, 0, 77, request, Budget());
  for (const SeenRow& row : open_rows(data, selection, 77, 300, request, Budget())) parts.push_back(row);
  parts = first_rows(std::move(parts), 50);
  REQUIRE(parts.size() == 50);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    CHECK(parts[k].at == open[k].at);
    CHECK(parts[k].margin == open[k].margin);
  }
}

// Beside solve_margin_rows(), which looks at all rows together.
TEST_CASE("a working set gives the solution of all rows" * doctest::test_suite("long")) {
  const TokenData data = planted_data(7200, 8, 3, 5);
  const Selection selection(data.groups(), 0);
  REQUIRE(suits_working_sets(data));
  const MarginSolution solution = solve_margin_problem(data, selection, MarginOptions{});
  const MarginSolution other = solve_margin_rows(data, margin_rows(data, selection), MarginOptions{});
  CHECK(solution.statistics.path.starts_with("sets+"));
  REQUIRE(solution.support);
  REQUIRE(other.support);
  CHECK(*solution.support == *other.support);
  CHECK(solution.norm_squared.lo <= other.norm_squared.hi);
  CHECK(other.norm_squared.lo <= solution.norm_squared.hi);
  CHECK(solution.locally_optimal == false);  // all scores are equal
}

// A margin of some 1e-5 of the rows' lengths: the set grows to more rows than it may have before it holds the
// tight ones.
TEST_CASE("a set that grows too large goes on with its tightest rows" * doctest::test_suite("long")) {
  const TokenData data = planted_data(200000, 8, 8, 3);
  const MarginSolution solution = solve_margin_problem(data, Selection(data.groups(), 0), MarginOptions{});
  CHECK(solution.statistics.path.starts_with("sets+"));
  REQUIRE(solution.support);
  CHECK(solution.support->size() <= 64);
}

TEST_CASE("ties outside the first set belong to the support" * doctest::test_suite("long")) {
  TokenData data = planted_data(7200, 8, 3, 5);
  const Selection selection(data.groups(), 0);
  const Constraint tight = solve_margin_problem(data, selection, MarginOptions{}).support->front();
  // The next two groups become copies of one with a tight row.
  std::vector<double> x = data.token_factor.binary64().doubles(), z = data.query_factor.binary64().doubles();
  for (const std::size_t copy : {tight.group + 1, tight.group + 2}) {
    std::copy_n(x.begin() + std::ptrdiff_t(tight.group * 24), 24, x.begin() + std::ptrdiff_t(copy * 24));
    std::copy_n(z.begin() + std::ptrdiff_t(tight.group * 3), 3, z.begin() + std::ptrdiff_t(copy * 3));
  }
  data.token_factor = ExactArray::from_binary64(x);
  data.query_factor = ExactArray::from_binary64(z);
  const MarginSolution solution = solve_margin_problem(data, selection, MarginOptions{});
  CHECK(solution.statistics.path.starts_with("sets+"));
  REQUIRE(solution.support);
  for (const std::size_t copy : {tight.group, tight.group + 1, tight.group + 2})
    CHECK(std::binary_search(solution.support->begin(), solution.support->end(),
                             Constraint{copy, tight.token}));

  // The scores are those of the data, not of the set.
  for (std::size_t i = 0; i < data.groups(); ++i) data.scores.set(data.row(i, 0), 1);
  CHECK(solve_margin_problem(data, selection, MarginOptions{}).locally_optimal == true);
}

TEST_CASE("large and infeasible: a few of the rows prove it" * doctest::test_suite("long")) {
  const TokenData data = random_data(7200, 8, 3, 3, 6);
  const MarginSolution solution = solve_margin_problem(data, Selection(data.groups(), 0), MarginOptions{});
  CHECK(solution.feasibility == Feasibility::infeasible);
  CHECK(solution.statistics.path.starts_with("sets+"));
  if (solution.farkas) CHECK(norm_squared(combination(data, *solution.farkas)) == 0);
}

TEST_CASE("pieces are all done once; what one throws arrives") {
  std::vector<int> seen(1000, 0);
  parallel_for(seen.size(), [&](std::size_t k) { ++seen[k]; });
  CHECK(seen == std::vector<int>(1000, 1));
  parallel_for(0, [](std::size_t) { throw std::bad_alloc(); });
  CHECK_THROWS_AS(parallel_for(50,
                               [](std::size_t k) {
                                 if (k == 33) throw std::bad_alloc();
                               }),
                  std::bad_alloc);
}

TEST_CASE("tiled Cholesky is Cholesky, and sees what is not positive" * doctest::test_suite("long")) {
  for (const Index size : {1, 255, 256, 257, 600}) {
    const MatrixXd rows = random_rows(size, size + 5, static_cast<unsigned>(size));
    const MatrixXd matrix = rows * rows.transpose();
    MatrixXd factor = matrix;
    REQUIRE(factorise_cholesky(factor));
    const MatrixXd lower = factor.triangularView<Eigen::Lower>();
    CHECK((lower * lower.transpose() - matrix).norm() < 1e-10 * matrix.norm());
    CHECK(factor.triangularView<Eigen::StrictlyUpper>().toDenseMatrix() ==
          matrix.triangularView<Eigen::StrictlyUpper>().toDenseMatrix());
    MatrixXd shifted = matrix - (matrix.trace() * MatrixXd::Identity(size, size));
    CHECK_FALSE(factorise_cholesky(shifted));
  }
}

TEST_CASE("linear algebra that takes seconds is left within it when a stop is asked for") {
  const TokenData data = random_data(300, 2, 4, 4, 3);
  const IntegerConstraints constraints(data, Selection(300, 0));
  const ScaledConstraints scaled = scale_constraints(constraints, Budget());
  const UnitRows rows(scaled);
  std::vector<std::size_t> at(scaled.size());
  std::iota(at.begin(), at.end(), std::size_t{0});
  const MatrixXd points = random_rows(600, 605, 1);
  MatrixXd matrix = points * points.transpose();
  for (const std::size_t threads : {1, 2}) {
    const ThreadLimit limit(threads);
    std::size_t polls = 0, most = 0;
    Budget budget;
    budget.stop_when([&] { return ++polls > most; });
    CHECK_THROWS_AS(rows.gram(at, budget), BudgetReached);
    CHECK_THROWS_AS(rows.normal_matrix(at, budget), BudgetReached);
    polls = 0;
    most = 2;  // after the first tiles
    MatrixXd factor = matrix;
    CHECK_THROWS_AS(factorise_cholesky(factor, &budget), BudgetReached);
  }
}

TEST_CASE("unit rows: combination, margins, Gram and normal matrix fit together") {
  const TokenData data = random_data(9, 4, 3, 5, 3);
  const IntegerConstraints constraints(data, Selection(9, 0));
  const ScaledConstraints scaled = scale_constraints(constraints, Budget());
  const UnitRows rows(scaled);
  const std::vector<std::size_t> at = {0, 1, 4, 5, 6, 13, 20, 26};
  const MatrixXd gram = rows.gram(at, Budget()).selfadjointView<Eigen::Lower>();
  MatrixXd dense(static_cast<Index>(at.size()), 15);
  for (std::size_t k = 0; k < at.size(); ++k) {
    VectorXd one = VectorXd::Zero(static_cast<Index>(scaled.size()));
    one[static_cast<Index>(at[k])] = 1;
    const RowMatrix w = rows.combination(one);
    dense.row(static_cast<Index>(k)) = Eigen::Map<const Eigen::RowVectorXd>(w.data(), w.size());
    const VectorXd margins = rows.margins(w);
    for (std::size_t l = 0; l < at.size(); ++l) {
      CHECK(gram(static_cast<Index>(k), static_cast<Index>(l)) ==
            doctest::Approx(margins[static_cast<Index>(at[l])]).epsilon(1e-12));
    }
    CHECK(gram(static_cast<Index>(k), static_cast<Index>(k)) == doctest::Approx(1).epsilon(1e-12));
  }
  CHECK((rows.normal_matrix(at, Budget()) - dense.transpose() * dense).norm() < 1e-12);
}

TEST_CASE("the method of multipliers finds the active set and vanishing combinations" *
          doctest::test_suite("long")) {
  for (const bool feasible : {true, false}) {
    const TokenData data = feasible ? feasible_data() : infeasible_data();
    const IntegerConstraints constraints(data, Selection(data.groups(), 0));
    const ScaledConstraints scaled = scale_constraints(constraints, Budget());
    DualPoint last;
    const DualOutcome outcome =
        solve_dual(UnitRows(scaled), VectorXd::Zero(static_cast<Index>(scaled.size())), DualGoal::set,
                   Budget(), [&](DualPoint point) { last = std::move(point); });
    CHECK((last.multiplier.array() >= 0).all());
    CHECK(outcome == (feasible ? DualOutcome::settled : DualOutcome::vanishing));
    CHECK((last.least_margin > 0) == feasible);
    if (feasible) CHECK(last.relative_gap() < 1e-2);
  }
}

TEST_CASE("rows that depend on each other: a gap as small as the bits asked for, without an exact solve") {
  // Every group twice: no active set has an independent Gram matrix.
  const TokenData once = random_data(24, 8, kDimension, kDimension, 9);
  TokenData twice = once;
  std::vector<double> tokens, queries;
  for (int copy = 0; copy < 2; ++copy) {
    for (std::size_t k = 0; k < once.token_factor.size(); ++k) tokens.push_back(once.token_factor.approx(k));
    for (std::size_t k = 0; k < once.query_factor.size(); ++k) queries.push_back(once.query_factor.approx(k));
  }
  twice.token_factor = ExactArray::from_binary64(tokens);
  twice.query_factor = ExactArray::from_binary64(queries);
  for (std::size_t i = once.groups() + 1; i <= 2 * once.groups(); ++i) twice.first_row.push_back(i * 8);
  twice.scores.assign(tokens.size() / kDimension, Rational(0));
  const MarginSolution expected = solve_margin_problem(once, Selection(once.groups(), 0));
  REQUIRE(expected.feasibility == Feasibility::feasible);
  MarginOptions options;
  options.form = Form::enclosure;
  options.longest_exact_seconds = 0;
  const MarginSolution found = solve_margin_problem(twice, Selection(twice.groups(), 0), options);
  REQUIRE(found.gap);
  CHECK(found.statistics.exact_pivots == 0);
  CHECK(found.norm_squared.lo <= expected.norm_squared.hi);
  CHECK(found.norm_squared.hi >= expected.norm_squared.lo);
  CHECK(found.norm_squared.hi - found.norm_squared.lo < found.norm_squared.hi * power_of_two(-150));
  CHECK(found.gap->distance_squared < found.norm_squared.hi * power_of_two(-200));
  REQUIRE(expected.support);
  CHECK(found.support_undecided.size() == 2 * expected.support->size());
}

TEST_CASE("large problems end with a proved active set, or with a spanning conflict" *
          doctest::test_suite("long")) {
  const TokenData feasible = feasible_data(), infeasible = infeasible_data();
  const MarginSolution solved = solve_margin_problem(feasible, Selection(feasible.groups(), 0));
  CHECK(solved.feasibility == Feasibility::feasible);
  CHECK(solved.enclosed);

  const MarginSolution refuted = solve_margin_problem(infeasible, Selection(infeasible.groups(), 0));
  REQUIRE(refuted.feasibility == Feasibility::infeasible);
  REQUIRE(refuted.spanning_conflict);
  const SpanningConflict& conflict = *refuted.spanning_conflict;
  CHECK(conflict.spanning.size() == kDimension * kDimension);
  Rational least = conflict.combination.value(0);
  std::size_t found = 0;
  for (std::size_t k = 0; k < conflict.combination.size(); ++k) {
    CHECK(conflict.combination.numerator[k] > 0);
    if (!std::binary_search(conflict.spanning.begin(), conflict.spanning.end(),
                            conflict.combination.constraint[k])) {
      continue;
    }
    if (found++ == 0 || conflict.combination.value(k) < least) least = conflict.combination.value(k);
  }
  CHECK(found == conflict.spanning.size());
  CHECK(norm_squared(combination(infeasible, conflict.combination)) <
        conflict.least_eigenvalue * least * least);
}

TEST_CASE("a stop anywhere leaves what is seen proved: feasible with a gap, or a bound of the margin" *
          doctest::test_suite("long")) {
  int gaps = 0, bounds = 0;
  for (const bool feasible : {true, false}) {
    const TokenData data = feasible ? feasible_data() : infeasible_data();
    const auto stopped_after = [&](int most, int& polls) {
      Budget outer;
      outer.stop_when([&] { return ++polls > most; });
      MarginOptions options;
      options.outer = &outer;
      return solve_margin_problem(data, Selection(data.groups(), 0), options);
    };
    int all = 0;
    CHECK(stopped_after(std::numeric_limits<int>::max(), all).feasibility != Feasibility::undecided);
    for (int part = 0; part < 64; ++part) {
      int polls = 0;
      const MarginSolution solution = stopped_after(static_cast<int>(all * (part / 64.0)), polls);
      if (solution.gap) {
        ++gaps;
        CHECK(feasible);
        CHECK(solution.separator);
        CHECK(solution.norm_squared.lo <= solution.norm_squared.hi);
        CHECK_FALSE(solution.reason.empty());
      }
      if (solution.margin_bound) {
        ++bounds;
        CHECK(solution.feasibility == Feasibility::undecided);
        const ConstraintVector& x = solution.margin_bound->combination;
        Rational sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k) sum += x.value(k);
        CHECK(norm_squared(combination(data, x)) <=
              solution.margin_bound->bound * solution.margin_bound->bound * sum * sum);
      }
    }
  }
  CHECK(gaps > 0);
  CHECK(bounds > 0);
}

}  // namespace attest
