// Every claim kind on hand-made certificates: the true claim is accepted, changed ones are refused.
#include <doctest/doctest.h>

#include "proofs/checker/base/exact.hpp"
#include "tests/unit/proofs/checker/claims.hpp"

using namespace checker_tests;

namespace {

const Lines optimal = problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 1",
                                             "vector multipliers 1 over 1", "0 1 1"};
const Lines supported = optimal + Lines{"claim 2 support problem 1 from 1 size 1", "0 1"};
const Lines infeasible =
    problem("1 0") + Lines{"claim 1 infeasible problem 1", "vector farkas 2 over 7", "0 1 3", "0 2 3"};
const Lines idle = problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 1",
                                          "vector multipliers 1 over 3",
                                          "0 1 3",
                                          "claim 2 support problem 1 from 1 size 2",
                                          "0 1",
                                          "0 2"};
const Lines enclosure =
    problem("2 0 0") + Lines{
                           "claim 1 optimal-enclosure problem 1 form lambda-min norm-squared 1*2^-1 1*2^-1 "
                           "radius 0 multiplier-radius 0",
                           "lambda-min 7/2 bits 29", "vector multipliers 2 over 2^3", "0 1 2", "1 1 2"};

}  // namespace

TEST_CASE("feasible") {
  examine(one_constraint,
          problem("1 0") + Lines{"claim 1 feasible problem 1", "vector separator 1 over 2", "0 1 3"},
          {{"0 1 3", "0 1 2", 0},
           {"0 1 3", "0 1 1", 1},
           {"0 1 3", "0 1 -3", 1},
           {"0 1 3", "0 1 0", 2},
           {"0 1 3", "0 0 3", 2},
           {"0 1 3", "0 2 3", 2},
           {"0 1 3", "1 0 3", 2},
           {"vector separator 1 over 2", "vector separator 1 over 2^2", 1},
           {"vector separator 1 over 2", "vector separator 1 over 2^1", 0},
           {"vector separator 1 over 2", "vector separator 1 over 0", 2},
           {"vector separator 1 over 2", "vector separator 1 over -2", 2},
           {"vector separator 1 over 2", "vector separator 2 over 2", 2},
           {"vector separator 1 over 2", "vector separator 0 over 2", 2},
           {"vector separator 1 over 2", "vector multipliers 1 over 2", 2}});
  CHECK(check_body(between,
                   problem("1 0") + Lines{"claim 1 feasible problem 1", "vector separator 1 over 1", "0 1 5"})
            .status == 1);
}

TEST_CASE("infeasible") {
  examine(between, infeasible,
          {{"0 1 3", "0 1 4", 1},
           {"0 2 3", "0 2 -3", 1},
           {"0 2 3", "0 2 30000000000000000000000", 1},
           {"vector farkas 2 over 7", "vector farkas 2 over 1", 0}});
  CHECK(check_body(between, problem("1 0") + Lines{"claim 1 infeasible problem 1", "vector farkas 0 over 1"})
            .status == 1);
  // A query of 0: a one-term witness.
  CHECK(check_body(R"({"X": [[[1], [2]]], "Y": [1], "v": [1], "z": [[0]]})",
                   problem("1 0") + Lines{"claim 1 infeasible problem 1", "vector farkas 1 over 1", "0 1 1"})
            .status == 0);
}

TEST_CASE("optimal") {
  examine(one_constraint, optimal,
          {{"0 1 1", "0 1 2", 1},
           {"0 1 1", "0 1 -1", 1},
           {"claim 1 optimal problem 1 norm-squared 1", "claim 1 optimal problem 1 norm-squared 2", 1},
           {"claim 1 optimal problem 1 norm-squared 1", "claim 1 optimal problem 1 norm-squared 1*2^-1", 1},
           {"claim 1 optimal problem 1 norm-squared 1", "claim 1 optimal problem 2 norm-squared 1", 2},
           {"claim 1 optimal problem 1 norm-squared 1", "claim 2 optimal problem 1 norm-squared 1", 2}});
  // Feasible, but the listed constraint is slack.
  CHECK(check_body(one_constraint,
                   replaced(replaced(optimal, "0 1 1", "0 1 2"), "claim 1 optimal problem 1 norm-squared 1",
                            "claim 1 optimal problem 1 norm-squared 1*2^2"))
            .status == 1);
  CHECK(check_body(between, optimal).status == 1);
}

