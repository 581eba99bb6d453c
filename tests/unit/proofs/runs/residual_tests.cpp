// Claims about bounded residuals (T14, T15) on instances small enough to know every constant by hand.
#include <doctest/doctest.h>

#include "tests/unit/proofs/runs/later_steps.hpp"

using namespace checker_tests;

// The local optimum of forever_tests under T15: S = {Delta_1}, so U = {0}, pull is 0 and X = sum J delta over
// the better token.
TEST_CASE("bounded residual of a local optimum") {
  const std::string better = R"({"X": [[[0, 0], [-1, -1], [-3, 0.5]]], "Y": [1], "v": [0, 1], "z": [[1]]})";
  const std::string evidence = "step-bound 1/10 ratio 1*2^-10 reach 1*2^-10",
                    eigenvalue = "lambda-min 1 bits 64";
  const std::string last = "path 0 excess 1*2^-21 centre 1*2^-100 height 28 growth linear 463/1000";
  const std::string pull = "vector pull 0 over 1";
  const Lines body = problem("1 0", "correlation") +
                     Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1",
                           "vector multipliers 1 over 2",
                           "0 1 1",
                           "claim 2 forever-from-point problem 1 from 1 theorem bounded dominates-from 0",
                           "optimizer ngd schedule constant step 1/10",
                           "start 2 5*2^2 5*2^2",
                           evidence,
                           eigenvalue,
                           pull,
                           "outside 0",
                           "ranges 1",
                           "group 0 attention 1*2^-40",
                           last};
  // ||Delta_1||^2 = 2 is the only eigenvalue.
  examine_later_steps(
      better, body,
      {{eigenvalue, "lambda-min 2 bits 64", 1},
       {eigenvalue, "lambda-min 15*2^-3 bits 64", 0},
       {eigenvalue, "lambda-min 0 bits 64", 1},
       {eigenvalue, "lambda-min -1 bits 64", 1},
       {eigenvalue, "lambda-min 1 bits 5", 2},
       {evidence, "step-bound 1/10 ratio 1*2^-10 reach 1*2^-20", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-10 reach 0", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-10 reach 5*2^3", 1},
       {evidence, "step-bound 1/11 ratio 1*2^-10 reach 1*2^-10", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-16 reach 1*2^-10", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-1 reach 1*2^-10", 1},
       {evidence, "step-bound 1/10 ratio -1 reach 1*2^-10", 1},
       {evidence, "step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1", 2},
       {last, "path 1 excess 1*2^-21 centre 1*2^-100 height 28 growth linear 463/1000", 1},
       {last, "path 0 excess 1*2^-40 centre 1*2^-100 height 28 growth linear 463/1000", 1},
       {last, "path 0 excess 1*2^-21 centre -1 height 28 growth linear 463/1000", 1},
       {last, "path 0 excess 1*2^-21 centre 1*2^-100 height 283/10 growth linear 463/1000", 1},
       {last, "path 0 excess 1*2^-21 centre 1*2^-100 height 28 growth linear 15*2^-5", 1},
       {"group 0 attention 1*2^-40", "group 0 attention 1*2^-60", 1},
       {"group 0 attention 1*2^-40", "group 0 attention 1", 1},
       {"start 2 5*2^2 5*2^2", "start 2 5*2^2 1*2^4", 1},
       {"optimizer ngd schedule constant step 1/10", "optimizer polyak schedule constant step 1/10", 1},
       {"claim 2 forever-from-point problem 1 from 1 theorem bounded dominates-from 0",
        "claim 2 forever-from-point problem 1 from 1 theorem local dominates-from 0", 2}});
  // An entry of pull moves the centre: ||e~|| = sqrt 2/1024 exceeds the reach; off the support it is not
  // allowed.
  const auto with_pull = [&](const std::string& entry) {
    Lines changed = replaced(body, pull, "vector pull 1 over 1024");
    changed.insert(std::find(changed.begin(), changed.end(), "vector pull 1 over 1024") + 1, entry);
    return check_body(better, changed).status;
  };
  CHECK(with_pull("0 1 1") == 1);
  CHECK(with_pull("0 2 1") == 1);
  CHECK(with_pull("0 0 1") == 2);
}

