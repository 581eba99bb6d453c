// Claims about all later steps on instances small enough to know every constant by hand.
#include <doctest/doctest.h>

#include "tests/unit/proofs/runs/later_steps.hpp"

using namespace checker_tests;

namespace {

// one_constraint: Delta = 1, u = 1, gamma = 1, gap 1, scores 2 and 1; W_0 = 5, so y_0 = m = 5, x = 0.
Lines one(const std::string& loss) {
  return problem("1 0", loss) +
         Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1"};
}

// Correlation loss: |l'| = 1, so b = s_0 gap'; with phi = eps = 1/64: blo = (63/64)^2, bhi = 1, C = 2
// log(64/63) = 0.03150.
const Lines absorbing =
    one("correlation") +
    Lines{"claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from none",
          "optimizer ngd schedule constant step 1*2^-3",
          "start 1 5",
          "step-bound 1*2^-3",
          "ranges 1",
          "group 0 output 1*2^-6 attention 1*2^-6",
          "path 1*2^-3 excess 0 centre 0 height 5 growth linear 1"};

}  // namespace

TEST_CASE("absorbing region, normalised steps") {
  const char* last = "path 1*2^-3 excess 0 centre 0 height 5 growth linear 1";
  // 2 C = 0.0630.
  examine_later_steps(
      one_constraint, absorbing,
      {{last, "path 1*2^-4 excess 0 centre 0 height 5 growth linear 1", 1},
       {last, "path 157/2500 excess 0 centre 0 height 5 growth linear 1", 1},
       {last, "path 64/1000 excess 0 centre 0 height 5 growth linear 1", 2},
       {last, "path 8/125 excess 0 centre 0 height 5 growth linear 1", 0},
       {last, "path 0 excess 0 centre 0 height 5 growth linear 1", 1},
       {last, "path 1*2^-3 excess -1 centre 0 height 5 growth linear 1", 1},
       {last, "path 1*2^-3 excess 1 centre 0 height 5 growth linear 1", 0},
       {last, "path 1*2^-3 excess 0 centre -1 height 5 growth linear 1", 1},
       {last, "path 1*2^-3 excess 0 centre 0 height 11*2^-1 growth linear 1", 1},
       {last, "path 1*2^-3 excess 0 centre 0 height 1*2^2 growth linear 1", 0},
       {last, "path 1*2^-3 excess 0 centre 0 height 5 growth linear 9*2^-3", 1},
       {last, "path 1*2^-3 excess 0 centre 0 height 5 growth linear 1*2^-4096", 0},
       {last, "path 1*2^-3 excess 0 centre 0 height 5 growth linear 0", 1},
       {last, "path 1*2^-3 excess 0 centre 0 height 5 growth linear -1", 1},
       {last, "path 1*2^-3 excess 0 centre 0 height 5 growth logarithmic 1", 1},
       {"start 1 5", "start 1 1*2^2", 1},  // e^-4 > 1/64
       {"start 1 5", "start zero", 1},
       {"start 1 5", "start 2 5 5", 2},
       {"group 0 output 1*2^-6 attention 1*2^-6", "group 0 output 1*2^-8 attention 1*2^-6", 1},
       {"group 0 output 1*2^-6 attention 1*2^-6", "group 0 output 1*2^-6 attention 1*2^-8", 1},
       {"group 0 output 1*2^-6 attention 1*2^-6", "group 0 output 1 attention 1*2^-6", 1},
       {"group 0 output 1*2^-6 attention 1*2^-6", "group 0 output 1*2^-6 attention 1", 1},
       {"group 0 output 1*2^-6 attention 1*2^-6", "group 1 output 1*2^-6 attention 1*2^-6", 2},
       {"ranges 1", "ranges 2", 2},
       {"ranges 1", "ranges 0", 2},
       {"optimizer ngd schedule constant step 1*2^-3", "optimizer ngd schedule constant step 0", 2},
       {"optimizer ngd schedule constant step 1*2^-3", "optimizer adam schedule constant step 1", 2},
       {"optimizer ngd schedule constant step 1*2^-3", "optimizer ngd schedule linear step 1", 2},
       {"optimizer ngd schedule constant step 1*2^-3", "optimizer ngd schedule invsqrt step 1*2^-3", 0},
       {"claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from none",
        "claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from none", 2},
       {"claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from none",
        "claim 2 forever-from-point problem 1 from 2 theorem absorbing dominates-from none", 2},
       {"loss correlation", "loss none", 1},
       {"selection 1 0", "selection 1 1", 2}});
}

