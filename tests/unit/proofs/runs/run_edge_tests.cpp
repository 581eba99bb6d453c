// Bands of run claims a hair beyond the truth: false by 2^-200 and less, at values known to 450 bits.
#include <doctest/doctest.h>

#include "tests/unit/proofs/checker/claims.hpp"
#include "tests/unit/proofs/runs/reference_iteration.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

using Lines = std::vector<std::string>;

// The multiple of 2^-400 at or below x.
Rational floor_of(const Real& x) {
  const std::string digits = Real(floor(x * pow(Real(2), 400))).str(0, std::ios_base::fixed);
  return scale_by_power_of_two(Integer(digits.substr(0, digits.find('.'))), -400);
}

struct Band {
  std::string name;
  Real value;
};

}  // namespace

TEST_CASE("a band that ends a hair before the value is refused, one that ends well beyond it is not") {
  const Instance instance = read_instance(TemporaryFile(two_groups).path());
  const Features features(instance);
  Problem problem;
  problem.features = &features;
  problem.loss = Loss::logistic;
  problem.selection = {0, 0};
  Specification specification;
  specification.rule = Rule::ngd;
  specification.step = Rational(1, 4);
  const ReferenceIteration reference(problem, specification);
  for (const std::size_t steps : {0UL, 3UL}) {
    CAPTURE(steps);
    std::vector<Real> w = {2, 1};
    for (std::size_t t = 0; t < steps; ++t) w = reference.next(w, t);
    const ReferencePoint at = reference.at(w);
    const Real norm = ReferenceIteration::norm(w), along = (w[0] + w[1]) / sqrt(Real(2));
    const std::vector<Band> bands = {{"norm", norm},
                                     {"along", along},
                                     {"one-minus-corr", 1 - along / norm},
                                     {"loss-gap", at.loss_gap},
                                     {"gradient", at.gradient},
                                     {"unselected", at.unselected}};
    const auto status = [&](std::size_t changed, const Rational& lo, const Rational& hi,
                            const std::string& widths = "64") {
      std::string line = "at " + std::to_string(steps);
      for (std::size_t k = 0; k < bands.size(); ++k) {
        const Rational wide(1, 1 << 20), value = floor_of(bands[k].value);
        line.append(" ")
            .append(bands[k].name)
            .append(" ")
            .append(canonical(k == changed ? lo : Rational(value - wide)));
        line.append(" ").append(canonical(k == changed ? hi : Rational(value + wide)));
      }
      return check_body(
                 two_groups,
                 ::checker_tests::problem("2 0 0", "logistic") +
                     Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1", "vector multipliers 2 over 2^2",
                           "0 1 1", "1 1 1", "claim 2 run problem 1 from 1 steps " + std::to_string(steps),
                           "optimizer ngd schedule constant step 1*2^-2 fraction-bits " + widths,
                           "start 2 2 1", "checkpoints 1", line, "loss-decreases-until 0", "rates 0"})
          .status;
    };
    for (std::size_t k = 0; k < bands.size(); ++k) {
      CAPTURE(bands[k].name);
      const Rational below = floor_of(bands[k].value), above = below + scale_by_power_of_two(1, -400);
      const auto hair = [](long exponent) { return scale_by_power_of_two(1, exponent); };
      for (const long exponent : {-390L, -250L, -200L, -150L, -100L}) {
        CAPTURE(exponent);
        CHECK(status(k, above + hair(exponent), above + 1) == 1);
        CHECK(status(k, below - 1, below - hair(exponent)) == 1);
      }
      CHECK(status(k, below - hair(-100), above + hair(-100)) == 0);
      // Widths that are too small cost another attempt and change no verdict.
      if (steps == 0) continue;
      CHECK(status(k, below - hair(-350), above + hair(-350), "400 then 1 300 then 3 0") == 0);
      CHECK(status(k, above + hair(-350), above + 1, "400 then 1 300 then 3 0") == 1);
    }
  }
}

TEST_CASE("nothing is said about the direction of a matrix that may be 0") {
  const auto status = [](const std::string& corr) {
    return check_body(two_groups, problem("2 0 0", "logistic") +
                                      Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1",
                                            "vector multipliers 2 over 2^2", "0 1 1", "1 1 1",
                                            "claim 2 run problem 1 from 1 steps 0",
                                            "optimizer ngd schedule constant step 1*2^-2 fraction-bits 64",
                                            "start zero", "checkpoints 1",
                                            "at 0 norm -1 1 along -1 1 one-minus-corr " + corr +
                                                " loss-gap -1 1 gradient -1 1 unselected -1 1",
                                            "loss-decreases-until 0", "rates 0"})
        .status;
  };
  CHECK(status("none") == 0);
  CHECK(status("-3 3") == 1);
}

