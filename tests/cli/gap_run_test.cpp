// A run towards a direction that only a duality gap knows, its active rows depending on each other: the
// claims of its certificate hold for the checker, and what no gap proves is not claimed.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

// `groups` random sequences, each twice: dependent rows, too many for exact pivoting while a run waits.
std::string sequences_twice(std::size_t groups, std::size_t tokens, std::size_t d) {
  std::mt19937_64 random(3);
  const auto entry = [&] {
    return std::to_string(static_cast<long>(random() >> 43) - (1L << 20)) + "/1048576";
  };
  json X = json::array(), z = json::array(), Y = json::array(), v = json::array();
  for (std::size_t i = 0; i < groups; ++i) {
    json sequence = json::array(), query = json::array();
    for (std::size_t t = 0; t < tokens; ++t) {
      json row = json::array();
      for (std::size_t j = 0; j < d; ++j) row.push_back(entry());
      sequence.push_back(row);
    }
    for (std::size_t j = 0; j < d; ++j) query.push_back(entry());
    for (int copy = 0; copy < 2; ++copy) {
      X.push_back(sequence);
      z.push_back(query);
      Y.push_back(i % 2 == 0 ? 1 : -1);
    }
  }
  for (std::size_t j = 0; j < d; ++j) v.push_back(entry());
  return json{{"X", X}, {"z", z}, {"Y", Y}, {"v", v}}.dump();
}

}  // namespace

TEST_CASE("run: a direction known by a gap has its bands, rates and path inequality certified") {
  const Folder folder;
  folder.write("i.json", sequences_twice(40, 12, 24));
  const Outcome outcome =
      folder.attest("run i.json --optimizer ngd --step 1/4 --steps 12 -o run.attest --json");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const std::string certificate = folder.read("run.attest");
  CHECK(certificate.find("form gap") != std::string::npos);
  CHECK(certificate.find(" run problem 1 ") != std::string::npos);
  const Outcome checked = folder.check("i.json run.attest --require run --require path-inequality");
  CHECK_MESSAGE(checked.exit == 0, checked.err);
  const auto [lo, hi] = ends(json::parse(outcome.out)["checkpoints"].back()["one_minus_corr"]);
  CHECK(hi - lo < 1e-25);
}
