// attest verify, selections and run through the real binary: JSON shapes, exit statuses, resumed runs.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

using namespace cli_tests;
using nlohmann::json;

TEST_CASE("verify lists rows with hypotheses and verdicts") {
  const Scratch scratch;
  const std::string instance = scratch.write("i.json", feasible_text);
  for (const std::string loss : {"logistic", "exponential", "correlation"}) {
    const Outcome outcome = attest("verify " + instance + " --json --loss " + loss);
    REQUIRE(outcome.exit == 0);
    const json rows = json::parse(outcome.out);
    REQUIRE(rows.is_array());
    CHECK(rows.size() >= 19);
    for (const json& row : rows) {
      for (const char* key : {"id", "verdict", "hypotheses", "conclusion", "reason"}) CHECK_MESSAGE(row.contains(key), key);
      const std::string verdict = row["verdict"];
      CHECK((verdict == "holds" || verdict == "fails" || verdict == "undecided"));
      if (verdict == "undecided") CHECK_FALSE(row["reason"].get<std::string>().empty());
    }
  }
  CHECK(attest("verify " + instance + " --loss quadratic").exit == 2);
}

TEST_CASE("selections finds all locally optimal selections of a small instance and certifies them") {
  const Scratch scratch;
  const std::string instance = scratch.write("i.json", feasible_text);
  const std::string certificate = scratch.path("c").string();
  const Outcome outcome = attest("selections " + instance + " --json -o " + certificate);
  REQUIRE(outcome.exit == 0);
  CHECK(json::parse(outcome.out)["complete"] == true);
  CHECK(check(instance + " " + certificate).exit == 0);
}

TEST_CASE("run reports enclosures, and an interrupted run resumes to the same certificate") {
  const Scratch scratch;
  const std::string instance = scratch.write("i.json", feasible_text);
  const std::string common = "run " + instance + " --optimizer ngd --step 1/10 --steps 300 --json -o ";
  const Outcome whole = attest(common + scratch.path("whole").string());
  REQUIRE(whole.exit == 0);
  const json value = json::parse(whole.out);
  for (const char* key : {"optimizer", "steps", "selection", "correct_bits", "checkpoints", "forever", "shapes"}) {
    CHECK_MESSAGE(value.contains(key), key);
  }
  CHECK(value["optimizer"] == "ngd");
  CHECK(value["steps"] == 300);
  CHECK(value["correct_bits"].get<long>() >= 100);
  CHECK(value["checkpoints"].front()["one_minus_corr"].is_null());
  CHECK(value["checkpoints"].back()["t"] == 300);
  CHECK(attest("run " + instance + " --optimizer ngd --step 0 --steps 3").exit == 2);
  CHECK(attest("run " + instance + " --optimizer sgd --step 1 --steps 3").exit == 2);
}