TEST_CASE("a run needs a loss") {
  for (const auto& [loss, expected] : {std::pair("correlation", 0), std::pair("none", 1)}) {
    CHECK(
        check_body(two_groups,
                   problem("2 0 0", loss) +
                       Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1", "vector multipliers 2 over 2^2",
                             "0 1 1", "1 1 1", "claim 2 run problem 1 from 1 steps 1",
                             "optimizer ngd schedule constant step 1*2^-2 fraction-bits 64", "start 2 1 1",
                             "checkpoints 1",
                             "at 1 norm -9 9 along -9 9 one-minus-corr -9 9 loss-gap -9 9 gradient -9 9 "
                             "unselected -9 9",
                             "loss-decreases-until 1", "rates 0"})
            .status == expected);
  }
}

TEST_CASE("a value that no number of bits tells from the edge of its band's inside is refused") {
  // ||W_0|| = sqrt 2 and an edge that agrees with it in 1000 bits.
  const auto status = [](const Rational& lo, const Rational& hi) {
    return check_body(
               two_groups,
               problem("2 0 0", "logistic") +
                   Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1", "vector multipliers 2 over 2^2",
                         "0 1 1", "1 1 1", "claim 2 run problem 1 from 1 steps 0",
                         "optimizer ngd schedule constant step 1*2^-2 fraction-bits 64", "start 2 1 1",
                         "checkpoints 1",
                         "at 0 norm " + canonical(lo) + " " + canonical(hi) +
                             " along -9 9 one-minus-corr -9 9 loss-gap -9 9 gradient -9 9 unselected -9 9",
                         "loss-decreases-until 0", "rates 0"})
        .status;
  };
  const Rational inset = scale_by_power_of_two(1, -32), hair = scale_by_power_of_two(1, -48);
  for (const bool above : {false, true}) {
    const Rational root = scale_by_power_of_two(sqrt(Integer(Integer(2) << 2000)) + (above ? 1 : 0), -1000);
    CHECK(status(root - inset, root + 1 - inset) == 1);
    CHECK(status(root - inset - hair, root + 1 - inset - hair) == 0);
    CHECK(status(root - 1 + inset, root + inset) == 1);
    CHECK(status(root - 1 + inset + hair, root + inset + hair) == 0);
  }
}

TEST_CASE("a loss that grows in the very first step is not said to decrease") {
  // Opposite groups, whose loss is even and least at 0: a normalised step of 4 leads from 1 to -3.
  const std::string opposite = R"({"X": [[[1], [0]], [[1], [0]]], "Y": [1, 1], "v": [1], "z": [[1], [-1]]})";
  const auto status = [&](const std::string& start, const std::string& until) {
    return check_body(opposite,
                      problem("2 0 1", "logistic") +
                          Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 2 over 2",
                                "0 1 1", "1 0 1", "claim 2 run problem 1 from 1 steps 1",
                                "optimizer ngd schedule constant step 1*2^2 fraction-bits 64",
                                "start 1 " + start, "checkpoints 1",
                                "at 1 norm 0 9 along -9 9 one-minus-corr -9 9 loss-gap -9 9 gradient "
                                "-9 9 unselected -9 9",
                                "loss-decreases-until " + until, "rates 0"})
        .status;
  };
  CHECK(status("1", "0") == 0);
  CHECK(status("1", "1") == 1);
  CHECK(status("-3", "1") == 0);
}

TEST_CASE("a rate's constant a hair below the truth is refused, at one step and at the last") {
  const Instance instance = read_instance(TemporaryFile(two_groups).path());
  const Features features(instance);
  Problem problem;
  problem.features = &features;
  problem.loss = Loss::logistic;
  problem.selection = {0, 0};
  Specification specification;
  specification.rule = Rule::ngd;
  specification.step = Rational(1, 4);
  const ReferenceIteration reference(problem, specification);
  for (const std::size_t steps : {1UL, 3UL}) {
    CAPTURE(steps);
    std::vector<Real> w = {2, 1};
    for (std::size_t t = 0; t < steps; ++t) w = reference.next(w, t);
    const Real along = (w[0] + w[1]) / sqrt(Real(2));
    const Rational sharp = floor_of((1 - along / ReferenceIteration::norm(w)) * Real(steps));
    const auto status = [&](const Rational& constant) {
      const std::string last = std::to_string(steps);
      return check_body(
                 two_groups,
                 ::checker_tests::problem("2 0 0", "logistic") +
                     Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1", "vector multipliers 2 over 2^2",
                           "0 1 1", "1 1 1", "claim 2 run problem 1 from 1 steps " + last,
                           "optimizer ngd schedule constant step 1*2^-2 fraction-bits 64", "start 2 2 1",
                           "checkpoints 1",
                           "at " + last +
                               " norm 0 9 along -9 9 one-minus-corr -9 9 loss-gap -9 9 gradient -9 "
                               "9 unselected -9 9",
                           "loss-decreases-until 0", "rates 1",
                           "rate 1/t from " + last + " constant " + canonical(constant)})
          .status;
    };
    for (const long exponent : {-390L, -250L, -200L, -150L, -100L, -40L}) {
      CAPTURE(exponent);
      CHECK(status(sharp - scale_by_power_of_two(1, exponent)) == 1);
    }
    CHECK(status(sharp + scale_by_power_of_two(1, -40)) == 0);
  }
}

