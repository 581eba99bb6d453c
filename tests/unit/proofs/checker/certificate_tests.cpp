// The certificate text: header, lines, totals, truncation, compression, exit statuses, printed lines.
#include <doctest/doctest.h>

#include "tests/unit/proofs/checker/claims.hpp"

using namespace checker_tests;

namespace {

const Lines body = problem("1 0", "logistic") + Lines{"claim 1 optimal problem 1 norm-squared 1",
                                                      "vector multipliers 1 over 2^1",
                                                      "0 1 2",
                                                      "claim 2 support problem 1 from 1 size 1",
                                                      "0 1",
                                                      "claim 3 strictly-complementary problem 1 from 2",
                                                      "evidence cited",
                                                      "claim 4 globally-optimal problem 1",
                                                      "claim 5 rank problem 1 from 1 equals 1",
                                                      "lower modulus 3",
                                                      "upper groups",
                                                      "claim 6 smoothness problem 1 beta 1",
                                                      "claim 7 feasible problem 1",
                                                      "vector separator 1 over 1",
                                                      "0 1 1"};

int status(const std::string& text) {
  return check_text(one_constraint, text).status;
}

}  // namespace

TEST_CASE("verified claims are printed from the values that were checked") {
  const std::string about = " setting cross-attention norm euclidean loss logistic selection 0";
  const auto line = [](const Lines& lines) {
    const Outcome outcome = check_body(one_constraint, lines);
    CAPTURE(outcome.message);
    REQUIRE(outcome.claims.size() > 0);
    return outcome.claims.back().line;
  };
  const Outcome outcome = check_body(one_constraint, body);
  REQUIRE(outcome.claims.size() == 7);
  CHECK(outcome.claims[0].line == "claim 1 optimal problem 1 norm-squared 1" + about);
  CHECK(outcome.claims[1].line == "claim 2 support problem 1 from 1 size 1 constraints 0 1" + about);
  CHECK(outcome.claims[2].line == "claim 3 strictly-complementary problem 1 from 2" + about);
  CHECK(outcome.claims[3].line == "claim 4 globally-optimal problem 1" + about);
  CHECK(outcome.claims[4].line == "claim 5 rank problem 1 from 1 equals 1" + about);
  CHECK(outcome.claims[5].line == "claim 6 smoothness problem 1 beta 1" + about);
  CHECK(outcome.claims[6].line == "claim 7 feasible problem 1" + about);
  CHECK(outcome.claims[5].kind == "smoothness");
  // The loss belongs to what a smoothness constant says; the setting and the selection to everything.
  const std::string correlation = " setting cross-attention norm euclidean loss correlation selection 0";
  CHECK(line(problem("1 0", "correlation") + Lines{"claim 1 smoothness problem 1 beta 4"}) ==
        "claim 1 smoothness problem 1 beta 1*2^2" + correlation);
  CHECK(line(problem("1 1") + Lines{"claim 1 not-globally-optimal problem 1 at 0 0"}) ==
        "claim 1 not-globally-optimal problem 1 at 0 0 setting cross-attention norm euclidean loss none "
        "selection 1");
}