TEST_CASE("the line of a claim about all later steps has its iteration and its constants") {
  const auto line = [](const Lines& lines) {
    const Outcome outcome = check_body(one_constraint, lines);
    CAPTURE(outcome.message);
    REQUIRE(outcome.claims.size() == 2);
    return outcome.claims[1].line;
  };
  const std::string first = line(absorbing);
  CHECK(first ==
        "claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from none optimizer ngd "
        "schedule constant step 1*2^-3 start sha256 "
        "f0b5c2c2211c8d67ed15e75e656c7862d086e9245420892a7de62cd9ec582a06 path 1*2^-3 excess 0 centre 0 "
        "height 5 growth linear 1 setting cross-attention norm euclidean loss correlation selection 0");
  std::vector<std::string> lines = {first};
  const auto differs = [&](const std::string& from, const std::string& to) {
    lines.push_back(line(replaced(absorbing, from, to)));
    CHECK(std::count(lines.begin(), lines.end(), lines.back()) == 1);
  };
  const std::string step = "optimizer ngd schedule constant step 1*2^-3";
  differs(step, "optimizer ngd schedule inverse step 1*2^-3");
  differs(step, "optimizer ngd schedule constant step 1*2^-4");
  differs("start 1 5", "start 1 6");
  differs(absorbing.back(), "path 1 excess 0 centre 0 height 5 growth linear 1");
  differs(absorbing.back(), "path 1*2^-3 excess 1 centre 0 height 5 growth linear 1");
  differs(absorbing.back(), "path 1*2^-3 excess 0 centre 1 height 5 growth linear 1");
  differs(absorbing.back(), "path 1*2^-3 excess 0 centre 0 height 1 growth linear 1");
  differs(absorbing.back(), "path 1*2^-3 excess 0 centre 0 height 5 growth linear 1*2^-1");
  differs("claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from none",
          "claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from 0");
  // Evidence is no part of it.
  CHECK(line(replaced(absorbing, "group 0 output 1*2^-6 attention 1*2^-6",
                      "group 0 output 1*2^-6 attention 1*2^-7")) == first);
}

TEST_CASE("absorbing region, gradient descent and Polyak steps") {
  // gd: K = log blo; growth gamma^2 e^K = (63/64)^2 = 0.969. Later steps: eta bhi e^-5 = 0.00674 eta.
  Lines gd = replaced(absorbing, "optimizer ngd schedule constant step 1*2^-3",
                      "optimizer gd schedule constant step 1");
  const char* last = "path 1*2^-3 excess 0 centre 0 height 5 growth logarithmic 31*2^-5";
  gd.back() = last;
  examine_later_steps(
      one_constraint, gd,
      {{last, "path 1*2^-3 excess 0 centre 0 height 5 growth logarithmic 121/125", 0},
       {last, "path 1*2^-3 excess 0 centre 0 height 5 growth logarithmic 97/100", 1},
       {last, "path 1*2^-3 excess 0 centre 0 height 5 growth linear 1*2^-5", 1},
       {"step-bound 1*2^-3", "step-bound 1*2^-8", 1},
       {"step-bound 1*2^-3", "step-bound 1*2^-7", 0},
       {"optimizer gd schedule constant step 1", "optimizer gd schedule constant step 19", 1},
       {"optimizer gd schedule constant step 1", "optimizer gd schedule constant step 17", 0}});
  // polyak: theta <= 64/63, path 2C + (64/63)/2 = 0.5709; growth theta_low = 1.
  Lines polyak = replaced(absorbing, "optimizer ngd schedule constant step 1*2^-3",
                          "optimizer polyak schedule constant step 1*2^-1");
  const char* end = "path 571/1000 excess 0 centre 0 height 5 growth linear 1";
  polyak.back() = end;
  examine_later_steps(one_constraint, polyak,
                      {{end, "path 57/100 excess 0 centre 0 height 5 growth linear 1", 1},
                       {end, "path 571/1000 excess 0 centre 0 height 5 growth linear 1001/1000", 1}});
}