TEST_CASE("no rate holds at a step at which W may be 0, and no run is without a checkpoint") {
  // Opposite groups again: a normalised step of 4 leads from 4 to 0.
  const std::string opposite = R"({"X": [[[1], [0]], [[1], [0]]], "Y": [1, 1], "v": [1], "z": [[1], [-1]]})";
  const auto status = [&](const std::string& start, const std::string& rates,
                          const std::string& checkpoints) {
    Lines lines =
        problem("2 0 1", "logistic") + Lines{"claim 1 optimal problem 1 norm-squared 1",
                                             "vector multipliers 2 over 2",
                                             "0 1 1",
                                             "1 0 1",
                                             "claim 2 run problem 1 from 1 steps 1",
                                             "optimizer ngd schedule constant step 1*2^2 fraction-bits 64",
                                             "start 1 " + start,
                                             "checkpoints " + checkpoints};
    if (checkpoints == "1")
      lines.push_back(
          "at 1 norm -9 9 along -9 9 one-minus-corr none loss-gap -9 9 gradient -9 9 unselected -9 9");
    lines.insert(lines.end(), {"loss-decreases-until 0", "rates " + rates});
    if (rates == "1") lines.push_back("rate 1/t from 1 constant 5");
    return check_body(opposite, lines).status;
  };
  CHECK(status("1*2^2", "0", "1") == 0);
  CHECK(status("1*2^2", "1", "1") == 1);
  CHECK(status("5", "1", "1") == 0);
  CHECK(status("1*2^2", "0", "0") == 2);
}

TEST_CASE("nothing is said of a step after the last one") {
  const auto status = [&](const std::string& checkpoint, const std::string& until, const std::string& rate) {
    return check_body(
               one_constraint,
               problem("1 0", "logistic") +
                   Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1",
                         "claim 2 run problem 1 from 1 steps 1",
                         "optimizer gd schedule constant step 1 fraction-bits 64", "start 1 1",
                         "checkpoints 1",
                         "at " + checkpoint +
                             " norm -9 9 along -9 9 one-minus-corr none loss-gap -9 9 gradient -9 9 "
                             "unselected -9 9",
                         "loss-decreases-until " + until, "rates 1", "rate 1/t from " + rate + " constant 5"})
        .status;
  };
  CHECK(status("1", "1", "1") == 0);
  CHECK(status("2", "1", "1") == 2);
  CHECK(status("1", "2", "1") == 2);
  CHECK(status("1", "1", "2") == 2);
}

TEST_CASE("a loss that stays the same does not decrease") {
  // All scores are equal.
  const auto status = [](const std::string& until) {
    return check_body(R"({"X": [[[2], [1]]], "Y": [1], "v": [0], "z": [[1]]})",
                      problem("1 0", "logistic") +
                          Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1",
                                "0 1 1", "claim 2 run problem 1 from 1 steps 1",
                                "optimizer gd schedule constant step 1 fraction-bits 64", "start 1 1",
                                "checkpoints 1",
                                "at 1 norm -9 9 along -9 9 one-minus-corr none loss-gap -9 9 gradient -9 9 "
                                "unselected -9 9",
                                "loss-decreases-until " + until, "rates 0"})
        .status;
  };
  CHECK(status("0") == 0);
  CHECK(status("1") == 1);
}

TEST_CASE(
    "widths come at later steps of the run and have fewer bits; whatever they are, the verdict is the same") {
  const auto status = [](const std::string& widths) {
    return check_body(
               two_groups,
               problem("2 0 0", "logistic") +
                   Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1", "vector multipliers 2 over 2^2",
                         "0 1 1", "1 1 1", "claim 2 run problem 1 from 1 steps 4",
                         "optimizer ngd schedule constant step 1*2^-2 fraction-bits " + widths, "start 2 1 1",
                         "checkpoints 1",
                         "at 4 norm -9 9 along -9 9 one-minus-corr -9 9 loss-gap -9 9 "
                         "gradient -9 9 unselected -9 9",
                         "loss-decreases-until 0", "rates 0"})
        .status;
  };
  for (const std::string right :
       {"400", "400 then 1 399", "400 then 4 0", "400 then 1 200 then 2 100 then 4 3"})
    CHECK_MESSAGE(status(right) == 0, right);
  for (const std::string wrong :
       {"400 then", "400 then 1", "400 then 0 300", "400 then 5 300", "400 then 1 400", "400 then 1 401",
        "400 then 2 300 then 2 200", "400 then 2 300 then 1 200", "400 then 2 300 then 3 300", "400 1 300",
        "400 then 1 -1", "0 then 1 0"})
    CHECK_MESSAGE(status(wrong) == 2, wrong);
}
