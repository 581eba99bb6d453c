// Infeasibility from a combination that nearly vanishes, and bounds of the margin, on hand-made certificates:
// what is just true is accepted, what is just false is not.
#include <doctest/doctest.h>

#include "tests/unit/proofs/checker/claims.hpp"

using namespace checker_tests;

namespace {

Lines about(const std::string& selection, const Lines& claims) {
  return replaced(problem(selection), "setting cross-attention", "setting prompt") + claims;
}

// Differences 1 | -1 | 2 on the line.
const std::string line =
    R"({"X": [[[1], [0]], [[1], [0]], [[1], [0]]], "Y": [1, 1, 1], "v": [1],
  "K": [[[1], [0]], [[0], [1]], [[2], [0]]]})";

// Differences (1,0) | (-1,1/1024) | (0,1), feasible.
const std::string feasible_plane =
    R"({"X": [[[1], [0]], [[1], [0]], [[1], [0]]], "Y": [1, 1, 1], "v": [1],
  "K": [[[1, 0], [0, 0]], [[0, 0.0009765625], [1, 0]], [[0, 1], [0, 0]]]})";

// Differences (2,0) | (0,2) | (-1,-1), infeasible.
const std::string plane =
    R"({"X": [[[1], [0]], [[1], [0]], [[1], [0]]], "Y": [1, 1, 1], "v": [1],
  "K": [[[2, 0], [0, 0]], [[0, 2], [0, 0]], [[0, 0], [1, 1]]]})";

// Differences (1,1) | (-2,-2): of rank one in the plane.
const std::string flat =
    R"({"X": [[[1], [0]], [[1], [0]]], "Y": [1, 1], "v": [1],
  "K": [[[1, 1], [0, 0]], [[0, 0], [2, 2]]]})";

int status(const std::string& instance, const Lines& body) {
  const Outcome outcome = check_body(instance, body);
  CAPTURE(outcome.message);
  return outcome.status;
}

}  // namespace

// Differences 1 and 1/1024, one group.
TEST_CASE("a short combination of others, or of large multipliers, shows nothing") {
  const std::string uneven = R"({"X": [[[0], [-1], ["-1/1024"]]], "Y": [1], "v": [1], "z": [[1]]})";
  const auto spanned = [&](const Lines& combination) {
    return status(uneven, problem("1 0") + Lines{"claim 1 infeasible problem 1"} + combination +
                              Lines{"spanning 3/4 bits 29 1", "0 1"});
  };
  CHECK(spanned({"vector combination 1 over 1", "0 2 1"}) == 1);
  CHECK(spanned({"vector combination 1 over 4", "0 1 1"}) == 1);
  CHECK(spanned({"vector combination 1 over 1024", "0 1 1"}) == 1);
}

TEST_CASE("a combination that vanishes by a negative multiplier shows nothing") {
  const std::string uneven = R"({"X": [[[0], [-1], ["-1/1024"]]], "Y": [1], "v": [1], "z": [[1]]})";
  CHECK(status(uneven, problem("1 0") + Lines{"claim 1 infeasible problem 1", "vector farkas 2 over 1",
                                              "0 1 -1", "0 2 1024"}) == 1);
}

TEST_CASE("infeasible by a spanning row on a line") {
  const Lines claim = about("3 0 0 0", {"claim 1 infeasible problem 1", "vector combination 2 over 1",
                                        "0 1 7", "1 1 5", "spanning 3/4 bits 29 1", "1 1"});
  const Outcome outcome = check_body(line, claim);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.claims.back().line ==
        "claim 1 infeasible problem 1 setting prompt norm euclidean loss none selection 0 0 0");
  // ||W||^2 = 4 must be below S l^2.
  CHECK(status(line, replaced(claim, "spanning 3/4 bits 29 1", "spanning 4/25 bits 29 1")) == 1);
  CHECK(status(line, replaced(claim, "spanning 3/4 bits 29 1", "spanning 41/256 bits 29 1")) == 0);
  CHECK(status(line, replaced(claim, "spanning 3/4 bits 29 1", "spanning 17/16 bits 29 1")) == 1);
  CHECK(status(line, replaced(claim, "spanning 3/4 bits 29 1", "spanning 0 bits 29 1")) == 1);
  CHECK(status(line, replaced(claim, "spanning 3/4 bits 29 1", "spanning -3/4 bits 29 1")) == 1);
  CHECK(status(line, replaced(claim, "spanning 3/4 bits 29 1", "spanning 3/4 bits 28 1")) == 2);
  CHECK(status(line, replaced(claim, "spanning 3/4 bits 29 1", "spanning 3/4 bits 4097 1")) == 2);
  CHECK(status(line, replaced(claim, "spanning 3/4 bits 29 1", "spanning 3/4 bits 29 2")) == 2);
  CHECK(status(line, replaced(claim, "0 1 7", "0 1 -7")) == 1);
  CHECK(status(line, replaced(claim, "vector combination 2 over 1", "vector separator 2 over 1")) == 2);
  // The spanning row has to be one of the combination's.
  CHECK(status(line, replaced(replaced(claim, "spanning 3/4 bits 29 1", "spanning 3 bits 29 1"), "1 1",
                              "2 1")) == 1);
  CHECK(status(line, about("3 0 0 0", {"claim 1 infeasible problem 1", "vector combination 2 over 1", "0 1 7",
                                       "1 1 5", "spanning 3/4 bits 29 0"})) == 1);
  CHECK(status(line, about("3 0 0 0", {"claim 1 infeasible problem 1", "vector combination 0 over 1",
                                       "spanning 3/4 bits 29 0"})) == 1);
}

