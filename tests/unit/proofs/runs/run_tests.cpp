// Run claims against an independent double-precision iteration: true bands are accepted, every changed number
// refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "proofs/checker/base/exact.hpp"
#include "tests/unit/proofs/checker/claims.hpp"

using namespace checker_tests;

namespace {

std::string number(double x) {
  return attest_check::canonical(attest_check::Rational(x));
}
std::string band(double x, double slack = 1e-9) {
  return number(x - slack) + " " + number(x + slack);
}

// What the claim says about one step.
struct Seen {
  double norm, along, one_minus_corr, loss_gap, gradient, unselected;
};

// two_groups: W = (a, b), margins 2a and 2b, scores 1 and 0, u = (1, 1)/sqrt 2.
struct Run {
  std::string rule = "ngd", schedule = "constant", loss = "logistic";
  double step = 0.25, a = 1, b = 0;

  double value(double f) const {
    return loss == "logistic" ? std::log1p(std::exp(-f)) : loss == "exponential" ? std::exp(-f) : -f;
  }
  double slope(double f) const {
    return loss == "logistic" ? 1 / (1 + std::exp(f)) : loss == "exponential" ? std::exp(-f) : 1;
  }
  std::vector<Seen> follow(int steps) const {
    std::vector<Seen> all;
    double w[2] = {a, b};
    for (int t = 0; t <= steps; ++t) {
      double gap = 0, rest = 0, v[2];
      for (int i = 0; i < 2; ++i) {
        const double s = 1 / (1 + std::exp(-2 * w[i]));
        gap += (value(s) - value(1)) / 2;
        rest = std::max(rest, 1 - s);
        v[i] = slope(s) * s * (1 - s);
      }
      const double norm = std::hypot(w[0], w[1]), along = (w[0] + w[1]) / std::sqrt(2.0),
                   speed = std::hypot(v[0], v[1]);
      all.push_back({norm, along, 1 - along / norm, gap, speed, rest});
      double eta = step;
      if (schedule == "inverse") eta /= t + 1;
      if (schedule == "invsqrt") eta /= std::sqrt(t + 1.0);
      const double tau = rule == "gd" ? eta : rule == "ngd" ? eta / speed : eta * gap / (speed * speed);
      for (int i = 0; i < 2; ++i) w[i] += tau * v[i];
    }
    return all;
  }
};

std::string line_of(int t, const Seen& seen) {
  return "at " + std::to_string(t) + " norm " + band(seen.norm) + " along " + band(seen.along) +
         " one-minus-corr " + band(seen.one_minus_corr) + " loss-gap " + band(seen.loss_gap) + " gradient " +
         band(seen.gradient) + " unselected " + band(seen.unselected);
}

constexpr int steps = 25;
constexpr std::array<int, 4> checkpoints = {0, 1, 10, steps};

struct Body {
  Lines lines;
  std::size_t first_checkpoint = 0;
};

Body body_of(const Run& run) {
  const std::vector<Seen> seen = run.follow(steps);
  double constant = 0;
  for (int t = 2; t <= steps; ++t)
    constant = std::max(constant, seen[static_cast<std::size_t>(t)].one_minus_corr * t);
  Body body;
  body.lines =
      problem("2 0 0", run.loss) + Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1",
                                         "vector multipliers 2 over 2^2",
                                         "0 1 1",
                                         "1 1 1",
                                         "claim 2 run problem 1 from 1 steps " + std::to_string(steps),
                                         "optimizer " + run.rule + " schedule " + run.schedule + " step " +
                                             number(run.step) + " fraction-bits 64",
                                         "start 2 " + number(run.a) + " " + number(run.b),
                                         "checkpoints 4"};
  body.first_checkpoint = body.lines.size();
  for (const int t : checkpoints) body.lines.push_back(line_of(t, seen[static_cast<std::size_t>(t)]));
  body.lines.push_back("loss-decreases-until " + std::to_string(steps));
  body.lines.push_back("rates 1");
  body.lines.push_back("rate 1/t from 2 constant " + number(constant * (1 + 1e-9)));
  return body;
}

}  // namespace

TEST_CASE("true runs of every optimiser, schedule and loss") {
  for (const char* rule : {"gd", "ngd", "polyak"}) {
    for (const char* schedule : {"constant", "inverse", "invsqrt"}) {
      for (const char* loss : {"logistic", "exponential", "correlation"}) {
        CAPTURE(rule);
        CAPTURE(schedule);
        CAPTURE(loss);
        Run run;
        run.rule = rule;
        run.schedule = schedule;
        run.loss = loss;
        const Outcome outcome = check_body(two_groups, body_of(run).lines);
        CAPTURE(outcome.message);
        CHECK(outcome.status == 0);
      }
    }
  }
}

