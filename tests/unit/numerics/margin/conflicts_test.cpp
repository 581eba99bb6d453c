// Conflicts and what is separable without them, against dense rational vectors and every subset of the
// groups.
#include "numerics/margin/conflicts.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "numerics/margin/group_margins.hpp"
#include "numerics/margin/robust_radius.hpp"
#include "numerics/problem/group_subset.hpp"
#include "numerics/problem/token_classes.hpp"
#include "tests/unit/numerics/margin/reference.hpp"

using namespace attest;
using reference::Vector;

namespace {

TokenData small_data(std::mt19937_64& random, std::size_t groups, std::size_t tokens, std::size_t d,
                     std::size_t e) {
  return reference::drawn_data([&] { return Rational(static_cast<long>(random() % 7) - 3); }, groups, tokens,
                               d, e);
}

// sum value_c Delta_c of the whole problem.
Vector combined(const TokenData& data, const Selection& selection, const ConstraintVector& values) {
  const std::vector<Constraint> all = constraints(data, selection);
  const std::vector<Vector> deltas = reference::constraint_vectors(data, selection);
  Vector sum(deltas.empty() ? 0 : deltas[0].size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto at =
        static_cast<std::size_t>(std::find(all.begin(), all.end(), values.constraint[k]) - all.begin());
    REQUIRE(at < all.size());
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += values.value(k) * deltas[at][j];
  }
  return sum;
}

bool separable(const TokenData& data, const Selection& selection, const std::vector<std::size_t>& groups) {
  const GroupSubset subset = group_subset(data, selection, groups);
  return reference::brute_force(subset.data, subset.selection).feasible;
}

void check_conflict(const TokenData& data, const Selection& selection, const Conflict& conflict) {
  std::set<std::size_t> groups;
  for (std::size_t k = 0; k < conflict.farkas.size(); ++k) {
    CHECK(conflict.farkas.numerator[k] > 0);
    groups.insert(conflict.farkas.constraint[k].group);
  }
  CHECK(std::vector<std::size_t>(groups.begin(), groups.end()) == conflict.groups);
  for (const Rational& entry : combined(data, selection, conflict.farkas)) CHECK(entry == 0);
  // Without any one of its groups there is none.
  for (std::size_t k = 0; conflict.groups.size() > 1 && k < conflict.groups.size(); ++k) {
    std::vector<std::size_t> rest = conflict.groups;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    CHECK(separable(data, selection, rest));
  }
}

void check_drop(const TokenData& data, const Selection& selection, const DropSet& drop) {
  const Vector w = combined(data, selection, drop.separator);
  const std::vector<Vector> deltas = reference::constraint_vectors(data, selection);
  std::size_t c = 0;
  for (const Constraint& row : constraints(data, selection)) {
    const bool left_out = std::binary_search(drop.groups.begin(), drop.groups.end(), row.group);
    if (!left_out) CHECK(reference::dot(w, deltas[c]) >= 1);
    ++c;
  }
}

// The fewest groups that must go, by trying all subsets.
std::size_t fewest_to_drop(const TokenData& data, const Selection& selection) {
  std::size_t best = data.groups();
  for (unsigned kept = 1; kept < 1u << data.groups(); ++kept) {
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < data.groups(); ++i) {
      if ((kept >> i & 1) != 0) groups.push_back(i);
    }
    if (data.groups() - groups.size() < best && separable(data, selection, groups))
      best = data.groups() - groups.size();
  }
  return best;
}

}  // namespace

TEST_CASE("conflicts are disjoint, exact and irreducible; what must go lies between the two bounds" *
          doctest::test_suite("long")) {
  std::mt19937_64 random(11);
  int infeasible = 0, several = 0, exact = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const TokenData data = small_data(random, 6, 3, 2, round % 3 == 0 ? 1 : 2);
    const Selection selection = best_selection(data);
    const bool feasible = reference::brute_force(data, selection).feasible;
    const Explanation why = explain_infeasibility(data, selection, nullptr, Budget());
    CHECK(why.reason.empty());
    std::set<std::size_t> seen;
    for (const Conflict& conflict : why.conflicts) {
      check_conflict(data, selection, conflict);
      for (const std::size_t group : conflict.groups) CHECK(seen.insert(group).second);
    }
    CHECK(why.conflicts.empty() == feasible);
    const std::size_t fewest = fewest_to_drop(data, selection);
    CHECK(why.conflicts.size() <= fewest);
    if (why.drop) {
      check_drop(data, selection, *why.drop);
      CHECK(why.drop->groups.size() >= fewest);
      exact += why.drop->groups.size() == fewest;
    }
    CHECK((why.drop.has_value() || fewest == data.groups()));
    for (std::size_t i = 0; i < data.groups(); ++i) {
      const bool named = std::any_of(
          why.conflicts.begin(), why.conflicts.end(),
          [&](const Conflict& conflict) { return conflict.groups == std::vector<std::size_t>{i}; });
      CHECK(named == !separable(data, selection, {i}));
    }
    infeasible += !feasible;
    several += why.conflicts.size() > 1;
  }
  CHECK(infeasible > 20);
  CHECK(several > 10);
  CHECK(exact > 50);  // the fewest, nearly always
}

