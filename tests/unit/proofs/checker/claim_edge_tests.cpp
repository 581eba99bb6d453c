// False claims that fail in one condition alone: whatever else is asked of them holds.
#include <doctest/doctest.h>

#include "tests/unit/proofs/checker/claims.hpp"

using namespace checker_tests;

namespace {

// Delta = 1 with equal scores.
const std::string tied = R"({"X": [[[2], [1]]], "Y": [1], "v": [0], "z": [[1]]})";

Lines edge_enclosure(const std::string& selection, const std::string& bounds, const std::string& eigenvalue,
                     const Lines& multipliers) {
  return problem(selection) +
         Lines{"claim 1 optimal-enclosure problem 1 form lambda-min norm-squared " + bounds,
               "lambda-min " + eigenvalue + " bits 29"} +
         multipliers;
}

int edge_status(const std::string& instance, const Lines& body) {
  return check_body(instance, body).status;
}

}  // namespace

TEST_CASE("a combination that vanishes with a negative coefficient, or nearly, is no witness") {
  const auto farkas = [](const std::string& instance, const std::string& over, const std::string& first,
                         const std::string& second) {
    const bool twins = instance == twin_groups;
    return edge_status(instance, problem(twins ? "2 0 0" : "1 0") +
                                     Lines{"claim 1 infeasible problem 1", "vector farkas 2 over " + over,
                                           "0 1 " + first, (twins ? "1 1 " : "0 2 ") + second});
  };
  CHECK(farkas(twin_groups, "1", "1", "-1") == 1);
  CHECK(farkas(between, "2^200", "1267650600228229401496703205376", "1267650600228229401496703205376") == 0);
  CHECK(farkas(between, "2^200", "1267650600228229401496703205376", "1267650600228229401496703205377") == 1);
}

TEST_CASE("a feasible matrix whose multipliers sum to the stated norm, one of them where the margin is 2") {
  const auto optimal = [](const std::string& norm, const std::string& first) {
    return edge_status(two_groups,
                       problem("2 0 0") + Lines{"claim 1 optimal problem 1 norm-squared " + norm,
                                                "vector multipliers 2 over 2^2", "0 1 " + first, "1 1 1"});
  };
  CHECK(optimal("1*2^-1", "1") == 0);
  CHECK(optimal("3*2^-2", "2") == 1);
}

TEST_CASE("a dual value above the optimum, by a negative coefficient") {
  // Delta = (1, 0) and (2, 1): W* = (1, 0), norm 1; both margins are 1 at (1, -1), of squared norm 2.
  const std::string instance = R"({"X": [[[0, 0], [-1, 0], [-2, -1]]], "Y": [1], "v": [1, 0], "z": [[1]]})";
  const auto gap = [&](const std::string& norm, const Lines& dual) {
    return edge_status(instance, problem("1 0") +
                                     Lines{"claim 1 optimal-enclosure problem 1 form gap norm-squared " +
                                               norm + " distance-squared 0",
                                           "vector primal 1 over 1", "0 1 1"} +
                                     dual);
  };
  CHECK(gap("1 1", {"vector dual 1 over 1", "0 1 1"}) == 0);
  CHECK(gap("2 2", {"vector dual 2 over 1", "0 1 3", "0 2 -1"}) == 1);
}

TEST_CASE("a feasible matrix with tight margins that a negative multiplier makes") {
  // As above: both margins of (1, -1) are 1, its squared norm is the sum 3 - 1.
  const std::string instance = R"({"X": [[[0, 0], [-1, 0], [-2, -1]]], "Y": [1], "v": [1, 0], "z": [[1]]})";
  CHECK(edge_status(instance, problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 2",
                                                     "vector multipliers 2 over 1", "0 1 3", "0 2 -1"}) == 1);
}

TEST_CASE("an enclosure of the solution without a constraint that it violates") {
  const auto listed = [](const std::string& bounds, const Lines& multipliers) {
    return edge_status(two_groups,
                       edge_enclosure("2 0 0", bounds + " radius 0 multiplier-radius 0", "7/2", multipliers));
  };
  CHECK(listed("1*2^-1 1*2^-1", {"vector multipliers 2 over 2^2", "0 1 1", "1 1 1"}) == 0);
  CHECK(listed("1*2^-2 1*2^-2", {"vector multipliers 1 over 2^2", "0 1 1"}) == 1);
}

