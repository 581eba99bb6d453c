// attest audit through the real binaries: what is said of small instances, its JSON, folders, jobs, limits,
// and certificates that re-check.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "tests/cli/folder.hpp"
#include "tests/cli/npz_bytes.hpp"
#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

// Sequence 0 has a query of zeros, sequence 1 its best token between two others, sequences 2 and 3 want
// opposite things of one query, sequence 4 is easily separated.
const char* conflicts_text =
    R"({"X":[[[2,0],[1,0]], [[2,0],[1,3],[3,-3]], [[2,1],[1,0]], [[1,0],[2,1]], [[5,0],[0,0]]],
  "Y":[1,1,1,1,1],"v":[1,"1/100"],"alpha":[0,0,0,0,0],"z":[[0,0],[1,1],[0,1],[0,1],[1,0]]})";

// The first two answers' parts that do not depend on how fast the machine is.
json without_costs(json answer) {
  for (json& instance : answer["instances"]) {
    instance.erase("statistics");
    if (instance.contains("margin_problem")) instance["margin_problem"].erase("statistics");
  }
  return answer;
}

json audited(const Folder& folder, const std::string& arguments, int exit = 0) {
  const Outcome outcome = folder.attest("audit " + arguments + " --json");
  CHECK(outcome.exit == exit);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("a feasible instance: every key, margins, resolution, a certificate that re-checks") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const json answer = audited(folder, "i.json -o out");
  REQUIRE(answer["instances"].size() == 1);
  const json& found = answer["instances"][0];
  for (const char* key :
       {"path",           "summary",      "setting",   "groups",       "tokens",          "dimension",
        "number_format",  "equal_tokens", "ties",      "zero_queries", "never_separable", "selection",
        "margin_problem", "conflicts",    "drop",      "margins",      "holds_down",      "resolution",
        "theorems",       "certificates", "statistics"}) {
    CHECK_MESSAGE(found.contains(key), key);
  }
  CHECK(found["path"] == "i.json");
  CHECK(found["setting"] == "cross-attention");
  CHECK(found["groups"] == 3);
  CHECK(found["tokens"] == 9);
  CHECK(found["number_format"] == "integer");
  CHECK(found["margin_problem"]["verdict"] == "feasible");
  CHECK(found["conflicts"].empty());
  CHECK(found["drop"] == json{{"at_least", 0}, {"at_most", 0}, {"groups", json::array()}});
  // the least margin at W* is 1, and the shares add up
  double least = 9, shares = 0;
  for (const json& margin : found["margins"]) {
    least = std::min(least, ends(margin["least"]).first);
    shares += ends(margin["share"]).second;
  }
  CHECK(least == doctest::Approx(1));
  CHECK(shares == doctest::Approx(1));
  const auto [lo, hi] = ends(found["resolution"]["robust_radius"]);
  CHECK(0 < lo);
  CHECK(lo <= hi);
  CHECK(found["resolution"]["unit"].is_null());
  CHECK(!found["theorems"].empty());
  CHECK(found["summary"].get<std::string>().find("separates") != std::string::npos);
  REQUIRE(found["certificates"].size() == 1);
  CHECK(found["certificates"][0]["path"] == "out/i.json.cert");
  CHECK(found["certificates"][0]["check"] == "attest-check i.json out/i.json.cert");
  const Outcome checked = folder.check("i.json out/i.json.cert --require robust-radius");
  CHECK(checked.exit == 0);
  CHECK(checked.out.find(" robust-radius problem 1 from 1 radius ") != std::string::npos);
}