TEST_CASE("the line of a run says which run it is and all its bands") {
  const auto line = [](const Lines& lines) {
    const Outcome outcome = check_body(two_groups, lines);
    CAPTURE(outcome.message);
    REQUIRE(outcome.claims.size() > 1);
    return outcome.claims.back().line;
  };
  const Run run;
  const Body body = body_of(run);
  // All of the claim's words but fraction-bits; the start "1 0" by its hash.
  std::string expected =
      "claim 2 run problem 1 from 1 steps 25 optimizer ngd schedule constant step 1*2^-2 start sha256 "
      "f4a8ae8e74ddfb896a256de4e3099911dcaa6a9302591713898069b0bcd6e3d7";
  for (std::size_t k = body.first_checkpoint - 1; k < body.lines.size(); ++k) expected += " " + body.lines[k];
  expected += " setting cross-attention norm euclidean loss logistic selection 0 0";
  const std::string first = line(body.lines);
  CHECK(first == expected);
  // Runs that differ in anything do not share a line.
  std::vector<std::string> lines = {first};
  const auto differs = [&](const Lines& changed) {
    lines.push_back(line(changed));
    CHECK(std::count(lines.begin(), lines.end(), lines.back()) == 1);
  };
  for (const char* rule : {"gd", "polyak"}) {
    Run other = run;
    other.rule = rule;
    differs(body_of(other).lines);
  }
  Run other = run;
  other.schedule = "inverse";
  differs(body_of(other).lines);
  other = run;
  other.loss = "exponential";
  differs(body_of(other).lines);
  other = run;
  other.step = 0.125;
  differs(body_of(other).lines);
  other = run;
  other.a = 1.5;
  differs(body_of(other).lines);
  const auto replace = [&](std::size_t k, const std::string& text) {
    Lines changed = body.lines;
    changed[k] = text;
    return changed;
  };
  // Bands, the decrease and the rates; fraction-bits are evidence.
  const std::vector<Seen> seen = run.follow(steps);
  const std::size_t at = body.first_checkpoint;
  for (const char* name :
       {" norm ", " along ", " one-minus-corr ", " loss-gap ", " gradient ", " unselected "}) {
    std::string wider = body.lines[at + 1];
    const std::size_t from = wider.find(name) + std::string(name).size(),
                      to = wider.find(' ', wider.find(' ', from) + 1);
    differs(replace(at + 1, wider.replace(from, to - from, "-9 9")));
  }
  differs(replace(at + 4, "loss-decreases-until 24"));
  differs(replace(at + 6, "rate 1/t from 2 constant 1000"));
  differs(replace(at + 6, "rate 1/t from 3 constant 1000"));
  differs(replace(at + 6, "rate t^(-1/2) from 3 constant 1000"));
  CHECK(line(replace(at - 3, "optimizer ngd schedule constant step 1*2^-2 fraction-bits 65")) == first);
  // A path inequality says of which run it speaks.
  const std::string path = "claim 3 path-inequality problem 1 run 2 from 0 until 25 constant 5";
  CHECK(line(body.lines + Lines{path}) ==
        path +
            " optimizer ngd schedule constant step 1*2^-2 start sha256 "
            "f4a8ae8e74ddfb896a256de4e3099911dcaa6a9302591713898069b0bcd6e3d7"
            " setting cross-attention norm euclidean loss logistic selection 0 0");
}

