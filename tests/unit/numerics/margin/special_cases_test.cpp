// Data that break solvers: duplicates, zero and negated queries, ties, near-ties, near-infeasibility, wide
// exponents.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "numerics/numbers/dyadic.hpp"
#include "tests/unit/numerics/margin/reference.hpp"

namespace attest {
namespace {

using reference::combine;
using reference::make_data;
using reference::random_vector;
using reference::Vector;
using Tokens = std::vector<std::vector<Vector>>;

// n groups of `tokens` random tokens in dimension d with random queries in dimension e and random scores.
struct SpecialCase {
  Tokens x;
  std::vector<Vector> z;
  std::vector<Vector> score;
  TokenData data() const { return make_data(x, z, score); }
};

SpecialCase draw_special(std::mt19937_64& random, std::size_t n, std::size_t tokens, std::size_t d,
                         std::size_t e) {
  SpecialCase drawn;
  for (std::size_t i = 0; i < n; ++i) {
    drawn.x.emplace_back();
    for (std::size_t t = 0; t < tokens; ++t) drawn.x.back().push_back(random_vector(random, d));
    drawn.z.push_back(random_vector(random, e));
    drawn.score.push_back(random_vector(random, tokens));
  }
  return drawn;
}

MarginSolution solve(const TokenData& data, const Selection& selection, Form form) {
  MarginOptions options;
  options.form = form;
  return solve_margin_problem(data, selection, options);
}

void check_all_forms(const TokenData& data, const Selection& selection) {
  const reference::Answer answer = reference::brute_force(data, selection);
  for (const Form form : {Form::automatic, Form::exact, Form::enclosure}) {
    const MarginSolution solution = solve(data, selection, form);
    CHECK(solution.feasibility != Feasibility::undecided);
    reference::check_against(answer, data, selection, solution);
  }
}

Selection first_tokens(const TokenData& data) {
  return Selection(data.groups(), 0);
}

}  // namespace

TEST_CASE("random data: duplicates, midpoints, collinear tokens") {
  std::mt19937_64 random(5);
  const auto draw_base = [&] { return draw_special(random, 3, 3, 3, 2); };
  const Selection selection{0, 0, 0};

  SUBCASE("as drawn") {
    for (int trial = 0; trial < 10; ++trial) check_all_forms(draw_base().data(), selection);
  }
  SUBCASE("duplicate of the selected token") {
    SpecialCase changed = draw_base();
    changed.x[1][2] = changed.x[1][0];
    const MarginSolution answer = solve(changed.data(), selection, Form::automatic);
    REQUIRE(answer.feasibility == Feasibility::infeasible);
    CHECK(answer.farkas->size() == 1);
    check_all_forms(changed.data(), selection);
  }
  SUBCASE("duplicate of every token in turn") {
    for (int trial = 0; trial < 4; ++trial) {
      const SpecialCase base = draw_base();
      for (std::size_t t = 1; t < 3; ++t) {
        SpecialCase changed = base;
        changed.x[0].push_back(changed.x[0][t]);
        changed.score[0].push_back(changed.score[0][t]);
        check_all_forms(changed.data(), selection);
      }
    }
  }
  SUBCASE("identical samples") {
    for (int trial = 0; trial < 4; ++trial) {
      SpecialCase changed = draw_base();
      changed.x[1] = changed.x[0];
      changed.z[1] = changed.z[0];
      check_all_forms(changed.data(), selection);
    }
  }
  SUBCASE("midpoint and collinear tokens") {
    for (int trial = 0; trial < 4; ++trial) {
      SpecialCase changed = draw_base();
      changed.x[0].push_back(combine(changed.x[0][1], Rational(1, 2), changed.x[0][2], Rational(1, 2)));
      changed.score[0].push_back(0);
      check_all_forms(changed.data(), selection);
      changed.x[0].back() = combine(changed.x[0][1], 2, changed.x[0][2], -1);
      check_all_forms(changed.data(), selection);
    }
  }
  SUBCASE("a sample repeated with its query negated has a two-term witness") {
    SpecialCase changed = draw_base();
    changed.x[1] = changed.x[0];
    for (std::size_t j = 0; j < 2; ++j) changed.z[1][j] = -changed.z[0][j];
    REQUIRE(solve(changed.data(), selection, Form::automatic).feasibility == Feasibility::infeasible);
    check_all_forms(changed.data(), selection);
  }
}

TEST_CASE("random data: changed queries, and numbers of every size") {
  std::mt19937_64 random(5);
  const auto draw_base = [&] { return draw_special(random, 3, 3, 3, 2); };
  const Selection selection{0, 0, 0};

  SUBCASE("zero query") {
    SpecialCase changed = draw_base();
    changed.z[2] = Vector(2, Rational(0));
    CHECK(solve(changed.data(), selection, Form::automatic).feasibility == Feasibility::infeasible);
    check_all_forms(changed.data(), selection);
  }
  SUBCASE("queries scaled by powers of two and by three") {
    for (const Rational& factor : {power_of_two(-40), power_of_two(90), Rational(3), Rational(1, 3)}) {
      SpecialCase changed = draw_base();
      for (Rational& entry : changed.z[0]) entry *= factor;
      check_all_forms(changed.data(), selection);
    }
  }
  SUBCASE("tokens spread by 2^-30 and 2^-60") {
    for (const long exponent : {-30L, -60L}) {
      SpecialCase changed = draw_base();
      for (auto& group : changed.x) {
        for (std::size_t t = 1; t < group.size(); ++t) {
          group[t] = combine(group[0], 1, group[t], power_of_two(exponent));
        }
      }
      check_all_forms(changed.data(), selection);
    }
  }
  SUBCASE("exponents from 2^-1000 to 2^900") {
    SpecialCase changed = draw_base();
    for (Rational& entry : changed.z[0]) entry *= power_of_two(-1000);
    for (Rational& entry : changed.z[1]) entry *= power_of_two(900);
    check_all_forms(changed.data(), selection);
  }
  SUBCASE("thirds: data that are not binary") {
    SpecialCase changed = draw_base();
    for (auto& group : changed.x) {
      for (Vector& token : group) {
        for (Rational& entry : token) entry = entry / 3 + Rational(1, 7);
      }
    }
    check_all_forms(changed.data(), selection);
  }
}

TEST_CASE("near-infeasible rows (1, e) and (-1, e) are feasible with norm 1/e") {
  for (const long exponent : {-20L, -60L, -200L}) {
    const Rational e = power_of_two(exponent);
    // One group: selected token 0, differences (1, e) and (-1, e).
    const TokenData data = make_data({{{0, 0}, {-1, -e}, {1, -e}}}, {{1}}, {{1, 0, 0}});
    for (const Form form : {Form::automatic, Form::exact, Form::enclosure}) {
      const MarginSolution solution = solve(data, {0}, form);
      REQUIRE(solution.feasibility == Feasibility::feasible);
      CHECK(solution.norm_squared.lo <= 1 / (e * e));
      CHECK(solution.norm_squared.hi >= 1 / (e * e));
    }
    check_all_forms(data, {0});
    // With -e instead the rows are (1, e), (-1, -e): infeasible.
    check_all_forms(make_data({{{0, 0}, {-1, -e}, {1, e}}}, {{1}}, {{1, 0, 0}}), {0});
  }
}

TEST_CASE("slack 2^-52 and ties broken at 2^-40 are told from ties") {
  // Differences (1, 0), (0, 1) give w = (1, 1); the third, (1 + s, 0)-like, has margin 1 + s.
  for (const Rational& slack :
       {Rational(0), power_of_two(-52), power_of_two(-40), -power_of_two(-40), -power_of_two(-52)}) {
    const TokenData data = make_data(
        {{{0, 0}, {-1, 0}, {0, -1}, {-(Rational(1, 2) + slack), -Rational(1, 2)}}}, {{1}}, {{1, 0, 0, 2}});
    const MarginSolution solution = solve(data, {0}, Form::automatic);
    REQUIRE(solution.support.has_value());
    const bool tight = std::find(solution.support->begin(), solution.support->end(), Constraint{0, 3}) !=
                       solution.support->end();
    CHECK(tight == (slack <= 0));
    check_all_forms(data, {0});
  }
}

TEST_CASE("one-hot tokens with equal queries: most tight multipliers need a choice") {
  // Every group: token t is the unit vector t, token 0 selected; all groups impose the same constraints.
  Tokens x;
  std::vector<Vector> z;
  std::vector<Vector> score;
  for (int i = 0; i < 3; ++i) {
    x.push_back({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}});
    z.push_back({1, 1});
    score.push_back({3, 2, 1, 0});
  }
  const TokenData data = make_data(x, z, score);
  const MarginSolution solution = solve(data, first_tokens(data), Form::automatic);
  REQUIRE(solution.support.has_value());
  CHECK(solution.support->size() == 9);
  CHECK(solution.strictly_complementary == std::optional<bool>(true));
  check_all_forms(data, first_tokens(data));
}