TEST_CASE("optimal-enclosure, form gap") {
  const Lines gap =
      problem("1 0") +
      Lines{
          "claim 1 optimal-enclosure problem 1 form gap norm-squared 15*2^-4 25*2^-4 distance-squared 5*2^-3",
          "vector primal 1 over 2^2", "0 1 5", "vector dual 1 over 2^2", "0 1 3"};
  const std::string line = gap[5];
  const auto with = [&](const std::string& lo, const std::string& hi, const std::string& r) {
    return check_body(one_constraint, replaced(gap, line,
                                               "claim 1 optimal-enclosure problem 1 form gap norm-squared " +
                                                   lo + " " + hi + " distance-squared " + r))
        .status;
  };
  examine(one_constraint, gap,
          {{"0 1 5", "0 1 3", 1}, {"0 1 3", "0 1 -3", 1}, {"0 1 3", "0 1 7", 1}, {"0 1 5", "0 1 6", 1}});
  CHECK(with("0", "100", "1") == 0);
  CHECK(with("1", "25*2^-4", "1") == 1);
  CHECK(with("15*2^-4", "1", "1") == 1);
  CHECK(with("15*2^-4", "25*2^-4", "1*2^-1") == 1);
  CHECK(with("15*2^-4", "25*2^-4", "-1") == 1);
}

TEST_CASE("optimal-enclosure, form lambda-min") {
  examine(two_groups, enclosure,
          {{"lambda-min 7/2 bits 29", "lambda-min 7/2 bits 200", 0},
           {"lambda-min 7/2 bits 29", "lambda-min 1*2^2 bits 29", 1},
           {"lambda-min 7/2 bits 29", "lambda-min 0 bits 29", 1},
           {"lambda-min 7/2 bits 29", "lambda-min -1 bits 29", 1},
           {"lambda-min 7/2 bits 29", "lambda-min 5 bits 500", 1},
           {"lambda-min 7/2 bits 29", "lambda-min 7/2 bits 28", 2},
           {"lambda-min 7/2 bits 29", "lambda-min 7/2 bits 4097", 2},
           {"0 1 2", "0 1 3", 1},
           {"0 1 2", "0 1 -2", 1}});
  const std::string head = "claim 1 optimal-enclosure problem 1 form lambda-min norm-squared ";
  const std::string& line = enclosure[5];
  const auto with = [&](const std::string& rest, const std::string& first) {
    return check_body(two_groups, replaced(replaced(enclosure, line, head + rest), "0 1 2", first)).status;
  };
  CHECK(with("0 2 radius 1 multiplier-radius 1*2^-3", "0 1 2") == 0);
  CHECK(with("0 2 radius 1 multiplier-radius 1*2^-2", "0 1 2") == 1);       // a multiplier may vanish
  CHECK(with("1*2^-1 1*2^-1 radius 1 multiplier-radius 0", "0 1 2") == 1);  // HI below b + R^2
  CHECK(with("3*2^-2 2 radius 0 multiplier-radius 0", "0 1 2") == 1);
  CHECK(with("0 2 radius -1 multiplier-radius 0", "0 1 2") == 1);
  CHECK(with("0 2 radius 1 multiplier-radius -10", "0 1 2") == 1);
  // An approximate solution needs radii that cover its residual: r = 1 - 4 x 3/8 = -1/2, S = 7/2.
  CHECK(with("0 2 radius 1 multiplier-radius 1*2^-3", "0 1 3") == 1);
  CHECK(with("0 2 radius 1*2^-2 multiplier-radius 3*2^-4", "0 1 3") == 1);
  CHECK(with("0 2 radius 3*2^-3 multiplier-radius 3*2^-4", "0 1 3") == 0);
  // No constraints listed.
  CHECK(check_body(two_groups,
                   problem("2 0 0") + Lines{line, "lambda-min 1 bits 29", "vector multipliers 0 over 1"})
            .status == 1);
  // A constraint that is not listed must be slack beyond the radius.
  CHECK(check_body(idle_multiplier, problem("1 0") + Lines{head + "1 1 radius 0 multiplier-radius 0",
                                                           "lambda-min 1*2^-1 bits 29",
                                                           "vector multipliers 1 over 1", "0 1 1"})
            .status == 1);
}