TEST_CASE("every changed number of a run is refused") {
  const Run run;
  const Body body = body_of(run);
  const std::vector<Seen> seen = run.follow(steps);
  const auto status = [&](std::size_t line, const std::string& text) {
    Lines changed = body.lines;
    changed[line] = text;
    return check_body(two_groups, changed).status;
  };
  for (std::size_t k = 0; k < checkpoints.size(); ++k) {
    const Seen& at = seen[static_cast<std::size_t>(checkpoints[k])];
    for (int field = 0; field < 6; ++field) {
      for (const double shift : {1e-7, -1e-7}) {
        CAPTURE(k);
        CAPTURE(field);
        Seen changed = at;
        double* const fields[] = {&changed.norm,     &changed.along,    &changed.one_minus_corr,
                                  &changed.loss_gap, &changed.gradient, &changed.unselected};
        *fields[field] += shift;
        CHECK(status(body.first_checkpoint + k, line_of(checkpoints[k], changed)) == 1);
      }
    }
    if (checkpoints[k] > 0) CHECK(status(body.first_checkpoint + k, line_of(checkpoints[k] - 1, at)) != 0);
  }
  const std::size_t first = body.first_checkpoint;
  CHECK(status(first - 3, "optimizer ngd schedule constant step 257*2^-10 fraction-bits 64") == 1);
  CHECK(status(first - 3, "optimizer gd schedule constant step 1*2^-2 fraction-bits 64") == 1);
  CHECK(status(first - 3, "optimizer ngd schedule invsqrt step 1*2^-2 fraction-bits 64") == 1);
  CHECK(status(first - 3, "optimizer ngd schedule constant step 1*2^-2 fraction-bits 0") == 0);
  CHECK(status(first - 2, "start 2 1 1*2^-20") == 1);
  CHECK(status(first - 2, "start zero") == 1);
  CHECK(status(first - 2, "start 1 1") == 2);
  CHECK(status(first - 1, "checkpoints 3") == 2);
  CHECK(status(first - 1, "checkpoints 0") == 2);
  CHECK(status(first - 4, "claim 2 run problem 1 from 1 steps 24") == 2);
  CHECK(status(first + 4, "loss-decreases-until 26") == 2);
  CHECK(status(first + 4, "loss-decreases-until 0") == 0);
  double constant = 0;
  for (int t = 2; t <= steps; ++t)
    constant = std::max(constant, seen[static_cast<std::size_t>(t)].one_minus_corr * t);
  CHECK(status(first + 6, "rate 1/t from 2 constant " + number(constant * (1 - 1e-7))) == 1);
  CHECK(status(first + 6, "rate 1/t from 0 constant 5") == 2);
  CHECK(status(first + 6, "rate 1/log(t) from 1 constant 5") == 2);
  CHECK(status(first + 6, "rate 1/t^3 from 1 constant 5") == 2);
}

TEST_CASE("bands whose end the value meets, or nearly meets, are refused, at any precision" *
          doctest::test_suite("long")) {
  // At W_0 = (1, 0) the norm is 1, at W_0 = 0 norm and along are 0, all exactly.
  const auto status = [](const std::string& start, const std::string& name, const std::string& band_text,
                         const std::string& fraction_bits = "64") {
    Lines lines = problem("2 0 0", "logistic") +
                  Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1",
                        "vector multipliers 2 over 2^2",
                        "0 1 1",
                        "1 1 1",
                        "claim 2 run problem 1 from 1 steps 0",
                        "optimizer gd schedule constant step 1 fraction-bits " + fraction_bits,
                        "start " + start,
                        "checkpoints 1"};
    std::string line = "at 0";
    for (const std::string quantity :
         {"norm", "along", "one-minus-corr", "loss-gap", "gradient", "unselected"}) {
      line += " " + quantity + " " +
              (quantity == name                                  ? band_text
               : quantity == "one-minus-corr" && start == "zero" ? "none"
                                                                 : "-9 9");
    }
    return check_body(two_groups, lines + Lines{line, "loss-decreases-until 0", "rates 0"}).status;
  };
  const auto at = [](double x) { return number(x); };
  const double inset = 0x1p-32, hair = 0x1p-48;
  const std::string one = "2 1 0";
  CHECK(status(one, "norm", "0 9") == 0);
  for (const char* bits : {"0", "64", "500"}) {
    CHECK(status(one, "norm", "1 2", bits) == 1);
    CHECK(status(one, "norm", "0 1", bits) == 1);
    CHECK(status(one, "norm", "1 1", bits) == 1);
    // A band of width 1 keeps 2^-32 free at both ends; at exactly that the value is refused.
    CHECK(status(one, "norm", at(1 - inset) + " " + at(2 - inset), bits) == 1);
    CHECK(status(one, "norm", at(1 - inset + hair) + " " + at(2 - inset + hair), bits) == 1);
    CHECK(status(one, "norm", at(1 - inset - hair) + " " + at(2 - inset - hair), bits) == 0);
    CHECK(status(one, "norm", at(inset) + " " + at(1 + inset), bits) == 1);
    CHECK(status(one, "norm", at(inset - hair) + " " + at(1 + inset - hair), bits) == 1);
    CHECK(status(one, "norm", at(inset + hair) + " " + at(1 + inset + hair), bits) == 0);
  }
  // Of what is never negative an end at most 0 asks for nothing; along can be negative.
  CHECK(status("zero", "norm", "0 1*2^-60") == 0);
  CHECK(status("zero", "norm", "-1 1*2^-20") == 0);
  CHECK(status("zero", "norm", "-1 1*2^-60") == 1);
  CHECK(status("zero", "norm", "0 0") == 1);
  CHECK(status("zero", "along", "0 1") == 1);
  CHECK(status("zero", "along", "-1 0") == 1);
  CHECK(status("zero", "along", "-1*2^-60 1*2^-60") == 0);
  CHECK(status("2 1 1", "one-minus-corr", "0 1*2^-60") == 0);
  CHECK(status("2 1 1", "one-minus-corr", "0 0") == 1);
  // Any precision that a claim may name is tried.
  CHECK(status(one, "norm", "0 9", "33000") == 0);
  CHECK(status(one, "norm", "0 9", "65537") == 2);
}

