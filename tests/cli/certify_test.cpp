// attest certify through the real binary: verdicts, JSON, exit statuses, certificates that re-check, atomic
// output.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/program.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

std::string digits() {
  return std::string(samples) + "/digits01.npz";
}

std::size_t significant_digits(const std::string& decimal) {
  std::size_t digits = 0;
  bool leading = true;
  for (const char c : decimal) {
    if (c < '0' || c > '9') continue;
    leading = leading && c == '0';
    if (!leading) ++digits;
  }
  return digits;
}

}  // namespace

TEST_CASE("the sample certifies in every form, and every certificate re-checks") {
  for (const std::string form : {"auto", "exact", "enclosure"}) {
    for (const std::string suffix : {"", ".gz"}) {
      const Scratch scratch;
      const std::string certificate = scratch.path("c" + suffix).string();
      const Outcome outcome = attest("certify " + digits() + " -o " + certificate + " --form " + form);
      CHECK(outcome.exit == 0);
      CHECK(outcome.last_line() == "s FEASIBLE");
      CHECK(outcome.err.empty());
      const Outcome checked = check(digits() + " " + certificate);
      CHECK(checked.exit == 0);
      CHECK(checked.last_line() == "s VERIFIED");
      CHECK(scratch.files() == 1);
    }
  }
}

TEST_CASE("JSON output is one value with the documented keys") {
  const Scratch scratch;
  const Outcome outcome =
      attest("certify " + digits() + " --form enclosure --json -o " + scratch.path("c").string());
  REQUIRE(outcome.exit == 0);
  const json value = json::parse(outcome.out);
  for (const char* key : {"verdict", "setting", "norm", "selection", "margin", "norm_value", "support",
                          "support_undecided", "strictly_complementary", "locally_optimal",
                          "globally_optimal", "witness", "vacuous", "claims", "certificate", "statistics"}) {
    CHECK_MESSAGE(value.contains(key), key);
  }
  CHECK(value["verdict"] == "feasible");
  CHECK(value["setting"] == "self-attention");
  CHECK(value["norm"] == "euclidean");
  CHECK(value["selection"].size() == 40);
  CHECK(value["support"].size() == 15);
  CHECK(value["strictly_complementary"] == true);
  CHECK(value["locally_optimal"] == true);
  CHECK(value["globally_optimal"] == true);
  CHECK(value["vacuous"] == false);
  for (const char* key : {"margin", "norm_value"}) {
    CHECK(significant_digits(value[key]["lo"]) >= 40);
    CHECK(significant_digits(value[key]["hi"]) >= 40);
    CHECK(value[key]["lo"].get<std::string>().find('e') == std::string::npos);
  }
  for (const json& claim : value["claims"]) CHECK(claim["level"] == "checked");
}

TEST_CASE("infeasible, vacuous and tied instances") {
  const Scratch scratch;
  const std::string certificate = scratch.path("c").string();

  const std::string infeasible = scratch.write("infeasible.json", infeasible_text);
  Outcome outcome = attest("certify " + infeasible + " --json -o " + certificate);
  CHECK(outcome.exit == 0);
  json value = json::parse(outcome.out);
  CHECK(value["verdict"] == "infeasible");
  CHECK(value["locally_optimal"] == false);
  CHECK(value["support"].is_null());
  CHECK(value["margin"].is_null());
  CHECK(check(infeasible + " " + certificate).exit == 0);

  const std::string vacuous = scratch.write("vacuous.json", vacuous_text);
  outcome = attest("certify " + vacuous + " --json -o " + certificate);
  CHECK(outcome.exit == 0);
  value = json::parse(outcome.out);
  CHECK(value["verdict"] == "feasible");
  CHECK(value["vacuous"] == true);
  CHECK(value["margin"]["lo"] == "Infinity");
  CHECK(value["norm_value"]["hi"] == "0");
  const Outcome checked = check(vacuous + " " + certificate);
  CHECK(checked.exit == 3);
  CHECK(checked.last_line() == "s VACUOUS");

  const std::string tied = scratch.write("tied.json", tied_text);
  outcome = attest("certify " + tied);
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("sequence 0") != std::string::npos);
  CHECK(outcome.err.find("tokens 0 and 1") != std::string::npos);
  CHECK(attest("certify " + tied + " --select 1").exit == 0);
}

