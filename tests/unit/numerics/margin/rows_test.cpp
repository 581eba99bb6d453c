// Rows that no selection makes, and what is read of a solution whatever proved it, against dense rational
// vectors.
#include <doctest/doctest.h>

#include <random>

#include "numerics/margin/primal_dual.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"
#include "tests/unit/numerics/margin/reference.hpp"

using namespace attest;
using reference::Vector;

namespace {

// Small rationals; groups of `tokens` tokens.
TokenData drawn_data(std::mt19937_64& random, std::size_t groups, std::size_t tokens, std::size_t d,
                     std::size_t e) {
  const auto vector = [&](std::size_t size) {
    Vector entries;
    for (std::size_t k = 0; k < size; ++k)
      entries.emplace_back(static_cast<long>(random() % 41) - 20, static_cast<long>(random() % 5) + 1);
    return entries;
  };
  std::vector<std::vector<Vector>> x(groups);
  std::vector<Vector> z, scores;
  for (std::size_t i = 0; i < groups; ++i) {
    for (std::size_t t = 0; t < tokens; ++t) x[i].push_back(vector(d));
    z.push_back(vector(e));
    scores.push_back(vector(tokens));
  }
  return reference::make_data(x, z, scores);
}

// (x_winner - x_loser) z' as a vector.
Vector dense(const TokenData& data, const MarginRow& row) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  Vector result;
  for (std::size_t j = 0; j < d; ++j) {
    const Rational x = data.token_factor.exact(data.row(row.group, row.winner) * d + j) -
                       data.token_factor.exact(data.row(row.group, row.loser) * d + j);
    for (std::size_t k = 0; k < e; ++k) result.push_back(x * data.query_factor.exact(row.group * e + k));
  }
  return result;
}

}  // namespace

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