// Numbers m * 2^-11, 2^10 < m < 2^11 odd, are of binary16 and need its last digit.
TEST_CASE("numbers of sixteen bits are known by their use") {
  const Folder folder;
  const auto sequences = [](const auto& entry) {
    std::string text = "{\"X\":[";
    for (int i = 0; i < 8; ++i) {
      for (int t = 0; t < 4; ++t) {
        text += t > 0 ? "," : i > 0 ? ",[" : "[";
        text += "[\"" + entry(i, t, 0) + "\",\"" + entry(i, t, 1) + "\"]";
      }
      text += "]";
    }
    return text +
           "],\"scores\":[[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0]]}";
  };
  const auto numbers = [&](const std::string& text) {
    folder.write("i.json", text);
    return audited(folder, "i.json")["instances"][0];
  };
  const json half = numbers(sequences([](int i, int t, int k) {
    return std::to_string(t == 0 && k == 0 ? 1985 + 2 * i : 1025 + 2 * (4 * i + t + k)) + "*2^-11";
  }));
  CHECK(half["number_format"] == "binary16");
  CHECK(half["margin_problem"]["verdict"] == "feasible");
  const double unit = std::stod(half["resolution"]["unit"].get<std::string>());
  CHECK(unit > 1.1 * 0x1p-11);
  CHECK(unit < 1.2 * 0x1p-11);
  CHECK(half["summary"].get<std::string>().find("rounding to binary16") != std::string::npos);
  const json brain = numbers(sequences([](int i, int t, int k) {
    return std::to_string(t == 0 ? 255 : 129 + 2 * (4 * i + t + k)) + "*2^-20";
  }));
  CHECK(brain["number_format"] == "bfloat16");
  // short by nature, in every format
  const json quarters =
      numbers(sequences([](int, int t, int k) { return t == 0 ? "3/2" : std::to_string(t + k) + "/4"; }));
  CHECK(quarters["number_format"] == "binary32");
  // an integer beyond 2^53 may have been rounded
  CHECK(numbers(R"({"X":[[[9007199254740992],[1]]],"scores":[[1,0]]})")["number_format"] == "integer");
  CHECK(numbers(R"({"X":[[[36028797018963968],[1]]],"scores":[[1,0]]})")["number_format"] == "binary32");
}

TEST_CASE(
    "data that only their rounding separates: the margin is said to lie below it, with what undoes it") {
  const Folder folder;
  // The two rows are opposite but for a unit in the last place of the first coordinate.
  for (const auto& [format, left, mirrored, right] :
       {std::tuple("binary32", "0xABCDEFp-24", "0xABCDEEp-24", "0x9ABCDFp-24"),
        std::tuple("binary64", "0x1BCDEF12345677p-53", "0x1BCDEF12345676p-53", "0x19ABCDEF123457p-53")}) {
    const std::string name = format;
    CAPTURE(name);
    folder.write("i.json", R"({"X": [[[")" + std::string(left) + R"(", ")" + right + R"("], [0, 0]], [["-)" +
                               mirrored + R"(", "-)" + right +
                               R"("], [0, 0]]], "z": [[1], [1]], "Y": [1, -1], "v": [1, 1]})");
    const std::string text = folder.attest("certify i.json -o c").out;
    CHECK(text.find("verdict                 feasible") != std::string::npos);
    CHECK(text.find("margin below it: moving feature rows by ") != std::string::npos);
    CHECK(text.find("rounding to " + name + " moved them by up to ") != std::string::npos);
    CHECK(folder.check("i.json c").exit == 0);
    const json found = audited(folder, "i.json -o out --force")["instances"][0];
    CHECK(found["resolution"]["standing"] == "below");
    CHECK(found["summary"].get<std::string>().find("The margin is below the data's resolution") !=
          std::string::npos);
    CHECK(folder.check("i.json out/i.json.cert --require robust-radius").exit == 0);
    CHECK(std::stod(found["resolution"]["robust_radius"]["hi"].get<std::string>()) <
          std::stod(found["resolution"]["unit"].get<std::string>()));
  }
}

TEST_CASE("where every sequence must go, all must go") {
  const Folder folder;
  folder.write("i.json", R"({"X":[[[2,0],[1,0],[3,0]], [[2,0],[1,0],[4,0]]],"scores":[[1,0,0],[1,0,0]]})");
  const json found = audited(folder, "i.json")["instances"][0];
  CHECK(found["summary"].get<std::string>().find(
            "All 2 sequences must go: each can never be separated, not even alone.") != std::string::npos);
  CHECK(folder.attest("audit i.json").out.find("all 2 sequences") != std::string::npos);
  const json drop = audited(folder, "i.json -o nothing-stays")["instances"][0]["drop"];
  CHECK(drop == json{{"at_least", 2}, {"at_most", 2}, {"groups", json::array({0, 1})}});
}

TEST_CASE("conflicts: which sequences, which rows, how many must go") {
  const Folder folder;
  folder.write("i.json", conflicts_text);
  const json found = audited(folder, "i.json -o out")["instances"][0];
  CHECK(found["margin_problem"]["verdict"] == "infeasible");
  CHECK(found["zero_queries"] == json::array({0}));
  CHECK(found["never_separable"] == json::array({0, 1}));
  REQUIRE(found["conflicts"].size() == 3);
  std::set<json> groups;
  for (const json& conflict : found["conflicts"]) groups.insert(conflict["groups"]);
  CHECK(groups == std::set<json>{json::array({0}), json::array({1}), json::array({2, 3})});
  CHECK(found["drop"]["at_least"] == 3);
  CHECK(found["drop"]["at_most"] == 3);
  CHECK(found["drop"]["groups"].size() == 3);
  CHECK(found["resolution"]["robust_radius"].is_null());
  const Outcome checked = folder.check("i.json out/i.json.cert --require conflicts");
  CHECK(checked.exit == 0);
  CHECK(checked.out.find(" conflicts problem 1 at-least 3") != std::string::npos);
  CHECK(checked.out.find(" separable-without problem 1 groups 3 0 1 ") != std::string::npos);
  CHECK(found["summary"].get<std::string>().find("Exactly 3 sequences must go") != std::string::npos);
  const Outcome text = folder.attest("audit i.json");
  CHECK(text.exit == 0);
  CHECK(text.last_line() == "s AUDITED feasible 0 infeasible 1 undecided 0 refused 0");
}