TEST_CASE("the selection comes from --select, then alpha, then the scores") {
  const Scratch scratch;
  const std::string text =
      R"({"X":[[[1,0],[0,1],[-1,1]],[[0,1],[1,0],[2,5]]],"Y":[1,-1],"v":[2,1],"z":[[1,0],[0,1]])";
  const std::string plain = scratch.write("plain.json", text + "}");
  const std::string given = scratch.write("given.json", text + R"(,"alpha":[1,0]})");
  const auto selection = [](const std::string& arguments) {
    return json::parse(attest("certify " + arguments + " --json").out)["selection"];
  };
  CHECK(selection(plain) == json::array({0, 0}));
  CHECK(selection(given) == json::array({1, 0}));
  CHECK(selection(given + " --select 2,1") == json::array({2, 1}));
  for (const std::string bad : {"2", "2,1,0", "3,0", "0,-1", "0,x", ""}) {
    const Outcome outcome = attest("certify " + given + " --select '" + bad + "'");
    CHECK_MESSAGE(outcome.exit == 2, bad);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("a budget that is reached ends undecided, with exit 30 and only proved claims") {
  const Scratch scratch;
  const std::string certificate = scratch.path("c").string();
  const Outcome outcome = attest("certify " + digits() + " --time-limit 1e-9 --json -o " + certificate);
  CHECK(outcome.exit == 30);
  const json value = json::parse(outcome.out);
  CHECK(value["verdict"] == "undecided");
  CHECK(value["reason"].get<std::string>().rfind("time", 0) == 0);
  CHECK(value["support"].is_null());
  CHECK(check(digits() + " " + certificate).exit == 0);

  const Outcome full = attest("certify " + digits() + " --memory-limit 100");
  CHECK(full.exit == 5);
  CHECK(full.out.empty());
}

TEST_CASE("usage errors and unwritable output") {
  const Scratch scratch;
  const std::string instance = scratch.write("i.json", feasible_text);
  for (const std::string& arguments :
       {std::string(), std::string("nonsense"), std::string("certify"),
        "certify " + instance + " --form best", "certify " + instance + " --precision 3",
        "certify " + instance + " --time-limit -1", "certify " + instance + " --unknown",
        "certify " + scratch.path("missing.npz").string()}) {
    const Outcome outcome = attest(arguments);
    CHECK_MESSAGE(outcome.exit == 2, arguments);
    CHECK(outcome.out.empty());
    CHECK_FALSE(outcome.err.empty());
  }
  const Outcome outcome = attest("certify " + instance + " -o " + scratch.path("no/such/folder/c").string());
  CHECK(outcome.exit == 2);
  CHECK(scratch.files() == 1);
  CHECK(attest("--help").exit == 0);
  CHECK(attest("--version").exit == 0);
}

TEST_CASE("local optimality in norms with many solutions is decided by what all of them share") {
  const Scratch scratch;
  const std::string instance =
      scratch.write("i.json", R"({"X":[[[1,0],[0,0]],[[0,1],[0,0]],[[0,0],[-2,3]]],"Y":[1,1,1],"v":[2,1],)"
                              R"("z":[[1,0],[0,1],[1,0]]})");
  const auto certify = [&](const std::string& options) {
    return json::parse(attest("certify --json " + options + " " + instance).out);
  };
  // The best tokens are selected.
  for (const char* norm : {"nuc", "l1", "linf"})
    CHECK(certify("--norm " + std::string(norm))["locally_optimal"] == true);
  // One solution; a face with a better token of margin 1 everywhere; and without one.
  json value = certify("--norm l1 --select 0,0,1");
  CHECK(value["unique"] == true);
  CHECK(value["locally_optimal"] == false);
  CHECK(value["witness"]["locally_optimal"] == json::array({2, 0}));
  value = certify("--norm linf --select 1,1,0");
  CHECK(value["unique"] == false);
  CHECK(value["locally_optimal"] == false);
  CHECK(value["witness"]["locally_optimal"] == json::array({0, 0}));
  // W_11 = W_21 = W_22 = 1 at each, W_12 is free.
  value = certify("--norm linf --select 0,0,1");
  CHECK(value["unique"] == false);
  CHECK(value["locally_optimal"] == false);
  CHECK(value["witness"]["locally_optimal"] == json::array({2, 0}));
  value = certify("--norm nuc --select 0,0,1");
  CHECK(value["locally_optimal"].is_null());
  CHECK(!value["locally_optimal_reason"].get<std::string>().empty());
}

TEST_CASE(
    "a bound of the rank below the solution's says what is left open, and from which rank on it is not") {
  const Scratch scratch;
  // W_11, W_22 and 2 W_11 - 3 |W_21| at least 1: the identity, but a W_12 W_21 = W_11 W_22 has a larger norm.
  const std::string instance = scratch.write(
      "i.json",
      R"({"X":[[[1,0],[0,0]],[[0,1],[0,0]],[[0,0],[-2,3]],[[0,0],[-2,-3]]],"Y":[1,1,1,1],"v":[2,1],)"
      R"("z":[[1,0],[0,1],[1,0],[1,0]]})");
  const auto certify = [&](const std::string& options) {
    return attest("certify --norm nuc " + options + " " + instance).out;
  };
  json value = json::parse(certify("--json --rank 1"))["rank_bounded"];
  CHECK(value["meets"] != true);
  CHECK(value["reason"].get<std::string>().find("was found") != std::string::npos);
  CHECK(value["meets_from_rank"] == 2);
  CHECK(certify("--rank 1").find("from --rank 2 on they meet") != std::string::npos);
  value = json::parse(certify("--json --rank 2"))["rank_bounded"];
  CHECK(value["meets"] == true);
  CHECK(!value.contains("reason"));
}

TEST_CASE("output is replaced as a whole, and kept when the input is bad") {
  const Scratch scratch;
  const std::string instance = scratch.write("i.json", feasible_text);
  const std::string bad = scratch.write("bad.json", R"({"X":[[[1,0]]],"Y":[2],"v":[1,0]})");
  const std::string certificate = scratch.path("c").string();
  CHECK(attest("certify " + scratch.write("v.json", vacuous_text) + " -o " + certificate).exit == 0);
  const std::string precious = slurp(certificate);
  CHECK(attest("certify " + bad + " -o " + certificate).exit == 2);
  CHECK(slurp(certificate) == precious);
  CHECK(attest("certify " + instance + " -o " + certificate).exit == 0);
  CHECK(slurp(certificate).rfind("attest-certificate 1\n", 0) == 0);
  CHECK(slurp(certificate) != precious);
  CHECK(scratch.files() == 4);
}

TEST_CASE("the same input gives the same bytes") {
  const Scratch scratch;
  std::set<std::string> texts;
  for (const std::string run : {"1", "2"}) {
    const std::string certificate = scratch.path("c" + run).string();
    CHECK(attest("certify " + digits() + " --form enclosure -o " + certificate).exit == 0);
    texts.insert(slurp(certificate));
  }
  CHECK(texts.size() == 1);
}
