// `attest certify` on instances solved by hand: every field of the JSON, digits of enclosures, errors as
// JSON.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/folder.hpp"

using namespace cli_tests;
using Json = nlohmann::json;

namespace {

// One sequence, query (1,0): W's first column decides. Token 1 against tokens 0 (score lower) and 2 (score
// lower).
const char* const one_sequence = R"({"X": [[[0,0],[2,0],[1,0]]], "Y": [1], "v": [1,0], "z": [[1,0]]})";
// The selected token amid two others, whose scores are no lower.
const char* const amid = R"({"X": [[[0,1],[2,0],[-2,2]]], "Y": [1], "v": [0,1], "z": [[1,0]], "alpha": [0]})";

Json certify(const Folder& folder, const std::string& arguments, int status = 0) {
  const Outcome outcome = folder.attest("certify --json " + arguments);
  INFO(arguments, ": ", outcome.err);
  REQUIRE(outcome.exit == status);
  return Json::parse(outcome.out);  // fails on anything but exactly one value
}

}  // namespace

TEST_CASE("a feasible instance: every field, and the certificate checks") {
  const Folder folder;
  folder.write("a.json", one_sequence);
  for (const std::string form : {"auto", "exact", "enclosure"}) {
    INFO(form);
    const Json value = certify(folder, "a.json -o a.cert --loss logistic --form " + form);
    CHECK(value.at("verdict") == "feasible");
    CHECK(value.at("setting") == "cross-attention");
    CHECK(value.at("norm") == "euclidean");
    CHECK(value.at("selection") == Json::parse("[1]"));
    // Delta = (2,0)(1,0)' and (1,0)(1,0)': W* has the one entry 1, tight at token 2 only.
    CHECK(value.at("support") == Json::parse("[[0,2]]"));
    CHECK(value.at("support_undecided") == Json::array());
    CHECK(value.at("strictly_complementary") == true);
    CHECK(value.at("locally_optimal") == true);
    CHECK(value.at("globally_optimal") == true);
    CHECK(value.at("vacuous") == false);
    CHECK(value.at("rank") == 1);
    CHECK(value.at("certificate") == "a.cert");
    CHECK_FALSE(value.contains("reason"));
    for (const Json& claim : value.at("claims")) CHECK(claim.at("level") == "checked");
    CHECK(folder.check("a.json a.cert").exit == 0);
    CHECK(folder.names() == std::vector<std::string>{"a.cert", "a.json"});
  }
  const Json exact = certify(folder, "a.json --form exact");
  CHECK(exact.at("norm_value") == Json::parse(R"({"lo": "1", "hi": "1"})"));
  CHECK(exact.at("margin") == Json::parse(R"({"lo": "1", "hi": "1"})"));
  CHECK(exact.at("certificate").is_null());
}

TEST_CASE("enclosures have at least 40 significant digits and enclose") {
  const Folder folder;
  // W* = 1/3 exactly at (0,0): norm 1/3, margin 3.
  folder.write("a.json", R"({"X": [[[0,0],[3,0]]], "Y": [1], "v": [1,0], "z": [[1,0]]})");
  const Json value = certify(folder, "a.json --form exact");
  const std::string lo = value.at("norm_value").at("lo"), hi = value.at("norm_value").at("hi");
  const std::string thirds = "0." + std::string(40, '3');
  CHECK(lo.substr(0, thirds.size()) == thirds);
  CHECK(hi.substr(0, thirds.size()) == thirds);
  CHECK(lo.back() == '3');
  CHECK(hi.back() == '4');
  CHECK(lo.size() == hi.size());
}

TEST_CASE("an infeasible instance") {
  const Folder folder;
  folder.write("a.json", amid);
  const Json value = certify(folder, "a.json -o a.cert");
  CHECK(value.at("verdict") == "infeasible");
  CHECK(value.at("margin").is_null());
  CHECK(value.at("support").is_null());
  CHECK(value.at("locally_optimal") == false);
  CHECK(value.at("globally_optimal") == false);
  CHECK(value.at("witness").at("globally_optimal") == Json::parse("[0,2]"));
  CHECK(folder.check("a.json a.cert").exit == 0);
  CHECK(folder.attest("certify a.json").out.find("\ns INFEASIBLE\n") != std::string::npos);
}

TEST_CASE("an input error with --json is one JSON value too") {
  const Folder folder;
  folder.write("a.json", R"({"X": [[[1]]], "Y": [7], "v": [1]})");
  const Json value = certify(folder, "a.json", 2);
  CHECK(value.at("error").at("key") == "Y");
  CHECK(value.at("error").at("index") == "[0]");
  CHECK(value.at("error").at("file") == "a.json");
}

TEST_CASE("rounding noise is not rank: one sequence with multipliers gives rank 1 in every form") {
  const Folder folder;
  folder.write("a.json", R"({"X": [[[-7,-7],[9,1],[-5,-9],[-3,-1],[8,-9]],[[1,-9]]], "Y": [-1,1], "v": [1,-9],
                            "query": "last", "alpha": [3,0]})");
  for (const std::string form : {"exact", "enclosure"}) {
    CHECK(certify(folder, "a.json -o a.cert --form " + form).at("rank") == 1);
    CHECK(folder.check("a.json a.cert").exit == 0);
  }
}