TEST_CASE("the path inequality at every step") {
  for (const auto& [rule, a, b] :
       {std::tuple{"ngd", 1.0, 0.0}, {"gd", 1.0, 0.0}, {"polyak", 0.5, 0.25}, {"ngd", 3.0, 3.0}}) {
    Run run;
    run.rule = rule;
    CAPTURE(run.rule);
    run.a = a;
    run.b = b;
    const std::vector<Seen> seen = run.follow(steps);
    const auto needed = [&](int from, int until) {
      double most = -HUGE_VAL;
      for (int t = from; t < until; ++t) {
        const Seen &here = seen[static_cast<std::size_t>(t)], &next = seen[static_cast<std::size_t>(t) + 1];
        const auto across = [](const Seen& at) { return at.norm * at.norm - at.along * at.along; };
        most = std::max(most, (across(next) - across(here)) / (next.along - here.along));
      }
      return most;
    };
    const auto status = [&](const std::string& claim) {
      Lines lines = body_of(run).lines;
      lines.push_back("claim 3 path-inequality problem 1 " + claim);
      return check_body(two_groups, lines).status;
    };
    CHECK(status("run 2 from 0 until 25 constant " + number(needed(0, steps) + 1e-9)) == 0);
    CHECK(status("run 2 from 5 until 20 constant " + number(needed(5, 20) + 1e-9)) == 0);
    CHECK(status("run 2 from 0 until 25 constant " + number(needed(0, steps) - 1e-9)) == 1);
    CHECK(status("run 2 from 5 until 20 constant " + number(needed(5, 20) - 1e-9)) == 1);
    // One step alone, whichever it is.
    for (const int t : {0, 5, steps - 1}) {
      CAPTURE(t);
      const std::string one =
          "run 2 from " + std::to_string(t) + " until " + std::to_string(t + 1) + " constant ";
      CHECK(status(one + number(needed(t, t + 1) + 1e-9)) == 0);
      CHECK(status(one + number(needed(t, t + 1) - 1e-9)) == 1);
    }
    CHECK(status("run 2 from 0 until 26 constant 5") == 1);  // beyond the run
    CHECK(status("run 1 from 0 until 25 constant 5") == 1);  // not a run
    CHECK(status("run 3 from 0 until 25 constant 5") == 2);
    CHECK(status("run 2 from 5 until 5 constant 5") == 2);
    CHECK(status("run 2 from 0 until 25 constant 5 5") == 2);
  }
}

TEST_CASE("no path inequality where W goes back along u") {
  // Seen from the worse tokens' direction, -u.
  const std::string wide = "0 9";
  const std::string at_start = "at 0 norm " + wide + " along -9 9 one-minus-corr " + wide + " loss-gap " +
                               wide + " gradient " + wide + " unselected " + wide;
  for (const char* constant : {"5", "-1000000"}) {
    const auto status = [&](const char* selection) {
      return check_body(
                 two_groups,
                 problem(selection, "logistic") +
                     Lines{"claim 1 optimal problem 1 norm-squared 1*2^-1", "vector multipliers 2 over 2^2",
                           selection == std::string("2 0 0") ? "0 1 1" : "0 0 1",
                           selection == std::string("2 0 0") ? "1 1 1" : "1 0 1",
                           "claim 2 run problem 1 from 1 steps 3",
                           "optimizer gd schedule constant step 1 fraction-bits 64", "start 2 1 0",
                           "checkpoints 1", at_start, "loss-decreases-until 0", "rates 0",
                           "claim 3 path-inequality problem 1 run 2 from 0 until 3 constant " +
                               std::string(constant)})
          .status;
    };
    CHECK(status("2 0 0") == (constant == std::string("5") ? 0 : 1));
    CHECK(status("2 1 1") == 1);
  }
}

