// Claims about the regularisation path: T21's constant computed apart in 200 digits, the answer a hair above
// and below it; radii at which a selected token might lose all attention; refusals.
#include <doctest/doctest.h>

#include <boost/multiprecision/mpfr.hpp>
#include <vector>

#include "tests/unit/proofs/checker/claims.hpp"

using namespace checker_tests;

namespace {

using attest_check::Rational;
using LongReal = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<200>,
                                               boost::multiprecision::et_off>;

// Scores 2, 1; 3/2, 1, 0; one token. Delta = (1, 0); (0, 1), (0, 3): W* = (1, 1), multipliers 1, 1, 0.
const std::string corner =
    R"({"X": [[[2, 0], [1, 0]], [[0, 3], [0, 2], [0, 0]], [[5, 5]]], "Y": [1, 1, 1], "v": [1, "1/2"],
        "z": [[1], [1], [1]]})";

// The same with tokens that stand there more often: the selected one of the first group three times, the
// tight one of the second twice.
const std::string repeated_word =
    R"({"X": [[[2, 0], [1, 0], [2, 0], [2, 0]], [[0, 3], [0, 2], [0, 0], [0, 2]], [[5, 5]]], "Y": [1, 1, 1],
        "v": [1, "1/2"], "z": [[1], [1], [1]]})";

// `total`: of the gaps, each as often as its token stands there for once that the selected one does; `often`:
// that of the tight token.
struct Group {
  LongReal best, least, closest, total, often;
};
const std::vector<Group> single{{2, 1, 1, 1, 1}, {LongReal(3) / 2, 0, LongReal(1) / 2, 2, 1}},
    several{{2, 1, 1, LongReal(1) / 3, LongReal(1) / 3},
            {LongReal(3) / 2, 0, LongReal(1) / 2, LongReal(5) / 2, 2}};

LongReal slope(const std::string& loss, const LongReal& f) {
  if (loss == "correlation") return 1;
  return loss == "exponential" ? LongReal(exp(-f)) : LongReal(1 / (1 + exp(f)));
}

LongReal scale(const std::string& loss, const LongReal& decay, const std::vector<Group>& groups) {
  LongReal sum = 0;
  for (const Group& g : groups)
    sum += slope(loss, std::max<LongReal>(g.best - g.total * decay, g.least)) * g.total / 3;
  return sum;
}

LongReal theta(const std::string& loss, const Group& g, const LongReal& radius,
               const std::vector<Group>& groups = single) {
  const LongReal decay = exp(-radius / sqrt(LongReal(2)));
  return scale(loss, decay, groups) * decay / (slope(loss, g.best) / 3 * g.closest);
}

// ||W*|| sum mu log(A/B) with mu = 1/2 at the gaps 1 and 1/2.
LongReal constant(const std::string& loss, const LongReal& radius,
                  const std::vector<Group>& groups = single) {
  const LongReal decay = exp(-radius / sqrt(LongReal(2)));
  LongReal sum = 0;
  for (const Group& g : groups)
    sum += log(scale(loss, decay, groups) /
               (slope(loss, g.best) / 3 * (1 - theta(loss, g, radius, groups)) * g.closest * g.often)) /
           2;
  return sqrt(LongReal(2)) * sum;
}

// A dyadic within 2^-400 of x.
std::string dyadic(const LongReal& x) {
  const LongReal scaled = ldexp(x, 400);
  const attest_check::Integer rounded(boost::multiprecision::mpz_int(scaled).str());
  return attest_check::canonical(attest_check::scale_by_power_of_two(rounded, -400));
}

Lines exact(const std::string& loss) {
  return problem("3 0 0 0", loss) +
         Lines{"claim 1 optimal problem 1 norm-squared 2", "vector multipliers 2 over 1", "0 1 1", "1 1 1"};
}

Lines enclosed(const std::string& loss) {
  const std::string radii = "radius 1*2^-100 multiplier-radius 1*2^-100";
  return problem("3 0 0 0", loss) +
         Lines{"claim 1 optimal-enclosure problem 1 form lambda-min norm-squared 1 3 " + radii,
               "lambda-min 1*2^-1 bits 29", "vector multipliers 2 over 1", "0 1 1", "1 1 1"};
}

Outcome with(const std::string& instance, const Lines& solution, const std::string& radius,
             const std::string& rate, const std::string& from = "from 1") {
  return check_body(instance, solution + Lines{"claim 2 regularisation-path problem 1 " + from +
                                               " from-radius " + radius + " rate-constant " + rate});
}

}  // namespace

TEST_CASE("the constant of the path: accepted 2^-200 above the exact one, refused as much below") {
  for (const std::string loss : {"logistic", "exponential", "correlation"}) {
    CAPTURE(loss);
    for (const int radius : {5, 8, 20, 100, 1000, 60000}) {
      CAPTURE(radius);
      const LongReal sharp = constant(loss, radius);
      const std::string r = std::to_string(radius);
      CHECK(with(corner, exact(loss), r, dyadic(sharp * (1 + ldexp(LongReal(1), -200)))).status == 0);
      CHECK(with(corner, exact(loss), r, dyadic(sharp * (1 - ldexp(LongReal(1), -200)))).status == 1);
      CHECK(with(corner, enclosed(loss), r, dyadic(sharp * (1 + ldexp(LongReal(1), -80)))).status == 0);
      CHECK(with(corner, enclosed(loss), r, dyadic(sharp * (1 + ldexp(LongReal(1), -150)))).status == 1);
    }
  }
}