TEST_CASE("no rows, one group, a budget that is over") {
  const TokenData lonely = reference::make_data({{{1, 0}}, {{2, 1}}}, {{1}, {1}}, {{0}, {0}});
  CHECK(explain_infeasibility(lonely, {0, 0}, nullptr, Budget()).conflicts.empty());
  const TokenData between = reference::make_data({{{0}, {1}, {-1}}}, {{1}}, {{1, 0, 0}});
  const Explanation why = explain_infeasibility(between, {0}, nullptr, Budget());
  REQUIRE(why.conflicts.size() == 1);
  check_conflict(between, {0}, why.conflicts[0]);
  CHECK_FALSE(why.drop);
  Budget over;
  over.stop_when([] { return true; });
  const Explanation none = explain_infeasibility(between, {0}, nullptr, over);
  CHECK(none.conflicts.empty());
  CHECK(none.reason.starts_with("interrupted"));
}

TEST_CASE("margins of groups and the robust radius enclose what dense arithmetic finds") {
  std::mt19937_64 random(3);
  int feasible = 0;
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const TokenData data = small_data(random, 3, 3, 4, 2);
    const Selection selection = best_selection(data);
    const reference::Answer answer = reference::brute_force(data, selection);
    for (const Form form : {Form::exact, Form::enclosure}) {
      MarginOptions options;
      options.form = form;
      const MarginSolution solution = solve_margin_problem(data, selection, options);
      const auto margins = group_margins(data, selection, solution, Budget());
      const std::vector<GroupShare> of_groups = group_shares(solution);
      const auto radius = robust_radius(data, selection, solution, false, Budget());
      CHECK(margins.empty() == !answer.feasible);
      CHECK(radius.has_value() == answer.feasible);
      if (!answer.feasible) continue;
      ++feasible;
      const std::vector<Vector> deltas = reference::constraint_vectors(data, selection);
      std::vector<Rational> least(data.groups(), -1);
      std::size_t c = 0;
      for (const Constraint& row : constraints(data, selection)) {
        const Rational margin = reference::dot(answer.w, deltas[c++]);
        if (least[row.group] < 0 || margin < least[row.group]) least[row.group] = margin;
      }
      Rational shares = 0;
      for (std::size_t i = 0; i < data.groups(); ++i) {
        REQUIRE(margins[i]);
        CHECK(margins[i]->least.lo <= least[i]);
        CHECK(least[i] <= margins[i]->least.hi);
        CHECK(margins[i]->least.hi - margins[i]->least.lo < Rational(1, 1000000));
      }
      for (std::size_t k = 0; k < of_groups.size(); ++k) {
        CHECK((k == 0 || of_groups[k - 1].group < of_groups[k].group));
        shares += of_groups[k].share.hi;
      }
      CHECK(shares >= 1);
      CHECK(shares < Rational(1000001, 1000000));
      Rational longest = 0;
      for (std::size_t i = 0; i < data.groups(); ++i)
        longest = std::max(longest, exact_dot(data.query_factor, i, data.query_factor, i, 2));
      const Rational norm_squared = reference::dot(answer.w, answer.w);
      CHECK(4 * radius->lo * radius->lo * norm_squared * longest < 1);
      CHECK(4 * radius->lo * radius->lo * norm_squared * longest > Rational(999999, 1000000));
      CHECK(radius->lo <= radius->hi);
    }
  }
  CHECK(feasible > 20);
}

TEST_CASE("in a prompt problem the robust radius is half the margin") {
  const TokenData data =
      reference::make_data({{{3, 1}, {0, 0}, {1, 2}}, {{2, 2}, {1, 0}}}, {{1}, {1}}, {{1, 0, 0}, {1, 0}});
  const MarginSolution solution = solve_margin_problem(data, {0, 0});
  const auto radius = robust_radius(data, {0, 0}, solution, false, Budget());
  REQUIRE(radius);
  CHECK(radius->hi - radius->lo < Rational(1, 1000000000));
  REQUIRE(solution.exact);
  const Rational quarter = Rational(1, 4) / solution.exact->norm_squared;
  CHECK(radius->lo * radius->lo <= quarter);
  CHECK(quarter <= radius->hi * radius->hi);
}

TEST_CASE("equal tokens and tied best scores") {
  TokenData data =
      reference::make_data({{{1, 2}, {0, 0}, {1, 2}, {0, 0}, {1, 2}}, {{1, 2}, {Rational(1, 3), 2}}},
                           {{1}, {0}}, {{3, 1, 3, 1, 3}, {Rational(1, 7), Rational(1, 7)}});
  merge_equal_tokens(data, {});
  CHECK(equal_tokens(data) == std::vector<TokenClass>{{0, {0, 2, 4}}, {0, {1, 3}}});
  CHECK(best_score_ties(data) == std::vector<TokenClass>{{1, {0, 1}}});
}
