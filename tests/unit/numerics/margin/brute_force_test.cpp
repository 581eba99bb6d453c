// The margin solver against a search over all active subsets, on small integer data where ties are
// everywhere.
#include <doctest/doctest.h>

#include <random>

#include "tests/unit/numerics/margin/reference.hpp"

namespace attest {
namespace {

using reference::Vector;

// Entries uniform in {-spread .. spread}; group sizes 1 .. most_tokens; at most 10 constraints in all.
struct Family {
  std::size_t groups;
  std::size_t most_tokens;
  std::size_t d;
  std::size_t e;
  int spread;
};

TokenData draw(const Family& family, std::mt19937_64& random) {
  const auto entry = [&] {
    return Rational(static_cast<int>(random() % (2 * family.spread + 1)) - family.spread);
  };
  std::vector<std::vector<Vector>> x;
  std::vector<Vector> z;
  std::vector<Vector> score;
  for (std::size_t i = 0; i < family.groups; ++i) {
    const std::size_t tokens = 1 + random() % family.most_tokens;
    std::vector<Vector> group;
    Vector scores;
    for (std::size_t t = 0; t < tokens; ++t) {
      Vector token;
      for (std::size_t j = 0; j < family.d; ++j) token.push_back(entry());
      group.push_back(token);
      scores.push_back(entry());
    }
    Vector query;
    for (std::size_t j = 0; j < family.e; ++j) query.push_back(entry());
    x.push_back(group);
    z.push_back(query);
    score.push_back(scores);
  }
  return reference::make_data(x, z, score);
}

Selection draw_selection(const TokenData& data, std::mt19937_64& random) {
  Selection selection;
  for (std::size_t i = 0; i < data.groups(); ++i) selection.push_back(random() % data.tokens(i));
  return selection;
}

}  // namespace

TEST_CASE("margin problems of small integers agree with the search over all active subsets") {
  const Family families[] = {{1, 6, 2, 1, 1}, {2, 4, 2, 1, 2}, {2, 5, 3, 1, 1}, {3, 4, 2, 2, 1},
                             {3, 3, 3, 2, 1}, {2, 5, 4, 1, 1}, {1, 8, 3, 1, 1}, {4, 3, 2, 2, 3}};
  std::mt19937_64 random(20240611);
  int feasible = 0, infeasible = 0, not_complementary = 0, shown_by_other = 0;
  for (const Family& family : families) {
    for (int trial = 0; trial < 60; ++trial) {
      const TokenData data = draw(family, random);
      const Selection selection = draw_selection(data, random);
      const reference::Answer answer = reference::brute_force(data, selection);
      for (const Form form : {Form::automatic, Form::exact, Form::enclosure}) {
        MarginOptions options;
        options.form = form;
        const MarginSolution solution = solve_margin_problem(data, selection, options);
        reference::check_against(answer, data, selection, solution);
        if (form != Form::exact) continue;
        feasible += solution.feasibility == Feasibility::feasible;
        infeasible += solution.feasibility == Feasibility::infeasible;
        not_complementary += solution.strictly_complementary == std::optional<bool>(false);
        shown_by_other += solution.complementary_multipliers.has_value();
      }
    }
  }
  // The families must exercise every outcome.
  CHECK(feasible > 50);
  CHECK(infeasible > 50);
  CHECK(not_complementary > 5);
  CHECK(shown_by_other > 5);
}

}  // namespace attest
