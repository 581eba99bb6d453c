// The head of selection cross-entropy: its instances, its scores and constants, and claims about all later
// steps on instances small enough to know every constant by hand.
#include <doctest/doctest.h>

#include "proofs/checker/problem/smoothness.hpp"
#include "proofs/checker/runs/head.hpp"
#include "tests/unit/proofs/checker/claims.hpp"
#include "tests/unit/proofs/runs/reference_iteration.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

// Delta = 1, u = 1, gamma = 1. At W_0 = 5: margin and height 5, attention on the other token 0.0066929.
const std::string pair = R"({"X": [[[2], [1]]], "head": "cross-entropy", "y": [0], "z": [[1]]})";

Lines theorem(const std::string& name, const std::string& optimizer, const Lines& evidence,
              const std::string& last) {
  return problem("1 0", "cross-entropy") +
         Lines{"claim 1 optimal problem 1 norm-squared 1",
               "vector multipliers 1 over 1",
               "0 1 1",
               "claim 2 forever-from-point problem 1 from 1 theorem " + name + " dominates-from none",
               "optimizer " + optimizer,
               "start 1 5"} +
         evidence + Lines{last};
}

int status_of(const std::string& instance, const Lines& body) {
  const Outcome outcome = check_body(instance, body);
  CAPTURE(outcome.message);
  return outcome.status;
}

}  // namespace

TEST_CASE("an instance with y has its scores, whatever stands for y") {
  const Instance instance = read_instance(
      TemporaryFile(R"({"X": [[[1], [2], [1]], [[3], [4]]], "y": [2, 1], "z": [[1], [1]]})").path());
  const Features features(instance);
  CHECK(instance.cross_entropy());
  CHECK(features.exact_score(0, 0) == 1);
  CHECK(features.exact_score(0, 1) == 0);
  CHECK(features.exact_score(1, 0) == 0);
  CHECK(features.exact_score(1, 1) == 1);
  CHECK(features.multiplicity(0, 0) == 2);
}

