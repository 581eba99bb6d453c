// Rows that no selection makes, and what is read of a solution whatever proved it, against dense rational
// vectors.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "numerics/margin/primal_dual.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"
#include "tests/unit/numerics/margin/reference.hpp"

using namespace attest;
using reference::dense;
using reference::drawn_data;
using reference::Vector;

namespace {

Vector combination(const std::vector<Vector>& vectors, const std::vector<MarginRow>& rows,
                   const ConstraintVector& values) {
  Vector sum(vectors.front().size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const MarginRow& r) { return r.constraint() == values.constraint[k]; });
    REQUIRE(row != rows.end());
    const Vector& vector = vectors[static_cast<std::size_t>(row - rows.begin())];
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += values.value(k) * vector[j];
  }
  return sum;
}

Rational value_at(const ConstraintVector& values, const Constraint& at) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values.constraint[k] == at) return values.value(k);
  }
  return 0;
}

// The conditions that make w the only solution (or that show that there is none), each row in its sense, and
// complementarity with its evidence, all in dense rational vectors.
void check_rows(const TokenData& data, const std::vector<MarginRow>& rows, const MarginSolution& solution) {
  std::vector<Vector> vectors;
  for (const MarginRow& row : rows) vectors.push_back(dense(data, row));
  const bool feasible = solution.feasibility == Feasibility::feasible;
  REQUIRE((feasible ? solution.exact.has_value() : solution.farkas.has_value()));
  const ConstraintVector& multipliers = feasible ? solution.exact->multipliers : *solution.farkas;
  const Vector w = combination(vectors, rows, multipliers);
  Rational ones = 0;
  std::vector<Constraint> support;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const Rational multiplier = value_at(multipliers, rows[c].constraint());
    const Rational asked = rows[c].sense == Sense::at_least_one ? 1 : 0,
                   margin = reference::dot(vectors[c], w);
    const bool equality = rows[c].sense == Sense::equal_to_zero;
    ones += asked * multiplier;
    CHECK((equality || multiplier >= 0));
    if (!feasible) continue;
    CHECK((equality ? margin == asked : margin >= asked));
    CHECK((multiplier == 0 || margin == asked));
    if (!equality && margin == asked) support.push_back(rows[c].constraint());
  }
  if (!feasible) {
    CHECK(ones > 0);
    CHECK(w == Vector(w.size()));
    return;
  }
  CHECK(ones == solution.exact->norm_squared);
  CHECK(ones == reference::dot(w, w));
  CHECK(support == solution.support);
  if (solution.complementary_multipliers) {
    CHECK(combination(vectors, rows, *solution.complementary_multipliers) == w);
  }
  const ConstraintVector& shown = solution.complementary_multipliers.value_or(multipliers);
  if (solution.strictly_complementary.value()) {
    for (const Constraint& c : support) CHECK(value_at(shown, c) > 0);
    return;
  }
  const Vector direction = combination(vectors, rows, solution.complementarity_witness->direction);
  CHECK(reference::dot(w, direction) == 0);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const Rational along = reference::dot(vectors[c], direction);
    if (rows[c].sense == Sense::equal_to_zero) CHECK(along == 0);
    if (std::binary_search(support.begin(), support.end(), rows[c].constraint())) CHECK(along >= 0);
    if (rows[c].constraint() == solution.complementarity_witness->at) CHECK(along > 0);
  }
}

}  // namespace

TEST_CASE("rows = 0, >= 0 and >= 1 together: the solution, or that there is none, by its conditions") {
  std::mt19937_64 random(21);
  int feasible = 0, infeasible = 0, shown = 0, degenerate = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t d = 1 + random() % 3, e = 1 + random() % 3, tokens = 2 + random() % 4;
    const bool ties = round % 2 == 0;  // small integers: dependent rows, margins that are met by accident
    TokenData data = drawn_data(random, 1 + random() % 4, tokens, d, e);
    if (ties) {
      std::vector<Rational> x;
      for (std::size_t k = 0; k < data.first_row.back() * d; ++k)
        x.emplace_back(static_cast<long>(random() % 5) - 2);
      data.token_factor = ExactArray::from_rationals(std::move(x));
    }
    std::vector<MarginRow> rows;
    for (std::size_t i = 0; i < data.groups(); ++i) {
      for (std::size_t t = 1; t < tokens; ++t)
        rows.push_back({i, 0, t, static_cast<Sense>(random() % 5 < 3 ? 0 : 1 + random() % 2)});
    }
    const MarginSolution solution = solve_margin_rows(data, rows);
    REQUIRE(solution.feasibility != Feasibility::undecided);
    check_rows(data, rows, solution);
    if (solution.feasibility == Feasibility::infeasible) {
      ++infeasible;
    } else {
      ++feasible;
      shown += solution.complementary_multipliers.has_value();
      degenerate += !solution.strictly_complementary.value();
    }
  }
  MESSAGE(feasible, " feasible, ", infeasible, " infeasible, ", shown, " with shifted multipliers, ",
          degenerate, " not strictly complementary");
  CHECK(feasible > 100);
  CHECK(infeasible > 50);
  CHECK(degenerate > 10);
}