TEST_CASE("the constant of the path counts every token as often as it stands there") {
  for (const std::string loss : {"logistic", "exponential", "correlation"}) {
    CAPTURE(loss);
    for (const int radius : {8, 100}) {
      CAPTURE(radius);
      const LongReal sharp = constant(loss, radius, several), hair = ldexp(LongReal(1), -200);
      const std::string r = std::to_string(radius);
      CHECK(with(repeated_word, exact(loss), r, dyadic(sharp * (1 + hair))).status == 0);
      CHECK(with(repeated_word, exact(loss), r, dyadic(sharp * (1 - hair))).status == 1);
    }
  }
}

TEST_CASE("beyond the cut of the decay the constant is that of the cut") {
  const LongReal at_cut = constant("logistic", LongReal(4294967296) * sqrt(LongReal(2)));
  for (const char* radius : {"10000000000", "1*2^60000"}) {
    CHECK(with(corner, exact("logistic"), radius, dyadic(at_cut * (1 + ldexp(LongReal(1), -200)))).status ==
          0);
    CHECK(with(corner, exact("logistic"), radius, dyadic(at_cut * (1 - ldexp(LongReal(1), -200)))).status ==
          1);
  }
}

TEST_CASE("a radius at which a selected token might lose all attention is refused") {
  for (const std::string loss : {"logistic", "exponential", "correlation"}) {
    CAPTURE(loss);
    // theta falls with the radius: bisection for the larger one to be 1.
    LongReal low = 0, high = 100;
    for (int round = 0; round < 600; ++round) {
      const LongReal middle = (low + high) / 2;
      const LongReal largest = std::max(theta(loss, single[0], middle), theta(loss, single[1], middle));
      (largest < 1 ? high : low) = middle;
    }
    const LongReal hair = ldexp(LongReal(1), -200);
    const Outcome below = with(corner, exact(loss), dyadic(low * (1 - hair)), "100000");
    CHECK(below.status == 1);
    CHECK(below.message.find("may lose all attention at from-radius") != std::string::npos);
    CHECK(with(corner, exact(loss), dyadic(high * (1 + hair)), "100000").status == 0);
  }
}

TEST_CASE("the line of a regularisation-path claim") {
  const Outcome outcome = with(corner, exact("exponential"), "8", "30");
  REQUIRE(outcome.status == 0);
  CHECK(outcome.claims.back().line ==
        "claim 2 regularisation-path problem 1 from 1 from-radius 1*2^3 rate-constant 15*2^1 setting "
        "cross-attention norm euclidean loss exponential selection 0 0 0");
}

TEST_CASE("regularisation-path: refusals") {
  CHECK(with(corner, exact("none"), "8", "30").status == 1);
  CHECK(with(corner, exact("logistic"), "0", "30").status == 1);
  CHECK(with(corner, exact("logistic"), "-8", "30").status == 1);
  CHECK(with(corner, exact("logistic"), "8", "-30").status == 1);
  CHECK(with(corner, exact("logistic"), "8", "0").status == 1);
  // Nothing is known of the multipliers.
  const Lines gap = problem("3 0 0 0", "logistic") +
                    Lines{"claim 1 optimal-enclosure problem 1 form gap norm-squared 2 2 distance-squared 0",
                          "vector primal 2 over 1",
                          "0 1 1",
                          "1 1 1",
                          "vector dual 2 over 1",
                          "0 1 1",
                          "1 1 1"};
  CHECK(with(corner, gap, "8", "30").status == 1);
  // A tie for the best score, and a better token than the selected one, neither with a multiplier.
  const std::string tied = R"({"X": [[[0, 0], [-1, 0], [-2, 4]]], "Y": [1], "v": [1, "1/2"], "z": [[1]]})";
  const std::string better = R"({"X": [[[0, 0], [-1, 0], [-2, 5]]], "Y": [1], "v": [1, "1/2"], "z": [[1]]})";
  const std::string worse = R"({"X": [[[0, 0], [-1, 0], [-2, 3]]], "Y": [1], "v": [1, "1/2"], "z": [[1]]})";
  const Lines one = problem("1 0", "logistic") +
                    Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1"};
  CHECK(with(worse, one, "20", "300").status == 0);
  for (const std::string& instance : {tied, better}) {
    const Outcome outcome = with(instance, one, "20", "300");
    CHECK(outcome.status == 1);
    CHECK(outcome.message.find("score gap at (0, 2)") != std::string::npos);
  }
  // Without constraints there is no direction.
  CHECK(with(no_constraints,
             problem("1 0", "logistic") +
                 Lines{"claim 1 optimal problem 1 norm-squared 0", "vector multipliers 0 over 1"},
             "8", "30")
            .status == 1);
  CHECK(with(corner, exact("logistic"), "8", "30", "from 2").status == 2);
  CHECK(with(corner, exact("logistic"), "8", "30", "from 0").status == 2);
  CHECK(with(corner, exact("logistic"), "8", "30", "").status == 2);
  CHECK(with(corner, exact("logistic"), "8.5", "30").status == 2);
  CHECK(with(corner, exact("logistic"), "8", "30 40").status == 2);
  CHECK(with(corner, exact("logistic"), "8", "").status == 2);
}