TEST_CASE("lock-in by loss") {
  // Correlation: L - L* = 1 - s_0 at W_0 = 5, 0.0066929; the floor 2 - 1/64 allows 0.015625. slo = 63/64.
  const Lines gd = one("correlation") +
                   Lines{"claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from none",
                         "optimizer gd schedule constant step 1",
                         "start 1 5",
                         "ranges 1",
                         "group 0 floor 127*2^-6",
                         "path 1*2^-3 excess 1*2^-4 centre 0 height 5 growth logarithmic 31*2^-5"};
  const char* last = "path 1*2^-3 excess 1*2^-4 centre 0 height 5 growth logarithmic 31*2^-5";
  // Excess 2 eta (L - L*) = 0.01339. Smoothness 1/(6 sqrt 3) = 0.0962: steps to 10.39.
  examine_later_steps(
      one_constraint, gd,
      {{last, "path 1*2^-3 excess 134/10000 centre 0 height 5 growth logarithmic 31*2^-5", 2},
       {last, "path 1*2^-3 excess 67/5000 centre 0 height 5 growth logarithmic 31*2^-5", 0},
       {last, "path 1*2^-3 excess 133/10000 centre 0 height 5 growth logarithmic 31*2^-5", 1},
       {last, "path 157/2500 excess 1*2^-4 centre 0 height 5 growth logarithmic 31*2^-5", 1},
       {last, "path 1*2^-3 excess 1*2^-4 centre 0 height 5 growth logarithmic 1", 1},
       {"group 0 floor 127*2^-6", "group 0 floor 255*2^-7", 0},
       {"group 0 floor 127*2^-6", "group 0 floor 511*2^-8", 1},
       {"group 0 floor 127*2^-6", "group 0 floor 1", 1},
       {"group 0 floor 127*2^-6", "group 0 floor 5", 1},
       {"group 0 floor 127*2^-6", "group 0 output 127*2^-6", 2},
       {"optimizer gd schedule constant step 1", "optimizer gd schedule constant step 11", 1},
       {"optimizer gd schedule constant step 1", "optimizer polyak schedule constant step 1", 1},
       {"start 1 5", "start 1 1*2^2", 1}});
  // Normalised: eta e^eta < 2, eta below 0.8526.
  Lines ngd =
      replaced(gd, "optimizer gd schedule constant step 1", "optimizer ngd schedule constant step 17/20");
  ngd.back() = "path 1*2^-3 excess 0 centre 0 height 5 growth linear 1";
  examine_later_steps(
      one_constraint, ngd,
      {{"optimizer ngd schedule constant step 17/20", "optimizer ngd schedule constant step 43/50", 1}});
  // Logistic loss: l(2 - 1/64) - l(2) = 0.001875 allows less than L - L* = 0.00080 at 5; the step condition
  // is narrower.
  Lines logistic = replaced(ngd, "loss correlation", "loss logistic");
  logistic = replaced(logistic, "optimizer ngd schedule constant step 17/20",
                      "optimizer ngd schedule constant step 1*2^-1");
  examine_later_steps(
      one_constraint, logistic,
      {{"start 1 5", "start 1 7*2^-1", 1},
       {"optimizer ngd schedule constant step 1*2^-1", "optimizer ngd schedule constant step 17/20", 1}});
}