TEST_CASE("a constraint that is not listed is slack all over the ball of an enclosure") {
  // Delta = 1 and 33/32: at W~ = 1 the second has the margin 33/32, which falls by 33/32 of a radius.
  const std::string instance = R"({"X": [[[0], [-1], [-1.03125]]], "Y": [1], "v": [1], "z": [[1]]})";
  const auto within = [&](const std::string& radius) {
    return edge_status(instance, edge_enclosure("1 0", "1 2 radius " + radius + " multiplier-radius 0",
                                                "1*2^-1", {"vector multipliers 1 over 1", "0 1 1"}));
  };
  CHECK(within("1/34") == 0);
  CHECK(within("1/33") == 1);
  CHECK(within("1*2^-4") == 1);
  CHECK(within("1*2^-1") == 1);
}

TEST_CASE("the Gram matrix of two groups has the queries of both") {
  // Delta = (2, 0) and (0, 1): the least eigenvalue is 1.
  const std::string instance =
      R"({"X": [[[1, 0], [0, 0]], [[0, 1], [0, 0]]], "Y": [1, 1], "v": [1, 1], "z": [[2], [1]]})";
  const auto least = [&](const std::string& eigenvalue) {
    return edge_status(instance,
                       edge_enclosure("2 0 0", "5*2^-2 5*2^-2 radius 0 multiplier-radius 0", eigenvalue,
                                      {"vector multipliers 2 over 2^2", "0 1 1", "1 1 4"}));
  };
  CHECK(least("7*2^-3") == 0);
  CHECK(least("2") == 1);
}

TEST_CASE("the support of an enclosure has no multipliers to compare with") {
  const Lines support = edge_enclosure("2 0 0", "1*2^-1 1*2^-1 radius 0 multiplier-radius 0", "7/2",
                                       {"vector multipliers 2 over 2^2", "0 1 1", "1 1 1"}) +
                        Lines{"claim 2 support problem 1 from 1 size 2", "0 1", "1 1"};
  CHECK(edge_status(two_groups, support + Lines{"claim 3 strictly-complementary problem 1 from 2",
                                                "vector multipliers 2 over 2^2", "0 1 1", "1 1 1"}) == 1);
  CHECK(edge_status(two_groups, support + Lines{"claim 3 not-strictly-complementary problem 1 from 2 at 0 1",
                                                "vector direction 1 over 1", "0 1 1"}) == 1);
}

TEST_CASE("multipliers of the same matrix, one of them negative, are not strict") {
  const auto strict = [](const std::string& first, const std::string& second) {
    return edge_status(
        twin_groups,
        problem("2 0 0") + Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1",
                                 "1 1 1", "claim 2 support problem 1 from 1 size 2", "0 1", "1 1",
                                 "claim 3 strictly-complementary problem 1 from 2",
                                 "vector multipliers 2 over 3", "0 1 " + first, "1 1 " + second});
  };
  CHECK(strict("1", "2") == 0);
  CHECK(strict("4", "-1") == 1);
}

TEST_CASE("a direction that leaves another constraint of the support shows nothing") {
  // Delta = (1, 0), (1, 1), (1, -1), all tight at (1, 0), which is half the sum of the last two.
  const std::string instance =
      R"({"X": [[[0, 0], [-1, 0], [-1, -1], [-1, 1]]], "Y": [1], "v": [1, 0], "z": [[1]]})";
  CHECK(edge_status(
            instance,
            problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1",
                                   "0 1 1", "claim 2 support problem 1 from 1 size 3", "0 1", "0 2", "0 3",
                                   "claim 3 not-strictly-complementary problem 1 from 2 at 0 2",
                                   "vector direction 2 over 1", "0 1 -1", "0 2 1"}) == 1);
}

TEST_CASE("a constraint outside the support is not idle in it") {
  // Delta = 2 and 1, the second tight: nothing strict has to be shown of the first.
  const std::string instance = R"({"X": [[[0], [-2], [-1]]], "Y": [1], "v": [1], "z": [[1]]})";
  const Lines support =
      problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1",
                             "0 2 1", "claim 2 support problem 1 from 1 size 1", "0 2"};
  CHECK(edge_status(instance, support) == 0);
  CHECK(edge_status(instance, support + Lines{"claim 3 not-strictly-complementary problem 1 from 2 at 0 1",
                                              "vector direction 0 over 1"}) == 1);
}

TEST_CASE("a tied token in the support of an enclosure, or as near as its radius") {
  const Lines local = {"claim 2 locally-optimal problem 1 from 1"};
  CHECK(edge_status(tied, edge_enclosure("1 0", "1 1 radius 0 multiplier-radius 0", "1*2^-1",
                                         {"vector multipliers 1 over 1", "0 1 1"}) +
                              local) == 1);
  const Lines nearly = edge_enclosure("1 0", "0 2 radius 1*2^-10 multiplier-radius 1*2^-10", "1*2^-1",
                                      {"vector multipliers 1 over 2^20", "0 1 1048577"});
  CHECK(edge_status(tied, nearly) == 0);
  CHECK(edge_status(tied, nearly + local) == 1);
}