TEST_CASE("support") {
  examine(one_constraint, supported,
          {{"claim 2 support problem 1 from 1 size 1", "claim 2 support problem 1 from 2 size 1", 2},
           {"0 1", "0 0", 2}});
  CHECK(check_body(one_constraint, optimal + Lines{"claim 2 support problem 1 from 1 size 0"}).status == 1);
  CHECK(check_body(idle_multiplier, idle).status == 0);
  CHECK(check_body(idle_multiplier, Lines(idle.begin(), idle.end() - 3) +
                                        Lines{"claim 2 support problem 1 from 1 size 1", "0 1"})
            .status == 1);
  CHECK(check_body(idle_multiplier, Lines(idle.begin(), idle.end() - 2) + Lines{"0 2", "0 1"}).status == 2);
  CHECK(check_body(two_groups, enclosure + Lines{"claim 2 support problem 1 from 1 size 2", "0 1", "1 1"})
            .status == 0);
  CHECK(check_body(two_groups, enclosure + Lines{"claim 2 support problem 1 from 1 size 1", "1 1"}).status ==
        1);
  CHECK(check_body(between, infeasible + Lines{"claim 2 support problem 1 from 1 size 0"}).status == 1);
}

TEST_CASE("strictly-complementary and its negation") {
  examine(one_constraint,
          supported + Lines{"claim 3 strictly-complementary problem 1 from 2", "evidence cited"},
          {{"claim 3 strictly-complementary problem 1 from 2",
            "claim 3 strictly-complementary problem 1 from 1", 1}});
  CHECK(check_body(idle_multiplier,
                   idle + Lines{"claim 3 strictly-complementary problem 1 from 2", "evidence cited"})
            .status == 1);
  const Lines twins = problem("2 0 0") + Lines{"claim 1 optimal problem 1 norm-squared 1",
                                               "vector multipliers 1 over 1",
                                               "1 1 1",
                                               "claim 2 support problem 1 from 1 size 2",
                                               "0 1",
                                               "1 1"};
  examine(twin_groups,
          twins + Lines{"claim 3 strictly-complementary problem 1 from 2", "vector multipliers 2 over 3",
                        "0 1 1", "1 1 2"},
          {{"0 1 1", "0 1 2", 1}, {"0 1 1", "0 1 -1", 1}, {"1 1 2", "1 1 1", 1}});
  CHECK(check_body(twin_groups, twins + Lines{"claim 3 strictly-complementary problem 1 from 2",
                                              "vector multipliers 1 over 1", "1 1 1"})
            .status == 1);
  CHECK(check_body(idle_multiplier, idle + Lines{"claim 3 strictly-complementary problem 1 from 2",
                                                 "vector multipliers 2 over 2", "0 1 1", "0 2 1"})
            .status == 1);
  CHECK(check_body(two_groups,
                   enclosure + Lines{"claim 2 support problem 1 from 1 size 2", "0 1", "1 1",
                                     "claim 3 strictly-complementary problem 1 from 2", "evidence cited"})
            .status == 0);

  examine(idle_multiplier,
          idle + Lines{"claim 3 not-strictly-complementary problem 1 from 2 at 0 2",
                       "vector direction 2 over 1", "0 1 -1", "0 2 1"},
          {{"claim 3 not-strictly-complementary problem 1 from 2 at 0 2",
            "claim 3 not-strictly-complementary problem 1 from 2 at 0 1", 1},
           {"0 1 -1", "0 1 1", 1},
           {"0 1 -1", "0 1 -2", 1},
           {"0 2 1", "0 2 -1", 1}});
  CHECK(check_body(twin_groups, twins + Lines{"claim 3 not-strictly-complementary problem 1 from 2 at 0 1",
                                              "vector direction 1 over 1", "0 1 1"})
            .status == 1);
}