// A better token that the direction leaves behind: Delta_1 = (1, 1) with gap 1, Delta_2 = (3, -1/2) with gap
// -1/2. W* = (1, 1)/2, gamma = sqrt 2, gamma_2 = 5/4 sqrt 2, D = 3.0414; W_0 = (20, 20): margins 40 and 50.
TEST_CASE("absorbing region of a local optimum") {
  const std::string better = R"({"X": [[[0, 0], [-1, -1], [-3, 0.5]]], "Y": [1], "v": [0, 1], "z": [[1]]})";
  const Lines ngd = problem("1 0", "correlation") +
                    Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1",
                          "vector multipliers 1 over 2",
                          "0 1 1",
                          "claim 2 forever-from-point problem 1 from 1 theorem local dominates-from none",
                          "optimizer ngd schedule constant step 1/10",
                          "start 2 5*2^2 5*2^2",
                          "step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1",
                          "outside 0",
                          "ranges 1",
                          "group 0 attention 1*2^-40",
                          "path 7*2^-5 excess 0 centre 1*2^-100 height 28 growth linear 463/1000"};
  const char* evidence = "step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1";
  const char* last = "path 7*2^-5 excess 0 centre 1*2^-100 height 28 growth linear 463/1000";
  examine_later_steps(
      better, ngd,
      {{last, "path 217/1000 excess 0 centre 1*2^-100 height 28 growth linear 463/1000", 1},
       {last, "path 7*2^-5 excess 0 centre 1*2^-100 height 283/10 growth linear 463/1000", 1},
       {last, "path 7*2^-5 excess 0 centre 1*2^-100 height 28 growth linear 29*2^-6", 0},
       {last, "path 7*2^-5 excess 0 centre 1*2^-100 height 28 growth linear 15*2^-5", 1},
       // A long path admits points where the better token returns.
       {last, "path 5 excess 0 centre 1*2^-100 height 28 growth linear 463/1000", 1},
       {evidence, "step-bound 1/11 ratio 1*2^-10 extra 1*2^-9 theta 1", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-15 extra 1*2^-9 theta 1", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-1 extra 1*2^-9 theta 1", 1},
       {evidence, "step-bound 1/10 ratio -1 extra 1*2^-9 theta 1", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-10 extra 1*2^-12 theta 1", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 0", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 5", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1*2^19", 5},  // numbers of 2^35 bits
       {"group 0 attention 1*2^-40", "group 0 attention 1*2^-60", 1},
       {"group 0 attention 1*2^-40", "group 0 attention 1", 1},
       {"start 2 5*2^2 5*2^2", "start 2 1*2^2 1*2^2", 1},
       {"start 2 5*2^2 5*2^2", "start 2 5*2^2 1*2^4", 1},
       {"optimizer ngd schedule constant step 1/10", "optimizer ngd schedule constant step 1*2^-3", 1},
       {"optimizer ngd schedule constant step 1/10", "optimizer polyak schedule constant step 1/10", 1},
       {"claim 2 forever-from-point problem 1 from 1 theorem local dominates-from none",
        "claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from none", 2}});
  Lines gd =
      replaced(ngd, "optimizer ngd schedule constant step 1/10", "optimizer gd schedule constant step 1");
  gd.back() = "path 7*2^-5 excess 0 centre 1*2^-100 height 28 growth logarithmic 499/250";
  CHECK(check_body(better, gd).status == 1);  // 1.9958
  gd.back() = "path 7*2^-5 excess 0 centre 1*2^-100 height 28 growth logarithmic 1";
  const Outcome outcome = check_body(better, gd);
  CAPTURE(outcome.message);
  CHECK(outcome.status == 0);
}

