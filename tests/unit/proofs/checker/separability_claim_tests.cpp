// Claims about groups left out and rows that move, on hand-made certificates: what is true and just true is
// accepted, what is just false is not, and the printed line says what was checked.
#include <doctest/doctest.h>

#include "tests/unit/proofs/checker/claims.hpp"

using namespace checker_tests;

namespace {

// Prompt problem; differences 1 | -1 | 2 | 1, -1 | none, so groups 0 and 1, and 3 alone, contradict
// themselves.
const std::string opposed =
    R"({"X": [[[1], [0]], [[1], [0]], [[1], [0]], [[2], [1], [0]], [[1]]], "Y": [1, 1, 1, 1, 1],
  "v": [1], "K": [[[1], [0]], [[0], [1]], [[2], [0]], [[0], [-1], [1]], [[7]]]})";

Lines of_problem(const std::string& setting, const std::string& selection, const Lines& claims) {
  return replaced(problem(selection), "setting cross-attention", "setting " + setting) + claims;
}

Lines about_opposed(const Lines& claims) {
  return of_problem("prompt", "5 0 0 0 0 0", claims);
}

void expect_line(const Outcome& outcome, const std::string& line) {
  CAPTURE(outcome.message);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.claims.back().line == line);
}

}  // namespace

TEST_CASE("conflicts") {
  const Lines two = about_opposed({"claim 1 conflicts problem 1 at-least 2", "vector farkas 2 over 1",
                                   "0 1 5", "1 1 5", "vector farkas 2 over 9", "3 1 1", "3 2 1"});
  expect_line(
      check_body(opposed, two),
      "claim 1 conflicts problem 1 at-least 2 setting prompt norm euclidean loss none selection 0 0 0 0 0");
  // A group may have several constraints in one conflict, none in two; the order of the conflicts is free.
  CHECK(check_body(opposed, replaced(replaced(two, "0 1 5", "1 1 10"), "1 1 5", "2 1 5")).status == 0);
  CHECK(check_body(opposed, replaced(two, "0 1 5", "0 1 4")).status == 1);
  CHECK(check_body(opposed, replaced(two, "3 2 1", "3 2 -1")).status == 1);
  CHECK(check_body(opposed, about_opposed({"claim 1 conflicts problem 1 at-least 2", "vector farkas 2 over 1",
                                           "0 1 1", "1 1 1", "vector farkas 2 over 1", "1 1 2", "2 1 1"}))
            .status == 1);
  CHECK(check_body(opposed, replaced(two, "claim 1 conflicts problem 1 at-least 2",
                                     "claim 1 conflicts problem 1 at-least 3"))
            .status == 2);
  CHECK(check_body(opposed, about_opposed({"claim 1 conflicts problem 1 at-least 0"})).status == 1);
}

TEST_CASE("conflicts add nothing that may be cited") {
  const Outcome outcome =
      check_body(opposed, about_opposed({"claim 1 conflicts problem 1 at-least 1", "vector farkas 2 over 1",
                                         "3 1 1", "3 2 1", "claim 2 not-locally-optimal problem 1 from 1"}));
  CHECK(outcome.status == 1);
  CHECK(outcome.message.find("cites claim 1, a claim of kind conflicts") != std::string::npos);
}

TEST_CASE("separable-without") {
  const Lines rest =
      about_opposed({"claim 1 separable-without problem 1 groups 2 1 3", "vector separator 1 over 2",
                     "2 1 1"});  // W = 1: margins 1 and 2 in groups 0 and 2
  const std::string claim = rest[5];
  expect_line(check_body(opposed, rest),
              "claim 1 separable-without problem 1 groups 2 1 3 setting prompt norm euclidean loss none "
              "selection 0 0 0 0 0");
  const auto with = [&](const std::string& groups) {
    return check_body(opposed, replaced(rest, claim, "claim 1 separable-without problem 1 groups " + groups))
        .status;
  };
  CHECK(with("3 1 3 4") == 0);
  CHECK(with("4 0 1 2 3") == 0);
  CHECK(with("5 0 1 2 3 4") == 1);
  CHECK(with("1 1") == 1);
  CHECK(with("1 3") == 1);
  CHECK(with("0") == 1);
  CHECK(with("2 3 1") == 2);
  CHECK(with("2 1 1") == 2);
  CHECK(with("2 1 5") == 2);
  CHECK(with("1 1 3") == 2);
  CHECK(
      check_body(opposed, replaced(rest, "vector separator 1 over 2", "vector separator 1 over 3")).status ==
      1);
}