TEST_CASE("groups of one token, one group, two tokens") {
  std::mt19937_64 random(17);
  SpecialCase drawn = draw_special(random, 3, 2, 2, 2);
  drawn.x[1].resize(1);
  drawn.score[1].resize(1);
  check_all_forms(drawn.data(), {0, 0, 1});
  const SpecialCase single = draw_special(random, 1, 5, 3, 1);
  for (std::size_t t = 0; t < 5; ++t) check_all_forms(single.data(), {t});
  check_all_forms(draw_special(random, 6, 2, 3, 3).data(), {0, 1, 0, 1, 0, 1});
}

TEST_CASE("no constraints: feasible, norm zero, vacuously complementary and locally optimal") {
  const TokenData data = make_data({{{1, 2}}, {{3, 4}}}, {{1}, {1}}, {{1}, {1}});
  const MarginSolution solution = solve_margin_problem(data, {0, 0});
  CHECK(solution.feasibility == Feasibility::feasible);
  REQUIRE(solution.exact.has_value());
  CHECK(solution.exact->norm_squared == 0);
  CHECK(solution.support == std::optional(std::vector<Constraint>{}));
  CHECK(solution.locally_optimal == std::optional<bool>(true));
}

TEST_CASE("all data zero is infeasible") {
  check_all_forms(make_data({{{0, 0}, {0, 0}}}, {{0}}, {{1, 0}}), {0});
}