// From W_0 = -2/5 the selected token has s_0 = 1/(1 + e^0.4) = 0.4013; the floor 11/8 keeps slo = 3/8 of the
// attention, which is not half. Margin = height: half of the attention is the selected token's once y_s > 0.
TEST_CASE("domination from an explicit step on") {
  const std::string claim = "claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from ";
  const auto body = [&](const std::string& optimizer, const std::string& from, const std::string& growth) {
    return one("correlation") +
           Lines{claim + from,
                 "optimizer " + optimizer,
                 "start 1 -2/5",
                 "ranges 1",
                 "group 0 floor 11*2^-3",
                 "path 1*2^2 excess 6/5 centre 1*2^-100 height -1*2^-1 growth " + growth};
  };
  const auto status = [&](const std::string& optimizer, const std::string& from, const std::string& growth) {
    const Outcome outcome = check_body(one_constraint, body(optimizer, from, growth));
    CAPTURE(outcome.message);
    return outcome.status;
  };
  // y_s >= -2/5 + G s/8.
  const std::string ngd = "ngd schedule constant step 1*2^-3";
  CHECK(status(ngd, "none", "linear 1") == 0);
  CHECK(status(ngd, "4", "linear 1") == 0);
  CHECK(status(ngd, "3", "linear 1") == 1);
  CHECK(status(ngd, "0", "linear 1") == 1);
  CHECK(status(ngd, "7", "linear 1*2^-1") == 0);
  CHECK(status(ngd, "6", "linear 1*2^-1") == 1);
  CHECK(status(ngd, "100", "linear -1") == 1);
  CHECK(status(ngd, "-1", "linear 1") == 2);
  CHECK(status(ngd, "1000000000000000000", "linear 1") == 2);
  // log(s + 1)/8 > 2/5 from s = 24 on; (sqrt(s + 1) - 1)/4 > 2/5 from s = 6 on.
  CHECK(status("ngd schedule inverse step 1*2^-3", "24", "linear 1") == 0);
  CHECK(status("ngd schedule inverse step 1*2^-3", "23", "linear 1") == 1);
  CHECK(status("ngd schedule invsqrt step 1*2^-3", "6", "linear 1") == 0);
  CHECK(status("ngd schedule invsqrt step 1*2^-3", "5", "linear 1") == 1);
  // e^y_s >= e^-0.4 + 0.14 s.
  CHECK(status("gd schedule constant step 1", "3", "logarithmic 7/50") == 0);
  CHECK(status("gd schedule constant step 1", "2", "logarithmic 7/50") == 1);
  // slo = 5/8 from the start on.
  const Lines kept = replaced(replaced(body(ngd, "0", "linear 1"), "start 1 -2/5", "start 1 5"),
                              "group 0 floor 11*2^-3", "group 0 floor 13*2^-3");
  CHECK(check_body(one_constraint, kept).status == 0);
}

// A third token far along u, Delta_2 = (5, 5) with gap 1/20, beside Delta_1 = (1, 1) with gap 1 and the
// better token of the last test: P needs only Delta_1.
TEST_CASE("a constraint of positive gap outside P") {
  const std::string three =
      R"({"X": [[[0, 0], [-1, -1], [-5, "-1/20"], [-3, 0.5]]], "Y": [1], "v": [0, 1], "z": [[1]]})";
  const std::string listed = "outside 1", place = "0 2";
  const Lines body = problem("1 0", "correlation") +
                     Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1",
                           "vector multipliers 1 over 2",
                           "0 1 1",
                           "claim 2 forever-from-point problem 1 from 1 theorem local dominates-from 0",
                           "optimizer ngd schedule constant step 1/20",
                           "start 2 5*2^2 5*2^2",
                           "step-bound 1/20 ratio 1*2^-10 extra 1*2^-7 theta 1",
                           listed,
                           place,
                           "ranges 1",
                           "group 0 attention 1*2^-40",
                           "path 1*2^-1 excess 0 centre 1*2^-100 height 28 growth linear 1*2^-3"};
  examine_later_steps(three, body,
                      {{place, "0 1", 1},  // a member of S
                       {place, "0 3", 1},  // outside anyway
                       {place, "0 0", 2},  // no constraint
                       {place, "1 0", 2},
                       {listed, "outside 2", 2},
                       {listed, "outside 0", 2},
                       {"step-bound 1/20 ratio 1*2^-10 extra 1*2^-7 theta 1",
                        "step-bound 1/20 ratio 1*2^-18 extra 1*2^-7 theta 1", 1},
                       {"path 1*2^-1 excess 0 centre 1*2^-100 height 28 growth linear 1*2^-3",
                        "path 1*2^-3 excess 0 centre 1*2^-100 height 28 growth linear 1*2^-3", 1}});
  // With attention 1/10 the range 1/10 of the largest gap is too wide for a gap of 1/20 in P, not for one in
  // N.
  const char* range = "group 0 attention 1*2^-40";
  Lines everything = replaced(body, listed, "outside 0");
  everything.erase(std::find(everything.begin(), everything.end(), place));
  CHECK(check_body(three, everything).status == 0);
  CHECK(check_body(three, replaced(everything, range, "group 0 attention 1/10")).status == 1);
}