TEST_CASE(
    "rows of all senses: zero rows and parallel ones that contradict each other are found by the scan") {
  std::mt19937_64 random(27);
  TokenData data = drawn_data(random, 3, 4, 3, 2);
  std::vector<Rational> x;
  for (std::size_t k = 0; k < data.first_row.back() * 3; ++k) x.push_back(data.token_factor.exact(k));
  const auto place = [&](std::size_t group, std::size_t token, const Rational& factor) {
    for (std::size_t j = 0; j < 3; ++j) {  // x_0 - x_token = factor (x_0 - x_1), of group 0
      const Rational first = x[j], along = factor * (first - x[3 + j]);
      x[data.row(group, 0) * 3 + j] = first;
      x[data.row(group, token) * 3 + j] = first - along;
    }
    data.token_factor = ExactArray::from_rationals(x);
  };
  const auto solved = [&](Sense one, Sense other, std::size_t group, std::size_t token) {
    std::vector<MarginRow> rows;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t t = 1; t < 4; ++t) {
        const bool is_one = i == 0 && t == 1, is_other = i == group && t == token;
        rows.push_back({i, 0, t, is_one ? one : is_other ? other : Sense::at_least_zero});
      }
    }
    MarginSolution solution = solve_margin_rows(data, rows);
    check_rows(data, rows, solution);
    return solution;
  };
  constexpr Sense ask = Sense::at_least_one, weak = Sense::at_least_zero, fixed = Sense::equal_to_zero;
  const auto scanned = [](const MarginSolution& solution) {
    return solution.feasibility == Feasibility::infeasible && solution.statistics.path == "scan";
  };
  SUBCASE("a zero row asks for nothing unless it asks for 1") {
    place(0, 2, 0);
    CHECK(scanned(solved(weak, ask, 0, 2)));
    for (const Sense other : {weak, fixed}) CHECK_FALSE(scanned(solved(ask, other, 0, 2)));
  }
  for (const std::size_t group : {0, 1}) {
    CAPTURE(group);
    if (group == 1) {
      std::vector<Rational> z{data.query_factor.exact(0), data.query_factor.exact(1)};
      for (std::size_t k = 0; k < 2; ++k) z.push_back(3 * z[k]);
      for (std::size_t k = 4; k < 6; ++k) z.push_back(data.query_factor.exact(k));
      data.query_factor = ExactArray::from_rationals(z);
    }
    place(group, 3, Rational(-2, 7));
    for (const Sense other : {ask, weak, fixed}) CHECK(scanned(solved(ask, other, group, 3)));
    for (const Sense one : {weak, fixed}) CHECK(scanned(solved(one, ask, group, 3)));
    place(group, 3, Rational(5, 3));
    CHECK(scanned(solved(ask, fixed, group, 3)));
    CHECK(scanned(solved(fixed, ask, group, 3)));
    CHECK_FALSE(scanned(solved(ask, weak, group, 3)));
    CHECK_FALSE(scanned(solved(ask, ask, group, 3)));
  }
}