TEST_CASE("locally-optimal and its negation") {
  examine(
      one_constraint, supported + Lines{"claim 3 locally-optimal problem 1 from 2"},
      {{"claim 3 locally-optimal problem 1 from 2", "claim 3 not-locally-optimal problem 1 from 2 at 0 1", 1},
       {"claim 3 locally-optimal problem 1 from 2", "claim 3 locally-optimal problem 1 from 1", 1},
       {"claim 3 locally-optimal problem 1 from 2", "claim 3 not-locally-optimal problem 1 from 2", 1},
       {"claim 3 locally-optimal problem 1 from 2", "claim 3 not-locally-optimal problem 1 from 1 at 0 1",
        1}});
  // With the worse token selected the same constraint turns around: W* = -1, gap negative.
  const Lines worse =
      problem("1 1") + Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1",
                             "0 0 1", "claim 2 support problem 1 from 1 size 1", "0 0"};
  CHECK(check_body(one_constraint, worse + Lines{"claim 3 not-locally-optimal problem 1 from 2 at 0 0"})
            .status == 0);
  CHECK(check_body(one_constraint, worse + Lines{"claim 3 locally-optimal problem 1 from 2"}).status == 1);
  CHECK(check_body(between, infeasible + Lines{"claim 2 not-locally-optimal problem 1 from 1"}).status == 0);
  CHECK(check_body(between, infeasible + Lines{"claim 2 locally-optimal problem 1 from 1"}).status == 1);
  // Equal scores on the support are not a positive gap.
  const std::string tied = R"({"X": [[[2], [1]]], "Y": [1], "v": [0], "z": [[1]]})";
  CHECK(check_body(tied, supported + Lines{"claim 3 locally-optimal problem 1 from 2"}).status == 1);
  CHECK(check_body(tied, supported + Lines{"claim 3 not-locally-optimal problem 1 from 2 at 0 1"}).status ==
        0);
}

TEST_CASE("locally-optimal from an enclosure needs slack beyond the distance where the gap is not positive") {
  // Tokens 3 (selected), 2, 1 with the farthest one scoring best: margins 1 and 2 at W* = 1; gap sign -1 at
  // token 2.
  const std::string instance = R"({"X": [[[3, 0], [2, 0], [1, 2]]], "Y": [1], "v": [1, 2], "z": [[1]]})";
  // Delta = (1,0), (2,-2); scores 3, 2, 5; W* = (1,0).
  const auto gap = [&](const std::string& distance) {
    return check_body(
               instance,
               problem("1 0") +
                   Lines{"claim 1 optimal-enclosure problem 1 form gap norm-squared 0 2 distance-squared " +
                             distance,
                         "vector primal 1 over 1", "0 1 1", "vector dual 1 over 1", "0 1 1",
                         "claim 2 locally-optimal problem 1 from 1"})
        .status;
  };
  // (m - 1)^2 = 1 > R ||(2,-2)||^2 = 8 R.
  CHECK(gap("0") == 0);
  CHECK(gap("1/9") == 0);
  CHECK(gap("1*2^-3") == 1);
  CHECK(gap("1") == 1);
}

TEST_CASE("globally-optimal, its negation, and ties") {
  examine(one_constraint, problem("1 0") + Lines{"claim 1 globally-optimal problem 1"},
          {{"claim 1 globally-optimal problem 1", "claim 1 not-globally-optimal problem 1 at 0 1", 1},
           {"selection 1 0", "selection 1 1", 1}});
  CHECK(check_body(one_constraint, problem("1 1") + Lines{"claim 1 not-globally-optimal problem 1 at 0 0"})
            .status == 0);
  CHECK(check_body(one_constraint, problem("1 1") + Lines{"claim 1 not-globally-optimal problem 1 at 0 1"})
            .status == 2);
  // Scores 0, -1, -1: the best is unique, the tie is below it.
  CHECK(check_body(idle_multiplier, problem("1 0") + Lines{"claim 1 globally-optimal problem 1"}).status ==
        0);
  CHECK(check_body(idle_multiplier, problem("1 0") + Lines{"claim 1 score-tie problem 1 group 0 tokens 1 2"})
            .status == 1);
  const std::string tied = R"({"X": [[[1, 0], [0, 0], [1, 1]]], "Y": [1], "v": [1, 0], "z": [[1]]})";
  examine(tied, problem("1 0") + Lines{"claim 1 score-tie problem 1 group 0 tokens 0 2"},
          {{"claim 1 score-tie problem 1 group 0 tokens 0 2",
            "claim 1 score-tie problem 1 group 0 tokens 0 1", 1},
           {"claim 1 score-tie problem 1 group 0 tokens 0 2",
            "claim 1 score-tie problem 1 group 0 tokens 2 0", 2},
           {"claim 1 score-tie problem 1 group 0 tokens 0 2",
            "claim 1 score-tie problem 1 group 0 tokens 0 0", 2},
           {"claim 1 score-tie problem 1 group 0 tokens 0 2",
            "claim 1 score-tie problem 1 group 1 tokens 0 2", 2},
           {"claim 1 score-tie problem 1 group 0 tokens 0 2", "claim 1 globally-optimal problem 1", 1},
           {"claim 1 score-tie problem 1 group 0 tokens 0 2", "claim 1 not-globally-optimal problem 1 at 0 2",
            0}});
}