// Delta_1 = (1, 1) and Delta_2 = (2, -1) with gaps 1 and 2, both tight: W* = (2, 1)/3, gamma = 3/sqrt 5, mu =
// (4/5, 1/5), and margins 61 and 59 at W_0 = (40, 21), gamma y_0 = 303/5. With the ranges near 0: K = 0.6390,
// C = 1.7197, A_S = 2.7588; for steps of 1/2 M' >= 3.0970; with S = 3/2 kappa = 0.27386 and X1 = 12.2508,
// X1^2 = 150.08.
TEST_CASE("bounded residual in the region of a global optimum") {
  const std::string plane = R"({"X": [[[0, 0], [-1, -1], [-2, 1]]], "Y": [1], "v": [1, 0], "z": [[1]]})";
  const std::string region = "region absorbing path 31*2^-3", eigenvalue = "lambda-min 3*2^-1 bits 64";
  const std::string step = "step-bound 1*2^-1", optimizer = "optimizer ngd schedule constant step 1*2^-1";
  const std::string first = "claim 2 forever-from-point problem 1 from 1 theorem residual dominates-from 0";
  const std::string range = "group 0 output 1*2^-60 attention 1*2^-60";
  const std::string last = "path 0 excess 151 centre 9/10 height 45 growth linear 299/500";
  const Lines body = problem("1 0", "correlation") + Lines{"claim 1 optimal problem 1 norm-squared 5/9",
                                                           "vector multipliers 2 over 9",
                                                           "0 1 4",
                                                           "0 2 1",
                                                           first,
                                                           optimizer,
                                                           "start 2 5*2^3 21",
                                                           region,
                                                           eigenvalue,
                                                           step,
                                                           "ranges 1",
                                                           range,
                                                           last};
  const auto conclusion = [](const std::string& path, const std::string& excess) {
    return "path " + path + " excess " + excess + " centre 9/10 height 45 growth linear 299/500";
  };
  examine_later_steps(
      plane, body,
      {{last, conclusion("0", "75*2^1"), 1},
       {last, conclusion("0", "1501/10"), 0},
       {last, conclusion("1", "151"), 1},
       {last, conclusion("31*2^-3", "151"), 1},
       {last, conclusion("0", "-1"), 1},
       {last, "path 0 excess 151 centre 89/100 height 45 growth linear 299/500", 1},
       {last, "path 0 excess 151 centre 9/10 height 91*2^-1 growth linear 299/500", 1},
       {last, "path 0 excess 151 centre 9/10 height 45 growth linear 301/500", 1},
       {last, "path 0 excess 151 centre 9/10 height 45 growth logarithmic 299/500", 1},
       {region, "region absorbing path 3", 1},
       {region, "region absorbing path 31/10", 0},
       {region, "region absorbing path 0", 1},
       {region, "region absorbing path -31*2^-3", 1},
       {region, "region local path 31*2^-3", 2},
       {region, "region lock-in path 31*2^-3", 2},
       {region, "region path 31*2^-3", 2},
       {eigenvalue, "lambda-min 169/100 bits 64", 0},
       {eigenvalue, "lambda-min 17/10 bits 64", 1},
       {eigenvalue, "lambda-min 149/100 bits 64", 1},  // X1^2 = 151.08
       {eigenvalue, "lambda-min 0 bits 64", 1},
       {eigenvalue, "lambda-min -3*2^-1 bits 64", 1},
       {eigenvalue, "lambda-min 3*2^-1 bits 5", 2},
       {step, "step-bound 1*2^-2", 1},
       {step, "step-bound 1", 1},  // longer steps: X1^2 = 208
       {range, "group 0 output 1*2^-60 attention 1*2^-90", 1},
       {range, "group 0 output 1*2^-90 attention 1*2^-60", 1},
       {range, "group 0 attention 1*2^-60", 2},
       {optimizer, "optimizer ngd schedule constant step 3*2^-2", 1},
       {optimizer, "optimizer ngd schedule inverse step 1*2^-1", 0},
       {first, "claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from 0", 2},
       {first, "claim 2 forever-from-point problem 1 from 1 theorem bounded dominates-from 0", 2},
       {"start 2 5*2^3 21", "start 2 5*2^3 25", 1}});
  // Polyak steps eta thhi/gamma = 0.3727 for eta = 1/2: M' >= 2.9363, X1^2 = 136.9, growth gamma/D^2 =
  // 0.2683.
  Lines polyak = replaced(body, optimizer, "optimizer polyak schedule constant step 1*2^-1");
  polyak.back() = "path 0 excess 140 centre 9/10 height 45 growth linear 67/250";
  CHECK(check_body(plane, polyak).status == 1);
  polyak = replaced(polyak, step, "step-bound 373/1000");
  CHECK(check_body(plane, polyak).status == 0);
  CHECK(check_body(plane, replaced(polyak, "step-bound 373/1000", "step-bound 372/1000")).status ==
        2);  // not canonical
  CHECK(check_body(plane, replaced(polyak, "step-bound 373/1000", "step-bound 93/250")).status == 1);
  // Local evidence with N empty is as good: M' >= (2C + D/2)/gamma = 3.3969.
  Lines local = replaced(replaced(body, region, "region local path 17*2^-2"), step,
                         "step-bound 1*2^-1 ratio 0 extra 0 theta 1");
  local = replaced(local, range, "group 0 attention 1*2^-60");
  local.insert(std::find(local.begin(), local.end(), "ranges 1"), "outside 0");
  CHECK(check_body(plane, local).status == 0);
  CHECK(check_body(plane, replaced(local, "region local path 17*2^-2", "region local path 169/50")).status ==
        1);
}

