// Reading, info and convert through the real binary: every defect is named with file, key and index;
// conversions keep the canonical hash.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "tests/cli/program.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

struct Defect {
  const char* text;
  std::vector<const char*> named;  // what the message must mention besides the file
};

}  // namespace

TEST_CASE("each defect of a JSON instance is named, with exit 2 and nothing written") {
  const std::vector<Defect> defects = {
      {R"({"X":[[[1,0],[0,1]]],"Y":[2],"v":[1,0]})", {"Y", "0"}},
      {R"({"X":[[[1,0],[0,1]],[[1,0],[0,1]]],"Y":[1,0],"v":[1,0]})", {"Y", "1"}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1,1],"v":[1,0]})", {"Y"}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0,0]})", {"v"}},
      {R"({"X":[[[1,0],[0]]],"Y":[1],"v":[1,0]})", {"X"}},
      {R"({"X":[[[1,"nan"],[0,1]]],"Y":[1],"v":[1,0]})", {"X"}},
      {R"({"X":[[[1,1e999],[0,1]]],"Y":[1],"v":[1,0]})", {"X"}},
      {R"({"X":[[[1,"1/0"],[0,1]]],"Y":[1],"v":[1,0]})", {"X"}},
      {R"({"X":[[]],"Y":[1],"v":[1,0]})", {"X"}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0],"w":[1]})", {"w"}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0],"v":[1,0]})", {"v"}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1]})", {"v"}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0],"z":[[1]],"query":0})", {"z", "query"}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0],"z":[[1],[1]]})", {"z"}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0],"query":2})", {"query"}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0],"alpha":[2]})", {"alpha", "0"}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0]} x)", {}},
      {R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0])", {}},
      {R"([1,2])", {}},
      {"", {}},
  };
  for (const Defect& defect : defects) {
    const Scratch scratch;
    const std::string instance = scratch.write("bad.json", defect.text);
    const Outcome outcome = attest("certify " + instance + " -o " + scratch.path("c").string());
    CAPTURE(defect.text);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find("bad.json") != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    for (const char* word : defect.named) CHECK_MESSAGE(outcome.err.find(word) != std::string::npos, word);
    CHECK(scratch.files() == 1);
    CHECK(check(instance + " /dev/null").exit == 2);
  }
}

TEST_CASE("info describes an instance, as text and as JSON") {
  const std::string digits = std::string(samples) + "/digits01.npz";
  const json value = json::parse(attest("info " + digits + " --json").out);
  CHECK(value["setting"] == "self-attention");
  CHECK(value["sha256"].get<std::string>().size() == 64);
  const Outcome text = attest("info " + digits);
  CHECK(text.exit == 0);
  CHECK(text.out.find(value["sha256"].get<std::string>()) != std::string::npos);
  CHECK(text.out.find("40 sequences of 4 tokens in dimension 16") != std::string::npos);
}

TEST_CASE("conversions round-trip through every format with the same hash and the same exact numbers") {
  const std::vector<const char*> instances = {
      feasible_text, vacuous_text,
      R"({"X":[[["0x1.8p-60",0.1],[0,1]],[[1,2],[3,4],["1/3",5]]],"Y":[1,-1],"v":["-7*2^-40",1],"query":"last"})",
      R"({"X":[[[1,2],[3,4]]],"Y":[-1],"v":[1,0],"K":[[[1,2,3],[4,5,6.25]]]})"};
  for (const char* text : instances) {
    const Scratch scratch;
    const std::string source = scratch.write("source.json", text);
    const auto hash = [](const std::string& file) {
      return json::parse(attest("info " + file + " --json").out)["sha256"];
    };
    const json expected = hash(source);
    const bool binary64 = std::string(text).find("0.1") == std::string::npos;
    for (const std::string format : {"copy.json", "copy.json.gz", "copy.npz", "folder"}) {
      const std::string copy = scratch.path(format).string();
      const Outcome outcome = attest("convert " + source + " " + copy);
      CAPTURE(text);
      CAPTURE(format);
      if (outcome.exit != 0) {  // npy cannot hold every rational: refused, and nothing is left behind
        CHECK_FALSE(binary64);
        CHECK(outcome.exit == 2);
        CHECK_FALSE(fs::exists(copy));
        continue;
      }
      CHECK(hash(copy) == expected);
      const std::string back = scratch.path("back-" + format + ".json").string();
      CHECK(attest("convert " + copy + " " + back).exit == 0);
      CHECK(hash(back) == expected);
    }
    const std::string canonical = scratch.path("canonical.txt").string();
    CHECK(attest("convert " + source + " " + canonical).exit == 0);
    CHECK(slurp(canonical).rfind("attest-instance 1\n", 0) == 0);
    CHECK(run("sha256sum", canonical).out.substr(0, 64) == expected.get<std::string>());
  }
}