TEST_CASE("infeasible: too few rows to span prove nothing") {
  // The combination (0, 1000/1024) is short beside the row (1, 0), but not in its span; the problem is
  // feasible.
  const Lines few = about("3 0 0 0", {"claim 1 infeasible problem 1", "vector combination 2 over 1",
                                      "0 1 1000", "1 1 1000", "spanning 1/2 bits 29 1", "0 1"});
  CHECK(status(feasible_plane, few) == 1);
  const Lines shorter = about("3 0 0 0", {"claim 1 infeasible problem 1", "vector combination 3 over 1",
                                          "0 1 1000", "1 1 1000", "2 1 1", "spanning 1/2 bits 29 1", "0 1"});
  CHECK(status(feasible_plane, shorter) == 1);
  const Lines two =
      about("3 0 0 0", {"claim 1 infeasible problem 1", "vector combination 3 over 1", "0 1 501", "1 1 499",
                        "2 1 1000", "spanning 3 bits 29 2", "0 1", "1 1"});
  CHECK(status(plane, two) == 0);
  CHECK(status(plane, about("3 0 0 0", {"claim 1 infeasible problem 1", "vector combination 3 over 1",
                                        "0 1 501", "1 1 499", "2 1 1000", "spanning 3 bits 29 1", "0 1"})) ==
        1);
}

TEST_CASE("infeasible: elimination finds the rank where the trivial bounds do not") {
  const Lines one = about("2 0 0", {"claim 1 infeasible problem 1", "vector combination 2 over 1", "0 1 20",
                                    "1 1 9", "spanning 3/2 bits 64 1", "0 1"});
  CHECK(status(flat, one) == 0);
  CHECK(status(flat, replaced(one, "0 1 20", "0 1 200")) == 1);
}

TEST_CASE("infeasible: queries span, too") {
  const auto instance = [](const std::string& query) {
    return R"({"X": [[[1], [0]], [[0], [1]]], "Y": [1, 1], "v": [1], "z": [[1, 0], )" + query + "]}";
  };
  const Lines one = problem("2 0 0") + Lines{"claim 1 infeasible problem 1",
                                             "vector combination 2 over 1",
                                             "0 1 1000",
                                             "1 1 1000",
                                             "spanning 1/2 bits 29 1",
                                             "0 1"};
  CHECK(status(instance("[1, 0.0009765625]"), one) == 1);
  CHECK(status(instance("[1, 0]"), one) == 0);
  CHECK(status(instance("[0.9990234375, 0]"), one) == 0);
}

TEST_CASE("margin-at-most") {
  // r = (10, 8) / 8, sum 10 / 8: the bound is sqrt(164) / 10.
  const std::string data =
      R"({"X": [[[1], [0]], [[1], [0]]], "Y": [1, 1], "v": [1], "K": [[[1, 2], [0, 0]], [[1, -2], [0, 0]]]})";
  const Lines claim = about("2 0 0", {"claim 1 margin-at-most problem 1 bound 13/10",
                                      "vector combination 2 over 8", "0 1 7", "1 1 3"});
  const Outcome outcome = check_body(data, claim);
  CAPTURE(outcome.message);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.claims.back().line ==
        "claim 1 margin-at-most problem 1 bound 13/10 setting prompt norm euclidean loss none selection 0 0");
  const auto with = [&](const std::string& bound) {
    return status(data, replaced(claim, "claim 1 margin-at-most problem 1 bound 13/10",
                                 "claim 1 margin-at-most problem 1 bound " + bound));
  };
  CHECK(with("32/25") == 1);
  CHECK(with("1281/1000") == 0);
  CHECK(with("0") == 1);
  CHECK(with("-2") == 1);
  CHECK(status(data, replaced(claim, "1 1 3", "1 1 -3")) == 1);
  CHECK(status(data, about("2 0 0", {"claim 1 margin-at-most problem 1 bound 1",
                                     "vector combination 0 over 1"})) == 1);
  CHECK(status(data, about("2 0 0", {"claim 1 margin-at-most problem 1 bound 1",
                                     "vector combination 2 over 1", "0 1 1", "1 1 1"})) == 0);
  // It says nothing of feasibility.
  CHECK(status(data, claim + Lines{"claim 2 not-locally-optimal problem 1 from 1"}) == 1);
}
