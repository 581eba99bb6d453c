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
      for (const char* key : {"id", "verdict", "hypotheses", "conclusion", "reason"})
        CHECK_MESSAGE(row.contains(key), key);
      const std::string verdict = row["verdict"];
      CHECK((verdict == "holds" || verdict == "fails" || verdict == "undecided"));
      if (verdict == "undecided") CHECK_FALSE(row["reason"].get<std::string>().empty());
    }
  }
  CHECK(attest("verify " + instance + " --loss quadratic").exit == 2);
}

namespace {

// The row with that id of `verify --json`.
json row_of(const json& rows, const std::string& id) {
  for (const json& row : rows) {
    if (row["id"] == id) return row;
  }
  FAIL("no row " << id);
  return {};
}

}  // namespace

TEST_CASE("verify reports the runs behind its limits") {
  const Scratch scratch;
  // Self-attention, query token 0: every data condition of paper C holds in its strictest form.
  const std::string instance = scratch.write("i.json", R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0]})");
  const Outcome outcome = attest("verify " + instance + " --json --steps 200");
  REQUIRE(outcome.exit == 0);
  const json rows = json::parse(outcome.out);
  for (const std::string id : {"B.T4", "B.T5", "B.T6", "B.T7", "C.ngd", "C.polyak", "C.sparse"}) {
    CAPTURE(id);
    const json row = row_of(rows, id);
    CHECK(row["verdict"] == "holds");
    const json& seen = row.at("observation");
    CHECK(seen["selection"] == json::parse("[0]"));
    CHECK(seen["forever"]["verdict"] == "holds");
    CHECK(seen["forever"]["proofs"].front()["t0"] <= seen["t"]);
    CHECK(seen["forever"]["bounds"].size() == 3);
    for (const char* const key : {"norm", "max_one_minus_s"}) {
      CHECK(std::stod(seen[key]["lo"].get<std::string>()) <= std::stod(seen[key]["hi"].get<std::string>()));
    }
  }
  CHECK(row_of(rows, "C.ngd")["observation"]["t"] == 200);
  CHECK(row_of(rows, "C.ngd")["observation"]["step"] == "1/10");
  CHECK(row_of(rows, "C.ngd")["observation"]["shapes"].front()["valid_to"] == 200);
  CHECK(row_of(rows, "C.sparse")["observation"]["sparsity"].front()["from"] == 1);
  CHECK(row_of(rows, "B.T6")["observation"].contains("first_step"));
  CHECK_FALSE(row_of(rows, "A.svm").contains("observation"));

  const json none = json::parse(attest("verify " + instance + " --json --no-runs").out);
  CHECK(row_of(none, "B.T4")["verdict"] == "undecided");
  CHECK(row_of(none, "B.T4")["reason"].get<std::string>().rfind("budget: no run was made", 0) == 0);
  CHECK_FALSE(row_of(none, "B.T4").contains("observation"));
  const json steps =
      json::parse(attest("verify " + instance + " --json --steps 9 --ngd-step 1/7 --gd-step 0x1p-2").out);
  CHECK(row_of(steps, "C.ngd")["observation"]["step"] == "1/7");
  CHECK(row_of(steps, "B.T4")["observation"]["step"] == "1*2^-2");
  CHECK(attest("verify " + instance + " --gd-step 0").exit == 2);
  CHECK(attest("verify " + instance + " --ngd-step fast").exit == 2);

  const Outcome details = attest("verify " + instance + " --details --steps 20");
  CHECK(details.exit == 0);
  CHECK(details.out.find("proved from t = 0 by T12") != std::string::npos);
}

TEST_CASE("verify on a prompt: only its own rows are run") {
  const Scratch scratch;
  const std::string instance =
      scratch.write("p.json", R"({"X":[[[3],[1],[1]]],"K":[[[0,0],[1,0],[0,1]]],"Y":[1],"v":[1]})");
  const Outcome outcome = attest("verify " + instance + " --json");
  REQUIRE(outcome.exit == 0);
  const json rows = json::parse(outcome.out);
  CHECK(row_of(rows, "A.global")["verdict"] == "holds");
  CHECK(row_of(rows, "A.global").contains("observation"));
  for (const std::string id : {"B.T4", "B.T7", "C.ngd", "C.polyak", "C.sparse"}) {
    CHECK(row_of(rows, id)["reason"].get<std::string>().rfind("not applicable", 0) == 0);
  }
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
  for (const char* key :
       {"optimizer", "steps", "selection", "correct_bits", "checkpoints", "forever", "shapes"}) {
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