// The better token's Delta_2 = (3, -1/2) is the only far constraint: beta = sqrt 2/4, q = 0.9474, z = 1.5562
// for M' = 7/32, J = 5.590e-4, and X^2 = 1.9156e-6 just above 2^-19.
TEST_CASE("bounded residual in the region of a local optimum") {
  const std::string better = R"({"X": [[[0, 0], [-1, -1], [-3, 0.5]]], "Y": [1], "v": [0, 1], "z": [[1]]})";
  const std::string region = "region local path 7*2^-5",
                    evidence = "step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1";
  const std::string optimizer = "optimizer ngd schedule constant step 1/10";
  const std::string last = "path 0 excess 1*2^-18 centre 1*2^-100 height 28 growth linear 463/1000";
  const Lines body = problem("1 0", "correlation") +
                     Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1",
                           "vector multipliers 1 over 2",
                           "0 1 1",
                           "claim 2 forever-from-point problem 1 from 1 theorem residual dominates-from 0",
                           optimizer,
                           "start 2 5*2^2 5*2^2",
                           region,
                           "lambda-min 1 bits 64",
                           evidence,
                           "outside 0",
                           "ranges 1",
                           "group 0 attention 1*2^-40",
                           last};
  examine_later_steps(better, body,
                      {{last, "path 0 excess 1*2^-19 centre 1*2^-100 height 28 growth linear 463/1000", 1},
                       {last, "path 0 excess 1/520000 centre 1*2^-100 height 28 growth linear 463/1000", 0},
                       {last, "path 0 excess 1*2^-18 centre 1*2^-100 height 28 growth linear 15*2^-5", 1},
                       {region, "region local path 217/1000", 1},
                       {region, "region local path 1*2^-1", 1},  // J grows with the path constant
                       {region, "region absorbing path 7*2^-5", 2},
                       {"lambda-min 1 bits 64", "lambda-min 2 bits 64", 1},
                       {evidence, "step-bound 1/10 ratio 1*2^-15 extra 1*2^-9 theta 1", 1},
                       {evidence, "step-bound 1/10 ratio 1*2^-10 extra 1*2^-12 theta 1", 1},
                       {evidence, "step-bound 1/11 ratio 1*2^-10 extra 1*2^-9 theta 1", 1},
                       {"outside 0", "outside 1", 2},
                       {"group 0 attention 1*2^-40", "group 0 attention 1*2^-60", 1},
                       {optimizer, "optimizer polyak schedule constant step 1/10", 1},
                       {"start 2 5*2^2 5*2^2", "start 2 5*2^2 1*2^4", 1}});
}
