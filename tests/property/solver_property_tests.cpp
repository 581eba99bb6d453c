// solve_margin_problem against the exact reference on every family, in every form: every decided field is
// right, and every piece of evidence is checked on its own. Families are permuted too.
#include <doctest/doctest.h>

#include "numerics/margin/solution.hpp"
#include "tests/oracle/linear_algebra.hpp"
#include "tests/oracle/margin.hpp"
#include "tests/property/solver_data.hpp"

using namespace attest;
using reference::MarginAnswer;
using reference::Number;
using reference::Pair;

namespace {

Pair pair(const Constraint& constraint) {
  return {constraint.group, constraint.token};
}

// The sparse vector on all constraints of the answer; its shape is checked on the way.
reference::Row dense(const ConstraintVector& vector, const MarginAnswer& answer) {
  reference::Row row(answer.constraints.size());
  REQUIRE(vector.numerator.size() == vector.constraint.size());
  REQUIRE(vector.denominator > 0);
  for (std::size_t k = 0; k < vector.size(); ++k) {
    if (k > 0) REQUIRE(vector.constraint[k - 1] < vector.constraint[k]);
    REQUIRE(vector.numerator[k] != 0);
    const auto position = answer.position(pair(vector.constraint[k]));
    REQUIRE(position.has_value());
    row[*position] = from_rational(vector.value(k));
  }
  return row;
}

Number squared_distance(reference::Row a, const reference::Row& b) {
  a.resize(b.size());
  for (std::size_t j = 0; j < b.size(); ++j) a[j] -= b[j];
  return reference::dot(a, a);
}

void check_interval(const Interval& interval, const Number& value) {
  CHECK(from_rational(interval.lo) <= value);
  CHECK(from_rational(interval.hi) >= value);
}

void check_exact(const ExactOptimum& exact, const MarginAnswer& answer) {
  CHECK(from_rational(exact.norm_squared) == answer.norm_squared);
  const auto multipliers = dense(exact.multipliers, answer);
  for (const Number& entry : multipliers) CHECK(entry >= 0);
  CHECK(squared_distance(answer.combination(multipliers), answer.solution) == 0);
}

void check_enclosed(const EnclosedOptimum& enclosed, const MarginAnswer& answer) {
  const auto multipliers = dense(enclosed.multipliers, answer);
  const Number radius = from_rational(enclosed.radius),
               multiplier_radius = from_rational(enclosed.multiplier_radius);
  CHECK(radius >= 0);
  CHECK(multiplier_radius >= 0);
  CHECK(squared_distance(answer.combination(multipliers), answer.solution) <= radius * radius);
  check_interval(enclosed.norm_squared, answer.norm_squared);
  REQUIRE(enclosed.multipliers.size() == answer.support.size());
  reference::Matrix G(answer.support.size(), reference::Row(answer.support.size()));
  for (std::size_t i = 0; i < G.size(); ++i)
    for (std::size_t j = 0; j < G.size(); ++j)
      G[i][j] = reference::dot(answer.differences[answer.support[i]], answer.differences[answer.support[j]]);
  const auto truth = reference::solve(G, reference::Row(G.size(), 1));
  Number distance = 0;
  for (std::size_t k = 0; k < G.size(); ++k) {
    const Number shift = truth[k] - multipliers[answer.support[k]];
    distance += shift * shift;
    CHECK(multipliers[answer.support[k]] > multiplier_radius);
    G[k][k] -= from_rational(enclosed.lambda_min);
  }
  CHECK(distance <= multiplier_radius * multiplier_radius);
  CHECK(from_rational(enclosed.lambda_min) > 0);
  CHECK(reference::positive_semidefinite(G));
}

void check_gap(const GapOptimum& gap, const MarginAnswer& answer) {
  const auto w = answer.combination(dense(gap.primal, answer));
  for (const auto& difference : answer.differences) CHECK(reference::dot(difference, w) >= 1);
  for (const Number& entry : dense(gap.dual, answer)) CHECK(entry >= 0);
  CHECK(squared_distance(w, answer.solution) <= from_rational(gap.distance_squared));
  check_interval(gap.norm_squared, answer.norm_squared);
}

void check_complementarity(const MarginSolution& solution, const MarginAnswer& answer) {
  CHECK(solution.strictly_complementary.value() == reference::strictly_complementary(answer));
  if (solution.complementary_multipliers) {
    const auto multipliers = dense(*solution.complementary_multipliers, answer);
    CHECK(solution.complementary_multipliers->size() == answer.support.size());
    for (const std::size_t c : answer.support) CHECK(multipliers[c] > 0);
    CHECK(squared_distance(answer.combination(multipliers), answer.solution) == 0);
  }
  if (!*solution.strictly_complementary) {
    const auto& witness = solution.complementarity_witness.value();
    const auto at = answer.position(pair(witness.at));
    REQUIRE(at.has_value());
    CHECK(answer.margins[*at] == 1);
    const auto direction = answer.combination(dense(witness.direction, answer));
    for (const std::size_t c : answer.support) CHECK(reference::dot(answer.differences[c], direction) >= 0);
    CHECK(reference::dot(answer.solution, direction) == 0);
    CHECK(reference::dot(answer.differences[*at], direction) > 0);
  } else if (!solution.complementary_multipliers && solution.exact) {
    CHECK(solution.exact->multipliers.size() == answer.support.size());
  }
}

void check_solution(const MarginSolution& solution, const MarginAnswer& answer) {
  REQUIRE(solution.feasibility != Feasibility::undecided);
  REQUIRE((solution.feasibility == Feasibility::feasible) == answer.feasible);
  CHECK(solution.locally_optimal.value() == answer.locally_optimal);
  if (!answer.feasible) {
    const auto farkas = dense(solution.farkas.value(), answer);
    REQUIRE(solution.farkas->size() > 0);
    for (const Number& entry : farkas) CHECK(entry >= 0);
    for (const Number& entry : answer.combination(farkas)) CHECK(entry == 0);
    return;
  }
  REQUIRE((solution.exact || solution.enclosed));
  check_interval(solution.norm_squared, answer.norm_squared);
  if (solution.exact) check_exact(*solution.exact, answer);
  if (solution.enclosed) check_enclosed(*solution.enclosed, answer);
  if (solution.gap) check_gap(*solution.gap, answer);
  std::vector<Pair> support, expected;
  for (const Constraint& constraint : solution.support.value()) support.push_back(pair(constraint));
  for (const std::size_t c : answer.support) expected.push_back(answer.constraints[c]);
  CHECK(support == expected);
  CHECK(solution.support_undecided.empty());
  check_complementarity(solution, answer);
  if (!answer.locally_optimal) {
    const auto witness = answer.position(pair(solution.local_witness.value()));
    REQUIRE(witness.has_value());
    CHECK(answer.margins[*witness] == 1);
    CHECK(answer.gaps[*witness] <= 0);
  }
}

void check_families(Form form) {
  std::size_t permutation = 0;
  for (const reference::Case& original : reference::families()) {
    const MarginAnswer expected = reference::solve_margin(original.data, original.choice);
    for (const reference::Case& one : {original, reference::permuted(original, ++permutation)}) {
      CAPTURE(one.name);
      const MarginAnswer answer =
          one.name == original.name ? expected : reference::solve_margin(one.data, one.choice);
      MarginOptions options;
      options.form = form;
      const MarginSolution solution = solve_margin_problem(to_token_data(one.data), one.choice, options);
      check_solution(solution, answer);
      CHECK(answer.feasible == expected.feasible);
      CHECK(answer.support.size() == expected.support.size());
      CHECK(answer.locally_optimal == expected.locally_optimal);
      if (form == Form::exact && answer.feasible) CHECK(solution.exact.has_value());
    }
  }
}

}  // namespace