TEST_CASE("rank") {
  for (const char* upper :
       {"groups", "left-dimension", "right-dimension", "queries", "tokens", "elimination"}) {
    examine(one_constraint,
            optimal + Lines{"claim 2 rank problem 1 from 1 equals 1", "lower modulus 3",
                            std::string("upper ") + upper},
            {{"claim 2 rank problem 1 from 1 equals 1", "claim 2 rank problem 1 from 1 equals 2", 1},
             {"claim 2 rank problem 1 from 1 equals 1", "claim 2 rank problem 1 from 1 equals 0", 1},
             {"lower modulus 3", "lower modulus 2", 1},
             {"lower modulus 3", "lower modulus 9", 1},
             {"lower modulus 3", "lower modulus 4294967311", 1},
             {"lower modulus 3", "lower none", 1},
             {"lower modulus 3", "lower lambda-min 1*2^-1 bits 29 columns 1 0", 1}});
  }
  // The modulus may divide a denominator: Delta = (1, 2), W* = (1, 2)/5, whose integers are not 0 modulo 5.
  CHECK(check_body(R"({"X": [[[2, 2], [1, 0]]], "Y": [1], "v": [1, 0], "z": [[1]]})",
                   problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 1/5",
                                          "vector multipliers 1 over 5", "0 1 1",
                                          "claim 2 rank problem 1 from 1 equals 1", "lower modulus 5",
                                          "upper groups"})
            .status == 0);
  CHECK(check_body(one_constraint, optimal + Lines{"claim 2 rank problem 1 from 1 equals 1",
                                                   "lower modulus 3", "upper magic"})
            .status == 2);
  // W* = (1/2, 1/2)' has rank 1 although two groups and two left dimensions occur.
  for (const auto& [upper, status] : std::vector<std::pair<std::string, int>>{{"groups", 1},
                                                                              {"left-dimension", 1},
                                                                              {"right-dimension", 0},
                                                                              {"queries", 0},
                                                                              {"tokens", 1},
                                                                              {"elimination", 1}}) {
    const std::string& evidence = upper;
    CAPTURE(evidence);
    CHECK(check_body(two_groups,
                     enclosure + Lines{"claim 2 rank problem 1 from 1 equals 1",
                                       "lower lambda-min 1*2^-2 bits 29 columns 1 0", "upper " + upper})
              .status == status);
  }
  // lambda_min(B'B) = 1/2.
  for (const auto& [lower, status] :
       std::vector<std::pair<std::string, int>>{{"lower lambda-min 3*2^-2 bits 29 columns 1 0", 1},
                                                {"lower lambda-min 0 bits 29 columns 1 0", 1},
                                                {"lower lambda-min 1*2^-2 bits 29 columns 1 1", 2},
                                                {"lower lambda-min 1*2^-2 bits 29 columns 2 0", 2},
                                                {"lower lambda-min 1*2^-2 bits 29 columns 0", 1},
                                                {"lower modulus 3", 1}}) {
    const std::string& evidence = lower;
    CAPTURE(evidence);
    CHECK(check_body(two_groups,
                     enclosure + Lines{"claim 2 rank problem 1 from 1 equals 1", lower, "upper queries"})
              .status == status);
  }
  // No constraints: W* = 0.
  CHECK(check_body(
            no_constraints,
            problem("1 0") + Lines{"claim 1 optimal problem 1 norm-squared 0", "vector multipliers 0 over 1",
                                   "claim 2 rank problem 1 from 1 equals 0", "lower none", "upper groups"})
            .status == 3);
}