TEST_CASE("sets of one token are a selection; tokens of a set are equal at the solution") {
  std::mt19937_64 random(22);
  for (int round = 0; round < 20; ++round) {
    const TokenData data = drawn_data(random, 3, 4, 4, 3);
    const SelectedSets single{{1}, {0}, {3}};
    const MarginSolution one = solve_margin_rows(data, margin_rows(data, single));
    const MarginSolution same = solve_margin_problem(data, {1, 0, 3});
    REQUIRE(one.feasibility == same.feasibility);
    CHECK(one.support == same.support);
    CHECK(one.locally_optimal == same.locally_optimal);
    if (same.exact) CHECK(one.exact->norm_squared == same.exact->norm_squared);
    const std::vector<MarginRow> rows = margin_rows(data, SelectedSets{{0, 2}, {1, 2, 3}, {0}});
    REQUIRE(rows.size() == 9);
    CHECK(std::count_if(rows.begin(), rows.end(),
                        [](const MarginRow& row) { return row.sense == Sense::equal_to_zero; }) == 3);
    check_rows(data, rows, solve_margin_rows(data, rows));
  }
}

TEST_CASE("rows of all senses, enclosed: the support and the norm are those of the exact solution") {
  std::mt19937_64 random(23);
  int enclosed = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t tokens = 2 + random() % 4;
    const TokenData data = drawn_data(random, 1 + random() % 5, tokens, 4, 4);
    std::vector<MarginRow> rows;
    for (std::size_t i = 0; i < data.groups(); ++i) {
      for (std::size_t t = 1; t < tokens; ++t)
        rows.push_back({i, 0, t, static_cast<Sense>(random() % 5 < 3 ? 0 : 1 + random() % 2)});
    }
    MarginOptions options;
    options.form = Form::exact;
    const MarginSolution exact = solve_margin_rows(data, rows, options);
    options.form = Form::enclosure;
    const MarginSolution other = solve_margin_rows(data, rows, options);
    REQUIRE(other.feasibility == exact.feasibility);
    if (!other.enclosed) continue;
    ++enclosed;
    CHECK(other.support == exact.support);
    CHECK(other.norm_squared.lo <= exact.exact->norm_squared);
    CHECK(exact.exact->norm_squared <= other.norm_squared.hi);
    CHECK(other.norm_squared.hi - other.norm_squared.lo <= other.norm_squared.hi / 1000000000);
    // Independent rows have one vector of multipliers.
    std::vector<Vector> vectors;
    for (const MarginRow& row : rows) vectors.push_back(dense(data, row));
    Vector away = combination(vectors, rows, other.enclosed->multipliers);
    const Vector w = combination(vectors, rows, exact.exact->multipliers);
    for (std::size_t j = 0; j < w.size(); ++j) away[j] -= w[j];
    CHECK(reference::dot(away, away) <= other.enclosed->radius * other.enclosed->radius);
  }
  CHECK(enclosed > 20);
}

// lambda_min > S is not repeated here: the checker's tests do.
TEST_CASE("rows of all senses that contradict each other, without an exact solve (T19(b))") {
  std::mt19937_64 random(19);
  MarginOptions options;
  options.form = Form::enclosure;
  options.longest_exact_seconds = 0;
  std::size_t refuted = 0;
  for (int repetition = 0; repetition < 6; ++repetition) {
    const TokenData data = drawn_data(random, 12, 3, 2, 2);
    std::vector<MarginRow> rows = margin_rows(data, Selection(12, 0));
    for (MarginRow& row : rows) {
      if (row.group % 3 == 1) row.sense = Sense::at_least_zero;
    }
    if (repetition % 2 == 1) rows[4].sense = Sense::equal_to_zero;
    const MarginSolution solution = solve_margin_rows(data, rows, options);
    const MarginSolution expected = solve_margin_rows(data, rows, MarginOptions());
    if (solution.feasibility == Feasibility::undecided) continue;
    CHECK(solution.feasibility == expected.feasibility);
    if (!solution.spanning_conflict) continue;
    ++refuted;
    const SpanningConflict& conflict = *solution.spanning_conflict;
    std::vector<Vector> vectors;
    for (const MarginRow& row : rows) vectors.push_back(dense(data, row));
    Rational length = 0, least = -1, asked = 0;
    for (const Rational& entry : combination(vectors, rows, conflict.combination)) length += entry * entry;
    for (const MarginRow& row : rows) {
      const Rational value = value_at(conflict.combination, row.constraint());
      if (row.sense == Sense::equal_to_zero) continue;
      CHECK(value >= 0);
      if (row.sense == Sense::at_least_one) asked += value;
      const std::vector<Constraint>& spanning = conflict.spanning;
      if (std::binary_search(spanning.begin(), spanning.end(), row.constraint()) &&
          (least < 0 || value < least))
        least = value;
    }
    CHECK(asked > 0);
    CHECK(least > 0);
    CHECK(length < conflict.least_eigenvalue * least * least);
  }
  CHECK(refuted > 0);
}