TEST_CASE("an enclosure's line names the vector it is about") {
  // W(primal) = 1: the hash of the line "0 1 1", over whatever denominator.
  const std::string about = " setting cross-attention norm euclidean loss none selection 0";
  const auto gap = [](const std::string& primal, const std::string& bounds) {
    return problem("1 0") + Lines{"claim 1 optimal-enclosure problem 1 form gap norm-squared " + bounds,
                                  "vector primal 1 over 2^2", "0 1 " + primal, "vector dual 1 over 2^2",
                                  "0 1 4"};
  };
  const std::string one = "sha256 ce05c204ff512d9fc2b2c25b2c1dbcbb5d731d6e8652bf35ee798862fdea29d8";
  const Outcome exact = check_body(one_constraint, gap("4", "1 1 distance-squared 0"));
  REQUIRE(exact.claims.size() == 1);
  CHECK(exact.claims[0].line ==
        "claim 1 optimal-enclosure problem 1 form gap norm-squared 1 1 distance-squared 0 primal " + one +
            about);
  const Outcome wide = check_body(one_constraint, gap("5", "1 2 distance-squared 1"));
  REQUIRE(wide.claims.size() == 1);
  CHECK(wide.claims[0].line.find("primal sha256 ") != std::string::npos);
  CHECK(wide.claims[0].line.find(one) == std::string::npos);
  const Outcome ball = check_body(
      one_constraint,
      problem("1 0") + Lines{"claim 1 optimal-enclosure problem 1 form lambda-min norm-squared 1 1 "
                             "radius 0 multiplier-radius 0",
                             "lambda-min 1*2^-1 bits 29", "vector multipliers 1 over 1", "0 1 1"});
  REQUIRE(ball.claims.size() == 1);
  CHECK(ball.claims[0].line ==
        "claim 1 optimal-enclosure problem 1 form lambda-min norm-squared 1 1 radius 0 multiplier-radius 0 "
        "multipliers " +
            one + " constraints 0 1" + about);
}

TEST_CASE("cut anywhere, the certificate is malformed") {
  const std::string text = join(certificate(one_constraint, body));
  CHECK(status(text) == 0);
  for (std::size_t size = 0; size < text.size(); ++size) REQUIRE(status(text.substr(0, size)) == 2);
  const std::string zipped = deflated(text, 31);
  CHECK(status(zipped) == 0);
  for (std::size_t size = 0; size < zipped.size(); ++size) REQUIRE(status(zipped.substr(0, size)) == 2);
  CHECK(status(zipped + "\n") == 2);
  CHECK(status(zipped + zipped) == 2);
}

TEST_CASE("a line dropped, doubled or empty is malformed") {
  const Lines lines = certificate(one_constraint, body);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    CAPTURE(lines[k]);
    Lines dropped = lines, doubled = lines, spaced = lines;
    dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(k));
    doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(k), lines[k]);
    spaced.insert(spaced.begin() + static_cast<std::ptrdiff_t>(k), "");
    CHECK(status(join(dropped)) == 2);
    CHECK(status(join(doubled)) == 2);
    CHECK(status(join(spaced)) == 2);
    for (const std::string& change :
         {lines[k] + " ", " " + lines[k], lines[k] + " x", lines[k] + "\r", lines[k] + "\t",
          lines[k] + " \x7f", lines[k] + "\xc3\xa9", lines[k] + std::string(1, '\0')}) {
      Lines changed = lines;
      changed[k] = change;
      CHECK(status(join(changed)) == 2);
    }
  }
}

TEST_CASE("header and totals") {
  const Lines lines = certificate(one_constraint, body);
  const auto with = [&](std::size_t k, const std::string& line) {
    Lines changed = lines;
    changed[k] = line;
    return status(join(changed));
  };
  const std::size_t end = lines.size() - 1;
  CHECK(with(0, "attest-certificate 2") == 2);
  CHECK(with(0, "attest-certificate 01") == 2);
  CHECK(with(1, "producer attest") == 2);
  CHECK(with(1, "producer  1") == 2);
  CHECK(with(2, "instance sha256 " + std::string(64, '0')) == 4);
  CHECK(with(2, "instance sha256 " + std::string(64, 'A')) == 2);
  CHECK(with(2, "instance sha256 " + std::string(63, '0')) == 2);
  CHECK(with(end, "end problems 1 claims 7 lines " + std::to_string(lines.size() + 1)) == 2);
  CHECK(with(end, "end problems 1 claims 6 lines " + std::to_string(lines.size())) == 2);
  CHECK(with(end, "end problems 2 claims 7 lines " + std::to_string(lines.size())) == 2);
  CHECK(status(join(certificate(one_constraint, problem("1 0")))) == 2);
  CHECK(status(join(certificate(one_constraint, {}))) == 2);
  CHECK(status("") == 2);
  CHECK(status(join(lines) + "more\n") == 2);
  CHECK(check_text(two_groups, join(lines)).status == 4);
}