TEST_CASE("exact") {
  check_families(Form::exact);
}
TEST_CASE("enclosure") {
  check_families(Form::enclosure);
}
TEST_CASE("automatic") {
  check_families(Form::automatic);
}

TEST_CASE("enclosures are as accurate as asked") {
  for (const long bits : {64L, 128L, 300L}) {
    const reference::Dataset data =
        reference::gaussian(reference::Kind::cross, 90, std::vector<std::size_t>(4, 5), 8, 8);
    MarginOptions options;
    options.form = Form::enclosure;
    options.precision_bits = bits;
    const MarginSolution solution =
        solve_margin_problem(to_token_data(data), reference::best_choice(data), options);
    const MarginAnswer answer = reference::solve_margin(data, reference::best_choice(data));
    check_solution(solution, answer);
    REQUIRE(solution.enclosed.has_value());
    Number bound = answer.norm_squared;
    mpq_div_2exp(bound.get_mpq_t(), bound.get_mpq_t(), static_cast<unsigned long>(2 * bits));
    const Number radius = from_rational(solution.enclosed->radius);
    CHECK(radius * radius <= bound);
  }
}

TEST_CASE("the same input gives the same answer again") {
  const reference::Dataset data =
      reference::gaussian(reference::Kind::cross, 91, std::vector<std::size_t>(6, 8), 10, 10);
  for (const Form form : {Form::exact, Form::enclosure}) {
    MarginOptions options;
    options.form = form;
    const auto a = solve_margin_problem(to_token_data(data), reference::best_choice(data), options);
    const auto b = solve_margin_problem(to_token_data(data), reference::best_choice(data), options);
    CHECK(a.support == b.support);
    CHECK(a.exact.has_value() == b.exact.has_value());
    if (a.exact && b.exact) CHECK(a.exact->multipliers.numerator == b.exact->multipliers.numerator);
    if (a.enclosed && b.enclosed)
      CHECK(a.enclosed->multipliers.numerator == b.enclosed->multipliers.numerator);
  }
}