TEST_CASE("rows with several winners in a group: Gram entries, products and doubles are those of the rows") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 6; ++round) {
    const TokenData data = drawn_data(random, 3, 4, 3, 2);
    std::vector<MarginRow> rows;
    for (std::size_t group = 0; group < 3; ++group) {
      if (round == 0 && group == 1) continue;  // a group without rows
      for (int k = 0; k < 5; ++k) {
        const std::size_t winner = random() % 4;
        rows.push_back({group, winner, (winner + 1 + random() % 3) % 4});
      }
    }
    const IntegerConstraints constraints(data, rows);
    REQUIRE(constraints.size() == rows.size());
    std::vector<Vector> vectors;
    for (const MarginRow& row : rows) vectors.push_back(dense(data, row));

    std::vector<std::size_t> at;
    std::vector<Integer> values;
    Vector sum(vectors[0].size());
    for (std::size_t c = 0; c < rows.size(); c += 1 + c % 2) {
      at.push_back(c);
      values.emplace_back(static_cast<long>(random() % 9) - 4);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += Rational(values.back()) * vectors[c][k];
    }
    const std::vector<Integer> products = constraints.products(at, values, Budget{});
    const ScaledConstraints scaled = scale_constraints(constraints, Budget{});
    for (std::size_t c = 0; c < rows.size(); ++c) {
      CHECK(constraints.gram_scale() * Rational(products[c]) == reference::dot(vectors[c], sum));
      CHECK(constraints.gram_scale() * Rational(constraints.gram(c, at[c % at.size()])) ==
            reference::dot(vectors[c], vectors[at[c % at.size()]]));
      CHECK(scaled.group[c] == rows[c].group);
      CHECK(scaled.first[rows[c].group] <= c);
      CHECK(c < scaled.first[rows[c].group + 1]);
    }
  }
}

TEST_CASE("what is known of w* holds of the exact one, in every form") {
  std::mt19937_64 random(9);
  int feasible = 0;
  for (int round = 0; round < 40; ++round) {
    const TokenData data = drawn_data(random, 2, 3, 3, 2);
    const Selection selection = best_selection(data);
    MarginOptions options;
    options.form = Form::exact;
    const MarginSolution exact = solve_margin_problem(data, selection, options);
    options.form = Form::enclosure;
    const MarginSolution other = solve_margin_problem(data, selection, options);
    const auto truth = primal_dual(exact), known = primal_dual(other);
    CHECK((truth == nullptr) == (exact.feasibility != Feasibility::feasible));
    if (truth == nullptr || known == nullptr) continue;
    ++feasible;
    CHECK(std::string(known->norm()) == "euclidean");
    CHECK(truth->primal_radius() == 0);
    CHECK(truth->dual_radius() == 0);
    const auto matrix = [&](const ConstraintVector& combination) {
      Vector w(data.left_dimension * data.right_dimension);
      for (std::size_t k = 0; k < combination.size(); ++k) {
        const Constraint& c = combination.constraint[k];
        const Vector row = dense(data, {c.group, selection[c.group], c.token});
        for (std::size_t j = 0; j < w.size(); ++j) w[j] += combination.value(k) * row[j];
      }
      return w;
    };
    const Vector w = matrix(truth->primal());
    Vector away = matrix(known->primal());
    for (std::size_t j = 0; j < w.size(); ++j) away[j] -= w[j];
    CHECK(reference::dot(away, away) <= known->primal_radius() * known->primal_radius());
    for (const PrimalDual* answer : {truth.get(), known.get()}) {
      const Ball value = answer->value_squared(128);
      CHECK(value.lower() <= reference::dot(w, w));
      CHECK(reference::dot(w, w) <= value.upper());
    }
    REQUIRE(truth->dual() != nullptr);
    if (known->dual() == nullptr) continue;
    REQUIRE(known->dual()->constraint == truth->dual()->constraint);
    for (std::size_t k = 0; k < known->dual()->size(); ++k)
      CHECK(abs(known->dual()->value(k) - truth->dual()->value(k)) <= known->dual_radius());
  }
  CHECK(feasible > 5);
}