TEST_CASE("equal tokens and ties are reported, not refused") {
  const Folder folder;
  folder.write("i.json",
               R"({"X":[[[1,0],[0,1],[0,1]],[[0,1],[0,2],[1,0]]],"Y":[1,1],"v":[0,1],"z":[[1,0],[0,1]],
                             "alpha":[0,1]})");
  const json found = audited(folder, "i.json")["instances"][0];
  CHECK(found["equal_tokens"] == json::array({json::array({0, json::array({1, 2})})}));
  CHECK(found["ties"] == json::array());  // equal tokens are one
  folder.write("tie.json", R"({"X":[[[1,0],[1,2],[0,1]]],"Y":[1],"v":[1,0],"z":[[1,0]]})");
  const json tie = audited(folder, "tie.json")["instances"][0];
  CHECK(tie["ties"] == json::array({json::array({0, json::array({0, 1})})}));
  CHECK(tie["selection"] == json::array({0}));
  CHECK(tie["summary"].get<std::string>().find("tied") != std::string::npos);
}

TEST_CASE("folders, several jobs, and a file that is none") {
  const Folder folder;
  folder.write("data/b.json", run_self_text);
  folder.write("data/a.json", run_prompt_text);
  folder.write("data/c.json", conflicts_text);
  folder.write("data/notes.txt", "not looked at");
  folder.write("data/array/X.npy", npy({1, 0, 0, 1}, {1, 2, 2}));
  folder.write("data/array/Y.npy", npy({1}, {1}));
  folder.write("data/array/v.npy", npy({1, 0}, {2}));
  const json alone = audited(folder, "data");
  std::vector<std::string> paths;
  for (const json& instance : alone["instances"]) paths.push_back(instance["path"]);
  CHECK(paths == std::vector<std::string>{"data/a.json", "data/array", "data/b.json", "data/c.json"});
  CHECK(without_costs(audited(folder, "data --jobs 3")) == without_costs(alone));
  folder.write("data/d.json", "{");
  const json with_error = audited(folder, "data --jobs 2 -o out", 2);
  REQUIRE(with_error["instances"].size() == 5);
  CHECK(with_error["instances"][4]["error"]["kind"] == "malformed");
  CHECK(with_error["instances"][3]["margin_problem"]["verdict"] == "infeasible");
  CHECK(folder.names() == std::vector<std::string>{"data", "out"});
  CHECK(folder.check("data/c.json out/c.json.cert").exit == 0);
  CHECK(folder.check("data/array out/array.cert").exit == 0);
  CHECK(!folder.has("out/d.json.cert"));
  // the same bytes whatever the number of jobs
  CHECK(folder.attest("audit data --jobs 1 -o one").exit == 2);
  for (const char* name : {"a.json.cert", "array.cert", "b.json.cert", "c.json.cert"})
    CHECK(folder.read(std::string("one/") + name) == folder.read(std::string("out/") + name));
  CHECK(folder.attest("audit data").out.find("refused: data/d.json") != std::string::npos);
}

TEST_CASE("what is wrong with the request, limits") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  fs::create_directory(folder.path("empty"));
  CHECK(folder.attest("audit").exit == 2);
  CHECK(folder.attest("audit empty").exit == 2);
  CHECK(folder.attest("audit missing.json").exit == 2);
  CHECK(folder.attest("audit i.json --jobs 0").exit == 2);
  CHECK(folder.attest("audit i.json -o i.json").exit == 2);
  CHECK(folder.attest("audit i.json --memory-limit 100").exit == 5);
  folder.write("out/i.json.cert", "mine");
  CHECK(folder.attest("audit i.json -o out").exit == 2);
  CHECK(folder.read("out/i.json.cert") == "mine");
  CHECK(folder.attest("audit i.json -o out --force").exit == 0);
  CHECK(folder.attest("audit i.json -o out").exit == 0);  // a certificate is replaced by a certificate
}