TEST_CASE("smoothness: D = G = 1, scores in [1, 2]") {
  const auto status = [](const std::string& loss, const std::string& beta) {
    return check_body(one_constraint,
                      problem("1 0", loss) + Lines{"claim 1 smoothness problem 1 beta " + beta})
        .status;
  };
  // logistic: |l'| = 1/(1+e), |l''| = e/(1+e)^2: 0.03816714616496…
  CHECK(status("logistic", "3816714617/100000000000") == 0);
  CHECK(status("logistic", "3816714616/100000000000") == 2);  // not in lowest terms
  CHECK(status("logistic", "3816714613/100000000000") == 1);
  // exponential: (1/(6 sqrt 3) + 1/16)/e = 0.05839168080482…
  CHECK(status("exponential", "5839168081/100000000000") == 0);
  CHECK(status("exponential", "5839168079/100000000000") == 1);
  // correlation: 1/(6 sqrt 3) = 0.0962250448649376…
  CHECK(status("correlation", "962250449/10000000000") == 0);
  CHECK(status("correlation", "962250447/10000000000") == 1);
  CHECK(status("correlation", "-1") == 1);
  CHECK(status("none", "100") == 1);
}

TEST_CASE("smoothness: far scores, and a bound that is off by less than one part in 2^90") {
  using attest_check::canonical;
  using attest_check::Rational;
  using attest_check::scale_by_power_of_two;
  // One group with D = 1 and scores c and c + 1/2^k: v = (c, 2^-k), x_0 = (1, 1), x_1 = (1, 0), query 1.
  const auto status = [](const std::string& low, const std::string& gap, const std::string& loss,
                         const Rational& beta) {
    return check_body(R"({"X": [[[1, 1], [1, 0]]], "Y": [1], "v": [")" + low + R"(", ")" + gap +
                          R"("], "z": [[1]]})",
                      problem("1 0", loss) + Lines{"claim 1 smoothness problem 1 beta " + canonical(beta)})
        .status;
  };
  const Rational above = 1 + scale_by_power_of_two(1, -90), below = 1 - scale_by_power_of_two(1, -90);
  // 1/(6 sqrt 3), correctly to 200 bits.
  const attest_check::Integer root = sqrt(attest_check::Integer(attest_check::power_of_two(400) / 108));
  const Rational correlation = scale_by_power_of_two(root, -200);
  for (const char* low : {"0", "5000", "-5000", "-1*2^45", "1*2^45"}) {
    CAPTURE(low);
    CHECK(status(low, "1", "correlation", correlation * above) == 0);
    CHECK(status(low, "1", "correlation", correlation * below) == 1);
  }
  // Far below 0 the logistic loss has slope 1 and no curvature, up to e^-4096.
  for (const char* low : {"-5000", "-1*2^45"}) {
    CHECK(status(low, "1", "logistic", correlation * above) == 0);
    CHECK(status(low, "1", "logistic", correlation * below) == 1);
  }
  // Far above it both losses are flat: 2^-4095 has room, 0 has not. Within the cut-off e^-4096 is not rounded
  // to 2^-4096.
  for (const char* loss : {"logistic", "exponential"}) {
    for (const char* low : {"4097", "5000", "1*2^45"}) {
      CHECK(status(low, "1", loss, scale_by_power_of_two(1, -4096)) == 0);
      CHECK(status(low, "1", loss, 0) == 1);
    }
    CHECK(status("4096", "1", loss, scale_by_power_of_two(1, -5000)) == 0);
    CHECK(status("4096", "1", loss, scale_by_power_of_two(1, -6000)) == 1);
  }
  CHECK(status("-1*2^45", "1", "exponential", 1) == 5);
}

TEST_CASE("claims about different problems do not mix") {
  const Lines two = problem("1 0") + problem("1 1", "none", "2") +
                    Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1"};
  CHECK(check_body(one_constraint, two + Lines{"claim 2 support problem 1 from 1 size 1", "0 1"}).status ==
        0);
  CHECK(check_body(one_constraint, two + Lines{"claim 2 support problem 2 from 1 size 1", "0 0"}).status ==
        1);
}