TEST_CASE("stationary points") {
  // Equal scores in the only group.
  const std::string equal = R"({"X": [[[1, 0], [0, 0]]], "Y": [1], "v": [0, 1], "z": [[1]]})";
  CHECK(check_body(equal, problem("1 0", "logistic") + Lines{"claim 1 stationary problem 1", "start zero"})
            .status == 0);
  CHECK(check_body(equal, problem("1 0", "none") + Lines{"claim 1 stationary problem 1", "start zero"})
            .status == 1);
  CHECK(check_body(two_groups,
                   problem("2 0 0", "logistic") + Lines{"claim 1 stationary problem 1", "start zero"})
            .status == 1);
  // Two opposite groups cancel at W = 0, not elsewhere.
  CHECK(check_body(equal, problem("1 0", "logistic") + Lines{"claim 1 stationary problem 1", "start zero"})
            .claims.at(0)
            .line ==
        "claim 1 stationary problem 1 start zero setting cross-attention norm euclidean loss logistic "
        "selection 0");
  CHECK(check_body(equal,
                   problem("1 0", "logistic") + Lines{"claim 1 stationary problem 1", "start 2 1 1*2^-1"})
            .claims.at(0)
            .line ==
        "claim 1 stationary problem 1 start sha256 "
        "9e44d3a8a82fe8818a118e7993bcabcc6498d699edbb8520263684d33695236e"
        " setting cross-attention norm euclidean loss logistic selection 0");
  const std::string opposite = R"({"X": [[[1], [0]], [[1], [0]]], "Y": [1, 1], "v": [1], "z": [[1], [-1]]})";
  const Lines still = problem("2 0 0", "logistic") + Lines{"claim 1 stationary problem 1", "start zero"};
  CHECK(check_body(opposite, still).status == 0);
  CHECK(check_body(opposite, replaced(still, "start zero", "start 1 1")).status == 1);
  CHECK(check_body(opposite, replaced(still, "start zero", "start 2 0 0")).status == 2);
}

TEST_CASE("later steps from a run's checkpoint") {
  // From (8, 7) the margins are 16 and 14; the step-bound and ranges are those of forever_tests.
  Run run;
  run.a = 8;
  run.b = 7;
  run.loss = "correlation";
  Body body = body_of(run);
  body.lines.insert(
      body.lines.end(),
      {"claim 3 forever-from-run problem 1 from 1 run 2 at 10 theorem absorbing dominates-from none",
       "step-bound 1*2^-2", "ranges 2", "group 0 output 1*2^-12 attention 1*2^-12",
       "group 1 output 1*2^-12 attention 1*2^-12",
       "path 1 excess 0 centre 1 height 12 growth linear 7*2^-4"});
  const auto status = [&](const std::string& from, const std::string& to) {
    const Outcome outcome =
        check_body(two_groups, from.empty() ? body.lines : replaced(body.lines, from, to));
    CAPTURE(outcome.message);
    return outcome.status;
  };
  CHECK(status("", "") == 0);
  const std::string claim =
      "claim 3 forever-from-run problem 1 from 1 run 2 at 10 theorem absorbing dominates-from none";
  CHECK(
      status(claim,
             "claim 3 forever-from-run problem 1 from 1 run 2 at 11 theorem absorbing dominates-from none") ==
      1);
  CHECK(
      status(claim,
             "claim 3 forever-from-run problem 1 from 1 run 1 at 10 theorem absorbing dominates-from none") ==
      1);
  CHECK(
      status(claim,
             "claim 3 forever-from-run problem 1 from 1 run 3 at 10 theorem absorbing dominates-from none") ==
      2);
  CHECK(status("path 1 excess 0 centre 1 height 12 growth linear 7*2^-4",
               "path 1 excess 0 centre 1 height 12 growth linear 0") == 1);
  // The line has the run and the constants; the ranges are evidence.
  const Outcome outcome = check_body(two_groups, body.lines);
  REQUIRE(outcome.claims.size() == 3);
  CHECK(outcome.claims[2].line ==
        claim +
            " optimizer ngd schedule constant step 1*2^-2 start sha256 "
            "5cb0d815e8ec112e1a18764f175c3a7d9e7e9c55041e259f9de74c8e2b46b0a1"
            " path 1 excess 0 centre 1 height 3*2^2 growth linear 7*2^-4"
            " setting cross-attention norm euclidean loss correlation selection 0 0");
}