// Both rows of one_constraint may move towards each other by less than half their distance.
TEST_CASE("robust-radius: tokens move") {
  const Lines optimal = problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 1",
                                               "vector multipliers 1 over 1", "0 1 1"};
  const auto with = [&](const std::string& radius) {
    return check_body(one_constraint,
                      optimal + Lines{"claim 2 robust-radius problem 1 from 1 radius " + radius});
  };
  expect_line(
      with("1*2^-2"),
      "claim 2 robust-radius problem 1 from 1 radius 1*2^-2 setting cross-attention norm euclidean loss "
      "none selection 0");
  CHECK(with("4999999999/10000000000").status == 0);
  CHECK(with("1*2^-1").status == 1);
  CHECK(with("0").status == 1);
  CHECK(with("-1*2^-2").status == 1);
  CHECK(with("1*2^65536").status == 1);
}

// Queries of length 2: the norm of W* is 1/sqrt 2, so R < 1/(2 sqrt 2).
TEST_CASE("robust-radius: queries count") {
  const Lines optimal = problem("2 0 0") + Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1",
                                                 "vector multipliers 2 over 4", "0 1 1", "1 1 1"};
  const auto with = [&](const std::string& radius) {
    return check_body(two_groups, optimal + Lines{"claim 2 robust-radius problem 1 from 1 radius " + radius})
        .status;
  };
  CHECK(with("353553/1000000") == 0);
  CHECK(with("353554/1000000") == 2);  // not in lowest terms
  CHECK(with("176777/500000") == 1);
}

// Tokens (2,0) and (-1,0), the query (2,0): ||dx|| = 3, W* = e1 e1'/6, so (2 R (2 + R) + 3 R)/6 < 1, that is
// 2 R^2 + 7 R < 6: R < (sqrt 97 - 7)/4 = 0.71221445...
TEST_CASE("robust-radius: the query row moves too") {
  const std::string itself = R"({"X": [[[2, 0], [-1, 0]]], "Y": [1], "v": [1, 0], "query": 0})";
  const auto with = [&](const std::string& radius) {
    return check_body(itself, of_problem("self-attention", "1 0",
                                         {"claim 1 optimal problem 1 norm-squared 1/36",
                                          "vector multipliers 1 over 36", "0 1 1",
                                          "claim 2 robust-radius problem 1 from 1 radius " + radius}))
        .status;
  };
  CHECK(with("71221443/100000000") == 0);
  CHECK(with("71221447/100000000") == 1);
  CHECK(with("3/4") == 1);
  CHECK(with("1000") == 1);  // every square large
  CHECK(with("2") == 1);
}