TEST_CASE("a better token outside the support does not refute local optimality") {
  // Delta = 1 and 2, both with better tokens; the second is slack.
  const std::string instance = R"({"X": [[[0], [-1], [-2]]], "Y": [-1], "v": [1], "z": [[1]]})";
  const auto at = [&](const std::string& token) {
    return edge_status(
        instance,
        problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1",
                               "0 1 1", "claim 2 support problem 1 from 1 size 1", "0 1",
                               "claim 3 not-locally-optimal problem 1 from 2 at 0 " + token});
  };
  CHECK(at("1") == 0);
  CHECK(at("2") == 1);
}

TEST_CASE("a support with a slack constraint behind it") {
  const std::string instance = R"({"X": [[[0], [-1], [-2]]], "Y": [1], "v": [1], "z": [[1]]})";
  const auto listed = [&](const Lines& support) {
    return edge_status(instance, problem("1 0") +
                                     Lines{"claim 1 optimal problem 1 norm-squared 1",
                                           "vector multipliers 1 over 1", "0 1 1"} +
                                     support);
  };
  CHECK(listed({"claim 2 support problem 1 from 1 size 1", "0 1"}) == 0);
  CHECK(listed({"claim 2 support problem 1 from 1 size 2", "0 1", "0 2"}) == 1);
}

TEST_CASE("a better token in the last group") {
  CHECK(edge_status(two_groups, problem("2 0 0") + Lines{"claim 1 globally-optimal problem 1"}) == 0);
  CHECK(edge_status(two_groups, problem("2 0 1") + Lines{"claim 1 globally-optimal problem 1"}) == 1);
}

TEST_CASE("the rank of columns whose least eigenvalue is not above the radius") {
  const auto rank = [](const std::string& radius, const std::string& bound) {
    return edge_status(two_groups,
                       edge_enclosure("2 0 0", "0 2 radius " + radius + " multiplier-radius 1*2^-3", "7/2",
                                      {"vector multipliers 2 over 2^2", "0 1 1", "1 1 1"}) +
                           Lines{"claim 2 rank problem 1 from 1 equals 1",
                                 "lower lambda-min " + bound + " bits 29 columns 1 0", "upper queries"});
  };
  CHECK(rank("1*2^-2", "1*2^-2") == 0);
  CHECK(rank("1*2^-1", "1*2^-2") == 1);
  CHECK(rank("1", "1*2^-2") == 1);
}

TEST_CASE("a claim of another problem, though the two differ in the loss alone") {
  const Lines two = problem("1 0") + problem("1 0", "logistic", "2") +
                    Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1"};
  CHECK(edge_status(one_constraint, two + Lines{"claim 2 support problem 1 from 1 size 1", "0 1"}) == 0);
  CHECK(edge_status(one_constraint, two + Lines{"claim 2 support problem 2 from 1 size 1", "0 1"}) == 1);
}

TEST_CASE("groups of other mean scores do not cancel under a loss that weighs them otherwise") {
  const std::string instance = R"({"X": [[[1], [0]], [[1], [0]]], "Y": [1, -1], "v": [1], "z": [[1], [1]]})";
  const auto still = [&](const std::string& loss) {
    return edge_status(instance,
                       problem("2 0 0", loss) + Lines{"claim 1 stationary problem 1", "start zero"});
  };
  CHECK(still("correlation") == 0);
  CHECK(still("logistic") == 1);
  CHECK(still("exponential") == 1);
}

TEST_CASE("numbers one too small, one too large, or repeated") {
  const Lines plain = {"claim 1 globally-optimal problem 1"};
  CHECK(edge_status(one_constraint, problem("1 0") + problem("1 0", "none", "2") + plain) == 0);
  CHECK(edge_status(one_constraint, problem("1 0") + problem("1 0", "none", "1") + plain) == 2);
  CHECK(edge_status(one_constraint, problem("1 0") + problem("1 0", "none", "0") + plain) == 2);
  // The token behind a group's last is the next group's first, here a better one.
  const std::string better = R"({"X": [[[1], [0]], [[3], [0]]], "Y": [1, 1], "v": [1], "z": [[1], [1]]})";
  CHECK(edge_status(better, problem("2 0 0") + plain) == 0);
  CHECK(edge_status(better, problem("2 2 0") + plain) == 1);
  // Of two tokens each; the next group's first has the same score.
  const std::string pairs = R"({"X": [[[1], [0]], [[1], [0]]], "Y": [1, 1], "v": [1], "z": [[1], [1]]})";
  CHECK(edge_status(pairs, problem("2 0 0") + Lines{"claim 1 score-tie problem 1 group 0 tokens 0 2"}) == 2);
  const auto columns = [](const std::string& listed) {
    return edge_status(two_groups,
                       edge_enclosure("2 0 0", "1*2^-1 1*2^-1 radius 0 multiplier-radius 0", "7/2",
                                      {"vector multipliers 2 over 2^2", "0 1 1", "1 1 1"}) +
                           Lines{"claim 2 rank problem 1 from 1 equals 2",
                                 "lower lambda-min 1*2^-2 bits 29 columns " + listed, "upper queries"});
  };
  CHECK(columns("1 0") == 1);
  CHECK(columns("2 0 0") == 2);
}