TEST_CASE("problems") {
  const auto with = [&](const std::string& from, const std::string& to) {
    return check_body(one_constraint, replaced(body, from, to)).status;
  };
  CHECK(with("problem 1", "problem 2") == 2);
  CHECK(with("setting cross-attention", "setting self-attention") == 1);
  CHECK(with("setting cross-attention", "setting none") == 2);
  CHECK(with("norm euclidean", "norm nuclear") == 2);
  CHECK(with("loss logistic", "loss hinge") == 2);
  CHECK(with("selection 1 0", "selection 1 2") == 1);
  CHECK(with("selection 1 0", "selection 2 0 0") == 1);
  CHECK(with("selection 1 0", "selection 2 0") == 2);
  CHECK(with("selection 1 0", "selection 0") == 1);
  CHECK(with("selection 1 0", "selection 1 -1") == 2);
}

TEST_CASE("numbers have one form each" * doctest::test_suite("long")) {
  const auto beta = [](const std::string& number) {
    return check_body(one_constraint,
                      problem("1 0", "correlation") + Lines{"claim 1 smoothness problem 1 beta " + number})
        .status;
  };
  for (const std::string good :
       {"1", "4", "1*2^2", "3*2^-1", "7/3", "1*2^65536", "100000000000000000000000000000"}) {
    CAPTURE(good);
    CHECK(beta(good) == 0);
  }
  for (const std::string bad : {"+1",
                                "01",
                                "-0",
                                "2/4",
                                "3/1",
                                "3/0",
                                "3/-2",
                                "2*2^1",
                                "0*2^1",
                                "1*2^0",
                                "1*2^65537",
                                "1*2^+1",
                                "1*2^01",
                                "1*3^2",
                                "1.5",
                                "1e3",
                                "0x1",
                                "1/2/3",
                                "",
                                "1*2^",
                                "/2",
                                "-",
                                "1*2^9999999999999999999"}) {
    CAPTURE(bad);
    CHECK(beta(bad) == 2);
  }
  const std::string huge(6000000, '7');
  CHECK(beta(huge) == 2);
  CHECK(beta(std::string(std::size_t{70} << 20, '7')) == 2);
}

TEST_CASE("counts are compared with the problem before anything is allocated") {
  for (const char* line :
       {"vector multipliers 999999999999999999 over 1", "vector multipliers 9999999999999999999 over 1",
        "vector multipliers -1 over 1", "vector multipliers 2 over 1"}) {
    CHECK(check_body(one_constraint, replaced(body, "vector multipliers 1 over 2^1", line)).status == 2);
  }
  CHECK(check_body(one_constraint, replaced(body, "claim 2 support problem 1 from 1 size 1",
                                            "claim 2 support problem 1 from 1 size 999999999999999999"))
            .status == 2);
}

TEST_CASE("malformed text anywhere comes before a false claim") {
  Lines lines = certificate(one_constraint, replaced(body, "0 1 2", "0 1 3"));
  CHECK(status(join(lines)) == 1);
  lines.back() = "end";
  CHECK(status(join(lines)) == 2);
}

TEST_CASE("required kinds") {
  const std::string text = join(certificate(one_constraint, body));
  CHECK(check_text(one_constraint, text, {"optimal", "rank"}).status == 0);
  CHECK(check_text(one_constraint, text, {"infeasible"}).status == 1);
  CHECK(check_text(one_constraint, text, {"nonsense"}).status == 2);
}

TEST_CASE("vacuous certificates say so") {
  const Lines vacuous = problem("1 0") + Lines{"claim 1 feasible problem 1", "vector separator 0 over 1"};
  CHECK(check_body(no_constraints, vacuous).status == 3);
  CHECK(check_body(no_constraints,
                   problem("1 0") + Lines{"claim 1 infeasible problem 1", "vector farkas 0 over 1"})
            .status == 1);
}