TEST_CASE("the order of groups and tokens does not change verdicts") {
  std::mt19937_64 random(23);
  for (int trial = 0; trial < 40; ++trial) {
    SpecialCase drawn = draw_special(random, 6, 8, 2, 2);
    if (trial % 2 == 0) {  // small integers: ties
      for (auto& group : drawn.x) {
        for (Vector& token : group) {
          for (Rational& entry : token) entry = entry > Rational(1, 6) ? 1 : entry < Rational(-1, 6) ? -1 : 0;
        }
      }
    }
    Selection selection;
    for (std::size_t i = 0; i < 6; ++i) {  // the tokens furthest along a direction: feasible, unless tied
      std::size_t best = 0;
      for (std::size_t t = 1; t < 8; ++t) {
        if (drawn.x[i][t][0] * drawn.z[i][0] > drawn.x[i][best][0] * drawn.z[i][0]) best = t;
      }
      selection.push_back(best);
    }
    const TokenData data = drawn.data();
    const MarginSolution solution = solve(data, selection, Form::automatic);
    reference::check_evidence(data, selection, solution);

    std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
    std::shuffle(order.begin(), order.end(), random);
    SpecialCase permuted;
    Selection permuted_selection;
    std::vector<std::vector<std::size_t>> token_order;
    for (const std::size_t i : order) {
      std::vector<std::size_t> tokens{0, 1, 2, 3, 4, 5, 6, 7};
      std::shuffle(tokens.begin(), tokens.end(), random);
      permuted.x.emplace_back();
      permuted.score.emplace_back();
      permuted.z.push_back(drawn.z[i]);
      for (std::size_t t = 0; t < 8; ++t) {
        permuted.x.back().push_back(drawn.x[i][tokens[t]]);
        permuted.score.back().push_back(drawn.score[i][tokens[t]]);
        if (tokens[t] == selection[i]) permuted_selection.push_back(t);
      }
      token_order.push_back(tokens);
    }
    const TokenData permuted_data = permuted.data();
    const MarginSolution other = solve(permuted_data, permuted_selection, Form::automatic);
    reference::check_evidence(permuted_data, permuted_selection, other);
    REQUIRE(other.feasibility == solution.feasibility);
    CHECK(other.strictly_complementary == solution.strictly_complementary);
    CHECK(other.locally_optimal == solution.locally_optimal);
    if (!solution.support) continue;
    REQUIRE(other.support.has_value());
    std::vector<Constraint> mapped;
    for (const Constraint& c : *other.support)
      mapped.push_back({order[c.group], token_order[c.group][c.token]});
    std::sort(mapped.begin(), mapped.end());
    CHECK(mapped == *solution.support);
  }
}

}  // namespace attest