TEST_CASE("keys of another head, tokens there are not") {
  for (const char* text :
       {R"({"X": [[[1], [2]]], "y": [2]})", R"({"X": [[[1], [2]]], "y": [0, 1]})",
        R"({"X": [[[1], [2]]], "y": [-1]})", R"({"X": [[[1], [2]]], "y": ["1/2"]})",
        R"({"X": [[[1], [2]]], "head": "cross-entropy"})",
        R"({"X": [[[1], [2]]], "y": [0], "head": "linear"})", R"({"X": [[[1], [2]]], "y": [0], "head": 1})",
        R"({"X": [[[1], [2]]], "y": [0], "Y": [1], "v": [1]})",
        R"({"X": [[[1], [2]]], "y": [0], "scores": [[1, 0]]})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_instance(TemporaryFile(text).path()), Failure);
  }
}

TEST_CASE("a problem names the instance's own head or none") {
  const Lines solution{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1"};
  CHECK(status_of(pair, problem("1 0", "none") + solution) == 0);
  CHECK(status_of(pair, problem("1 0", "cross-entropy") + solution) == 0);
  CHECK(status_of(pair, problem("1 0", "logistic") + solution) == 1);
  CHECK(status_of(one_constraint, problem("1 0", "cross-entropy") + solution) == 1);
  // Words of heads of several outputs, which other instances do not have.
  for (const char* loss : {"classifier", "relu-logistic", "relu-exponential", "relu-correlation"}) {
    CHECK(status_of(pair, problem("1 0", loss) + solution) == 2);
    CHECK(status_of(one_constraint, problem("1 0", loss) + solution) == 2);
  }
}

TEST_CASE("the smoothness constant is a quarter of the squared diameter") {
  const auto claim = [](const std::string& beta) {
    return status_of(pair,
                     problem("1 0", "cross-entropy") + Lines{"claim 1 smoothness problem 1 beta " + beta});
  };
  CHECK(claim("1*2^-2") == 0);
  CHECK(claim("249/1000") == 1);
}

// b_c = s_y (1/n)(k_c/k_y): every point of the region has it within the bounds, and its logarithm as near to
// the limit's as the rate says.
TEST_CASE("the head's ranges contain b_c, and its limit is approached at the rate") {
  const Instance instance = read_instance(TemporaryFile(pair).path());
  const Features features(instance);
  Problem problem;
  problem.features = &features;
  problem.loss = Loss::cross_entropy;
  problem.selection = {0};
  const auto head = make_head(problem, 128);
  for (long lost = 0; lost < 64; ++lost) {
    const Rational rest = fraction(lost, 64), kept = 1 - rest, odds = rest / kept;
    for (long more = 0; more <= lost; ++more) {  // a point of the region: less attention is lost there
      const Rational b = 1 - fraction(more, 64);
      const WeightBounds bounds = head->bounds({0, 1}, {kept, rest, 0});
      CHECK(bounds.lower.lower() <= b);
      CHECK(bounds.upper.upper() >= b);
      CHECK(head->most_magnitude({0, 1}, {kept, rest, 0}).upper() >= b);
    }
    // -log s against (1 - s)/s, and theta = -log(s)/(1 - s) against its lower bound.
    const Real log_share = -log(checker_tests::real(kept));
    CHECK(log_share <= checker_tests::real(head->limit_rate(0, 1, 1).upper() * odds));
    CHECK(log_share >= checker_tests::real(head->bounds({0, 1}, {kept, rest, 0}).steadiness.lower() * rest));
  }
  CHECK(head->limit({0, 1}).lower() == 1);
  CHECK(head->covers(0));
  problem.selection = {1};
  CHECK_FALSE(head->covers(0));
}

// With eps = 1/64: blo = 63/64, bhi = 1, C = log(64/63) = 0.015748.
TEST_CASE("cross-entropy: absorbing region") {
  const Lines ranges{"step-bound 1*2^-3", "ranges 1", "group 0 output 1*2^-6 attention 1*2^-6"};
  const auto with = [&](const std::string& optimizer, const std::string& last) {
    return status_of(pair, theorem("absorbing", optimizer, ranges, last));
  };
  const std::string ngd = "ngd schedule constant step 1*2^-3", gd = "gd schedule constant step 1",
                    polyak = "polyak schedule constant step 1*2^-1";
  // M >= 2 C = 0.031497
  CHECK(with(ngd, "path 315/10000 excess 0 centre 0 height 5 growth linear 1") == 2);
  CHECK(with(ngd, "path 63/2000 excess 0 centre 0 height 5 growth linear 1") == 0);
  CHECK(with(ngd, "path 157/5000 excess 0 centre 0 height 5 growth linear 1") == 1);
  // G <= e^K = 63/64
  CHECK(with(gd, "path 63/2000 excess 0 centre 0 height 5 growth logarithmic 125*2^-7") == 0);
  CHECK(with(gd, "path 63/2000 excess 0 centre 0 height 5 growth logarithmic 127*2^-7") == 1);
  // theta between 1 and 64/63: M >= 2 C + 0.50794, G <= 1.
  CHECK(with(polyak, "path 27/50 excess 0 centre 0 height 5 growth linear 127*2^-7") == 0);
  CHECK(with(polyak, "path 539/1000 excess 0 centre 0 height 5 growth linear 127*2^-7") == 1);
  CHECK(with(polyak, "path 27/50 excess 0 centre 0 height 5 growth linear 129*2^-7") == 1);
}

TEST_CASE("cross-entropy: lock-in by loss, from any start") {
  const auto with = [&](const std::string& optimizer, const std::string& floor, const std::string& last) {
    return status_of(pair, theorem("lock-in", optimizer, {"ranges 1", "group 0 floor " + floor}, last));
  };
  // -log flo >= L - L* = 0.0067153: flo <= 0.993307. With flo = 63/64: M >= 2 C = 0.031497, G <= 63/64.
  const std::string gd = "gd schedule constant step 1*2^2";  // eta beta = 1
  const std::string last = "path 63/2000 excess 27/500 centre 0 height 5 growth logarithmic 125*2^-7";
  CHECK(with(gd, "63*2^-6", last) == 0);
  CHECK(with("gd schedule constant step 5", "63*2^-6", last) == 1);
  CHECK(with(gd, "127*2^-7", last) == 0);
  CHECK(with(gd, "511*2^-9", last) == 1);
  CHECK(with(gd, "0", last) == 1);
  CHECK(with(gd, "31*2^-5", last) == 1);
  CHECK(with(gd, "63*2^-6", "path 157/5000 excess 27/500 centre 0 height 5 growth logarithmic 125*2^-7") ==
        1);
  // 2 eta (L - L*) = 0.053722
  CHECK(with(gd, "63*2^-6", "path 63/2000 excess 53/1000 centre 0 height 5 growth logarithmic 125*2^-7") ==
        1);
  CHECK(with(gd, "63*2^-6", "path 63/2000 excess 27/500 centre 0 height 5 growth logarithmic 127*2^-7") == 1);
  // Normalised: eta e^eta < 2, without a part of the loss's curvature.
  const std::string linear = "path 63/2000 excess 0 centre 0 height 5 growth linear 1";
  CHECK(with("ngd schedule constant step 17/20", "63*2^-6", linear) == 0);
  CHECK(with("ngd schedule constant step 43/50", "63*2^-6", linear) == 1);
  // From -5, where the wrong token has nearly all attention: L - L* = 5.0067, flo = 1/256, M >= 2 log 256.
  const auto far = [&](const std::string& floor, const std::string& path) {
    const std::string end = " centre 0 height -5 growth logarithmic 1*2^-9";
    return status_of(
        pair, replaced(theorem("lock-in", "gd schedule constant step 1",
                               {"ranges 1", "group 0 floor " + floor}, "path " + path + " excess 11" + end),
                       "start 1 5", "start 1 -5"));
  };
  CHECK(far("1*2^-8", "111/10") == 0);
  CHECK(far("1*2^-8", "11") == 1);
  CHECK(far("1*2^-7", "111/10") == 1);
}

TEST_CASE("cross-entropy: sharp bounded residual") {
  // Ebar = e^(h - 5), h = 1/8; X^2 = 4 Ebar = 0.030540.
  const auto with = [&](const std::string& reach, const std::string& excess) {
    return status_of(pair,
                     theorem("bounded", "ngd schedule constant step 1*2^-3",
                             {"step-bound 1*2^-3 ratio 0 reach " + reach, "lambda-min 1*2^-1 bits 64",
                              "vector pull 0 over 1", "outside 0", "ranges 1", "group 0 attention 1*2^-6"},
                             "path 0 excess " + excess + " centre 0 height 5 growth linear 1"));
  };
  CHECK(with("3*2^-4", "1*2^-5") == 0);
  CHECK(with("3*2^-4", "61/2000") == 1);
  CHECK(with("87/500", "1*2^-5") == 1);
}

// Delta_1 = (1, 1), Delta_2 = (3, -1/2): W* = (1, 1)/2 leaves the third token behind, so it may be in N. At
// (20, 20) R(0) = e^-9.0526 = 0.00011697.
TEST_CASE("cross-entropy: a constraint of N weighs 1/n, and no other token may be selected") {
  const std::string three = R"({"X": [[[0, 0], [-1, -1], [-3, 0.5]]], "y": [0], "z": [[1]]})";
  const auto body = [](const std::string& selection, const std::string& ratio, const Lines& outside,
                       const Lines& ranges) {
    return problem(selection, "cross-entropy") +
           Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1",
                 "vector multipliers 1 over 2",
                 "0 1 1",
                 "claim 2 forever-from-point problem 1 from 1 theorem local dominates-from none",
                 "optimizer ngd schedule constant step 1/10",
                 "start 2 5*2^2 5*2^2",
                 "step-bound 1/10 ratio " + ratio + " extra 1*2^-9 theta 1"} +
           outside + ranges + Lines{"path 7*2^-5 excess 0 centre 1*2^-100 height 28 growth linear 463/1000"};
  };
  const Lines one{"ranges 1", "group 0 attention 1*2^-40"};
  CHECK(status_of(three, body("1 0", "1*2^-13", {"outside 1", "0 2"}, one)) == 0);
  CHECK(status_of(three, body("1 0", "1*2^-14", {"outside 1", "0 2"}, one)) == 1);
  CHECK(status_of(three, body("1 0", "0", {"outside 0"}, one)) == 0);

  // The same constraints in two groups, of which the second is to select its other token.
  const std::string other =
      R"({"X": [[[0, 0], [-1, -1]], [[0, 0], [-3, 0.5]]], "y": [0, 1], "z": [[1], [1]]})";
  const Outcome outcome =
      check_body(other, body("2 0 0", "1*2^-10", {"outside 0"},
                             {"ranges 2", "group 0 attention 1*2^-40", "group 1 attention 1*2^-40"}));
  CHECK(outcome.status == 1);
  CHECK(outcome.message.find("the head has no bounds where group 1 selects token 0") != std::string::npos);
}

// A = 1, B = (1 - 3 decay)/3 at both constraints of two of three groups: ||W*|| = sqrt 2.
TEST_CASE("cross-entropy: the regularisation path") {
  const std::string corner =
      R"({"X": [[[2, 0], [1, 0]], [[0, 3], [0, 2], [0, 0]], [[5, 5]]], "y": [0, 0, 0],
          "z": [[1], [1], [1]]})";
  for (const int radius : {5, 20, 1000}) {
    const Real decay = exp(-Real(radius) / sqrt(Real(2)));
    const Real sharp = sqrt(Real(2)) * (log(Real(3)) - log(1 - 3 * decay));
    for (const bool above : {true, false}) {
      const Real scaled = ldexp(sharp, 300) + (above ? 1 : -1) * ldexp(Real(1), 150);
      const Integer rounded(Real(floor(scaled))
                                .str(0, std::ios_base::fixed)
                                .substr(0, 200)
                                .substr(0, Real(floor(scaled)).str(0, std::ios_base::fixed).find('.')));
      const Lines claim =
          problem("3 0 0 0", "cross-entropy") +
          Lines{"claim 1 optimal problem 1 norm-squared 2", "vector multipliers 2 over 1", "0 1 1", "1 1 1",
                "claim 2 regularisation-path problem 1 from 1 from-radius " +
                    std::string(radius == 5    ? "5"
                                : radius == 20 ? "5*2^2"
                                               : "125*2^3") +
                    " rate-constant " + canonical(scale_by_power_of_two(rounded, -300))};
      CHECK(status_of(corner, claim) == (above ? 0 : 1));
    }
  }
}
