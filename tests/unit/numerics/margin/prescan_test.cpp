// The linear scan for zero and opposite rows, and problems by shared query.
#include "numerics/margin/prescan.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "numerics/margin/shared_query.hpp"
#include "tests/unit/numerics/margin/reference.hpp"

namespace attest {
namespace {

using reference::combine;
using reference::make_data;
using reference::random_vector;
using reference::Vector;

struct ScannedCase {
  std::vector<std::vector<Vector>> x;
  std::vector<Vector> z;
  TokenData data() const {
    std::vector<Vector> score;
    for (const auto& group : x) score.emplace_back(group.size(), Rational(0));
    return make_data(x, z, score);
  }
};

ScannedCase draw_scanned(std::mt19937_64& random, std::size_t groups, std::size_t tokens, std::size_t d,
                         std::size_t e) {
  ScannedCase drawn;
  for (std::size_t i = 0; i < groups; ++i) {
    drawn.x.emplace_back();
    for (std::size_t t = 0; t < tokens; ++t) drawn.x.back().push_back(random_vector(random, d));
    drawn.z.push_back(random_vector(random, e));
  }
  return drawn;
}

// An exact Farkas vector with increasing constraints, whose groups are as stated.
void check_scanned(const TokenData& data, const Selection& selection, const Conflict& conflict) {
  MarginSolution solution;
  solution.feasibility = Feasibility::infeasible;
  solution.farkas = conflict.farkas;
  solution.locally_optimal = false;
  reference::check_evidence(data, selection, solution);
  CHECK(conflict.groups == make_conflict(conflict.farkas).groups);
}

MarginPrescan scan(const ScannedCase& drawn) {
  const TokenData data = drawn.data();
  const Selection selection(data.groups(), 0);
  MarginPrescan found = prescan_margin_problem(data, selection, Budget());
  for (const Conflict& conflict : found.conflicts) check_scanned(data, selection, conflict);
  return found;
}

}  // namespace

TEST_CASE("prescan: nothing in general position") {
  std::mt19937_64 random(1);
  const MarginPrescan found = scan(draw_scanned(random, 6, 4, 3, 2));
  CHECK(found.conflicts.empty());
  CHECK(found.zero_rows.empty());
  CHECK(found.zero_queries.empty());
}

TEST_CASE("prescan: zero queries and duplicates of the selected token, one conflict a group") {
  std::mt19937_64 random(2);
  ScannedCase drawn = draw_scanned(random, 5, 4, 3, 2);
  drawn.z[1] = Vector(2, Rational(0));
  drawn.x[3][2] = drawn.x[3][0];
  drawn.x[4].resize(1);
  drawn.z[4] = Vector(2, Rational(0));
  const MarginPrescan found = scan(drawn);
  CHECK(found.zero_queries == std::vector<std::size_t>{1});
  CHECK(found.zero_rows == std::vector<Constraint>{{1, 1}, {1, 2}, {1, 3}, {3, 2}});
  REQUIRE(found.conflicts.size() == 2);
  CHECK(found.conflicts[0].farkas.constraint == std::vector<Constraint>{{1, 1}});
  CHECK(found.conflicts[1].farkas.constraint == std::vector<Constraint>{{3, 2}});
}

TEST_CASE("prescan: opposite rows, scaled, in one group and in two") {
  std::mt19937_64 random(3);
  ScannedCase drawn = draw_scanned(random, 6, 3, 3, 2);
  SUBCASE("the selected token between two others, at a third of the way") {
    drawn.x[2][0] = combine(drawn.x[2][1], Rational(1, 3), drawn.x[2][2], Rational(2, 3));
    const MarginPrescan found = scan(drawn);
    REQUIRE(found.conflicts.size() == 1);
    CHECK(found.conflicts[0].farkas.constraint == std::vector<Constraint>{{2, 1}, {2, 2}});
  }
  SUBCASE("equal tokens, query of the other sign and another length") {
    drawn.x[4] = drawn.x[1];
    drawn.z[4] = combine(drawn.z[1], Rational(-3, 7), drawn.z[1], Rational(0));
    const MarginPrescan found = scan(drawn);
    REQUIRE(found.conflicts.size() == 1);
    CHECK(found.conflicts[0].groups == std::vector<std::size_t>{1, 4});
  }
  SUBCASE("many groups of two directions: as many disjoint pairs as fit") {
    for (std::size_t i = 1; i < 6; ++i) {
      drawn.x[i] = drawn.x[0];
      drawn.z[i] = drawn.z[0];
      if (i >= 4) std::swap(drawn.x[i][0], drawn.x[i][1]);
    }
    CHECK(scan(drawn).conflicts.size() == 2);
  }
  SUBCASE("first entries that vanish") {
    for (std::size_t i = 0; i < 6; ++i) {
      for (Vector& token : drawn.x[i]) token[0] = 0;
      drawn.z[i] = {Rational(0), Rational(static_cast<int>(i) + 1)};
    }
    drawn.x[5][0] = drawn.x[0][1];
    drawn.x[5][1] = drawn.x[0][0];
    CHECK(scan(drawn).conflicts.size() == 1);
  }
}

TEST_CASE("shared queries: classes up to a factor, conflicts lifted") {
  std::mt19937_64 random(4);
  // Four groups of three tokens with one query, in the plane: eight rows of R^2, nearly always a conflict.
  int conflicts = 0;
  for (int round = 0; round < 20; ++round) {
    ScannedCase drawn = draw_scanned(random, 5, 3, 2, 3);
    drawn.z[2] = combine(drawn.z[0], Rational(2, 3), drawn.z[0], Rational(0));
    drawn.z[3] = combine(drawn.z[0], Rational(-5), drawn.z[0], Rational(0));
    drawn.z[4] = Vector(3, Rational(0));
    drawn.x[4].resize(1);
    const TokenData data = drawn.data();
    const std::vector<QueryClass> classes = query_classes(data, Budget());
    REQUIRE(classes.size() == 2);
    CHECK(classes[0].groups == std::vector<std::size_t>{0, 2, 3});
    CHECK(classes[0].factor == std::vector<Rational>{1, Rational(2, 3), -5});
    const Selection selection(5, 0);
    const SharedQueryConflicts found = shared_query_conflicts(data, selection, {}, 10, Budget());
    CHECK(found.complete);
    std::vector<bool> seen(5, false);
    for (const Conflict& conflict : found.conflicts) {
      check_scanned(data, selection, conflict);
      CHECK(conflict.farkas.size() <= 3);
      for (const std::size_t group : conflict.groups) {
        CHECK_FALSE(seen[group]);
        seen[group] = true;
      }
    }
    // The class is infeasible exactly when its rows alone are.
    std::vector<std::vector<Vector>> part = {drawn.x[0], drawn.x[2], drawn.x[3]};
    std::vector<Vector> queries = {drawn.z[0], drawn.z[2], drawn.z[3]};
    std::vector<Vector> score(3, Vector(3, Rational(0)));
    const TokenData alone = make_data(part, queries, score);
    CHECK(found.conflicts.empty() == reference::brute_force(alone, Selection(3, 0)).feasible);
    if (!found.conflicts.empty()) {
      ++conflicts;
      CHECK(solve_margin_problem(data, selection).farkas->constraint ==
            found.conflicts.front().farkas.constraint);
    }
  }
  CHECK(conflicts > 5);
  CHECK(conflicts < 20);
}

}  // namespace attest