// Tokens on a line, the query the first of them, 1 or 1/2 or 10: with q its length, D the widest difference
// and N the norm, R is asked for N (2 R q + D R + 2 R^2) < 1.
TEST_CASE("robust-radius: roots, the widest difference, fractions of the line's unit") {
  const auto with = [](const std::string& tokens, const Lines& matrix, const std::string& radius) {
    return check_body(R"({"X": [[)" + tokens + R"(]], "Y": [1], "v": [1], "query": 0})",
                      of_problem("self-attention", "1 0",
                                 matrix + Lines{"claim 2 robust-radius problem 1 from 1 radius " + radius}))
        .status;
  };
  const auto optimal = [](const std::string& norm, const std::string& over, const std::string& entry) {
    return Lines{"claim 1 optimal problem 1 norm-squared " + norm, "vector multipliers 1 over " + over,
                 entry};
  };
  // Halves: 4 R + 4 R^2 < 1.
  const Lines halves = optimal("4", "1", "0 1 4");
  CHECK(with(R"(["1/2"], ["-1/2"])", halves, "207/1000") == 0);
  CHECK(with(R"(["1/2"], ["-1/2"])", halves, "26/125") == 1);
  // The first difference is the widest: 2 R^2 + 7 R < 2.
  const Lines second = optimal("1*2^-2", "4", "0 2 1");
  CHECK(with("[2], [-1], [1]", second, "13/50") == 0);
  CHECK(with("[2], [-1], [1]", second, "27/100") == 1);
  // The first root alone is 4.
  const Lines tenth = optimal("1/100", "100", "0 1 1");
  CHECK(with("[10], [9]", tenth, "1/5") == 0);
  CHECK(with("[10], [9]", tenth, "2") == 1);
  // Two roots of 0.708 each, whose squares sum to just below 1.
  const Lines narrow = optimal("625/144", "144", "0 1 625");
  CHECK(with(R"([1], ["13/25"], [-1])", narrow, "1/10") == 0);
  CHECK(with(R"([1], ["13/25"], [-1])", narrow, "17/100") == 1);
  // Roots 4/7, 2/7 and 1/7.
  const Lines exact = {"claim 1 feasible problem 1", "vector separator 1 over 7", "0 1 8"};
  CHECK(with("[1], [0]", exact, "63/256") == 0);
  CHECK(with("[1], [0]", exact, "1*2^-2") == 1);
}

// The query is 1/2, W* = 2: 2 R < 1.
TEST_CASE("robust-radius: a query of half a unit") {
  const auto with = [](const std::string& radius) {
    return check_body(R"({"X": [[[1], [0]]], "Y": [1], "v": [1], "z": [["1/2"]]})",
                      problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 4",
                                             "vector multipliers 1 over 1", "0 1 4",
                                             "claim 2 robust-radius problem 1 from 1 radius " + radius})
        .status;
  };
  CHECK(with("499/1000") == 0);
  CHECK(with("1*2^-1") == 1);
}

// A problem without constraints stays feasible wherever its rows go.
TEST_CASE("robust-radius: no constraints") {
  const Outcome outcome = check_body(
      no_constraints, problem("1 0") + Lines{"claim 1 feasible problem 1", "vector separator 0 over 1",
                                             "claim 2 robust-radius problem 1 from 1 radius 1000"});
  CHECK(outcome.status == 3);
}

TEST_CASE("robust-radius: what may be cited") {
  const Lines enclosed =
      problem("1 0") +
      Lines{"claim 1 optimal-enclosure problem 1 form gap norm-squared 1 4 distance-squared 4",
            "vector primal 1 over 1", "0 1 1", "vector dual 1 over 1", "0 1 1"};
  const auto with = [&](const std::string& claim) {
    return check_body(one_constraint, enclosed + Lines{claim});
  };
  CHECK(with("claim 2 robust-radius problem 1 from 1 radius 249/1000").status == 0);
  CHECK(with("claim 2 robust-radius problem 1 from 1 radius 1*2^-2").status == 1);  // the upper bound counts
  CHECK(with("claim 2 robust-radius problem 1 from 2 radius 1*2^-3").status == 2);
  CHECK(with("claim 2 robust-radius problem 1 from 0 radius 1*2^-3").status == 2);
  const Lines infeasible =
      problem("1 0") + Lines{"claim 1 infeasible problem 1", "vector farkas 2 over 1", "0 1 1", "0 2 1",
                             "claim 2 robust-radius problem 1 from 1 radius 1*2^-3"};
  const Outcome refused = check_body(between, infeasible);
  CHECK(refused.status == 1);
  CHECK(refused.message.find("expected feasible, optimal or optimal-enclosure") != std::string::npos);
}
