// attest run: what keeps a theorem from applying and what to do then, in words; scores of any size.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/folder.hpp"
#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using json = nlohmann::json;

namespace {

const std::string unit = std::string(samples) + "/digits01_unit.npz";

std::string reason(const Folder& folder, const std::string& instance, const std::string& options) {
  return json::parse(folder.attest("run " + instance + " " + options + " --json").out)["forever"]["reason"];
}

}  // namespace

TEST_CASE("run: margins that are too small for a theorem are named, with those that would do") {
  const Folder folder;
  // Better tokens have to fall behind: only the ray's margins do.
  const std::string local = reason(folder, unit, "--optimizer ngd --step 1/10 --steps 300");
  CHECK(has(local, "no theorem's hypotheses hold within these steps: at step 300 margins are too small"));
  CHECK(has(local, "along the max-margin direction from margins about"));
  CHECK(has(local, "which more --steps may bring"));
}

TEST_CASE("run: Polyak steps towards another selection name the better tokens") {
  const Folder folder;
  const std::string said = reason(folder, unit, "--optimizer polyak --steps 40");
  CHECK(has(said, "globally optimal selections only: ("));
  CHECK(has(said, " no worse than the selected token"));
}

TEST_CASE("run: bits that are given and do not suffice are said with a way on") {
  const Folder folder;
  const json answer = json::parse(
      folder.attest("run " + unit + " --optimizer ngd --step 3 --steps 400 --precision 60 --bits 53 --json")
          .out);
  REQUIRE(answer["verdict"] == "undecided");
  CHECK(has(answer["reason"].get<std::string>(), "--precision auto, or more bits, may"));
}

TEST_CASE("run: scores of a million take one attempt, by every rule") {
  const Folder folder;
  for (const std::string rule : {"gd --step 1/10", "ngd --step 1/10", "polyak"}) {
    CAPTURE(rule);
    folder.write("large.json",
                 R"({"X":[[[1,0.5],[0,0.25],[0.5,-1]],[[0.25,1],[1,-1],[0.5,0]]],"z":[[1,0.5],[-0.5,1]],)"
                 R"("scores":[[2000000,1000000,500000],[3000000,1500000,700000]]})");
    const json answer =
        json::parse(folder.attest("run large.json --optimizer " + rule + " --steps 60 --json").out);
    CHECK(answer["statistics"]["attempts"] == 1);
    if (rule.starts_with("gd")) {  // slopes of e^-2000000
      CHECK(has(answer["reason"].get<std::string>(), "a larger --step, or --optimizer ngd, moves it"));
    } else {
      CHECK(answer["verdict"] == "complete");
    }
  }
}