TEST_CASE("the query is the last token where the instance says so, and its length counts in distances") {
  const std::string last = R"({"X": [[[1], [2]]], "Y": [1], "v": [1], "query": "last"})";
  CHECK(edge_status(last, replaced(problem("1 1"), "setting cross-attention", "setting self-attention") +
                              Lines{"claim 1 optimal problem 1 norm-squared 1*2^-2",
                                    "vector multipliers 1 over 2^2", "0 0 1"}) == 0);
  // Delta = (2, 0) and (4, -4), of which the second has a better token, and margin 2.
  const std::string instance = R"({"X": [[[3, 0], [2, 0], [1, 2]]], "Y": [1], "v": [1, 2], "z": [[2]]})";
  const auto gap = [&](const std::string& distance) {
    return edge_status(instance,
                       problem("1 0") + Lines{"claim 1 optimal-enclosure problem 1 form gap norm-squared 0 2 "
                                              "distance-squared " +
                                                  distance,
                                              "vector primal 1 over 2^2", "0 1 1", "vector dual 1 over 2^2",
                                              "0 1 1", "claim 2 locally-optimal problem 1 from 1"});
  };
  CHECK(gap("1*2^-6") == 0);
  CHECK(gap("1*2^-5") == 1);
}

TEST_CASE("the smoothness constant of the largest distance, wherever it stands") {
  // Distances 1, 10 and 5, squared; the scores differ by 1.
  for (const char* tokens : {"[0, 0], [1, 0], [3, 1]", "[0, 0], [3, 1], [1, 0]", "[3, 1], [1, 0], [0, 0]"}) {
    CAPTURE(std::string(tokens));
    const auto beta = [&](const std::string& value) {
      return edge_status(std::string(R"({"X": [[)") + tokens + R"(]], "Y": [1], "v": [0, 1], "z": [[1]]})",
                         problem("1 0", "correlation") + Lines{"claim 1 smoothness problem 1 beta " + value});
    };
    CHECK(beta("962250449/1000000000") == 0);
    CHECK(beta("962250447/1000000000") == 1);
  }
}

TEST_CASE("text that would be read as a number of another size, a constraint twice, or words of nothing") {
  const auto high = [](const std::string& bound) {
    return edge_status(
        one_constraint,
        problem("1 0") + Lines{"claim 1 optimal-enclosure problem 1 form gap norm-squared 0 " + bound +
                                   " distance-squared 1",
                               "vector primal 1 over 1", "0 1 1", "vector dual 1 over 1", "0 1 1"});
  };
  CHECK(high("1*2^1") == 0);
  CHECK(high("1*2^18446744073709551617") == 2);  // 2^64 + 1
  const auto over = [](const std::string& denominator) {
    return edge_status(one_constraint,
                       problem("1 0") + Lines{"claim 1 feasible problem 1",
                                              "vector separator 1 over " + denominator, "0 1 -1"});
  };
  CHECK(over("2^65536") == 1);
  CHECK(over("2^65537") == 2);
  CHECK(over("2^100000") == 2);
  CHECK(edge_status(idle_multiplier, problem("1 0") + Lines{"claim 1 feasible problem 1",
                                                            "vector separator 2 over 1", "0 1 1", "0 1 1"}) ==
        2);
  const Lines solved = problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 1",
                                              "vector multipliers 1 over 1", "0 1 1"};
  CHECK(edge_status(idle_multiplier,
                    solved + Lines{"claim 2 support problem 1 from 1 size 2", "0 1", "0 2"}) == 0);
  CHECK(edge_status(idle_multiplier,
                    solved + Lines{"claim 2 support problem 1 from 1 size 2", "0 1", "0 1"}) == 2);
  Lines text = certificate(idle_multiplier, solved);
  CHECK(check_text(idle_multiplier, join(text)).status == 0);
  for (const char* producer : {"producer  hand 1", "producer hand  1", "producer hand 1 "}) {
    text[1] = producer;
    CHECK(check_text(idle_multiplier, join(text)).status == 2);
  }
}
