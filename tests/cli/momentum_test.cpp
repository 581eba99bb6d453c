// attest run --momentum through the real binary: settings, refusals, resuming, what the certificate holds.
#include <algorithm>

#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

const std::string with_momentum = "run i.json --optimizer gd --step 1/2 --momentum 9/10 ";

}  // namespace

TEST_CASE("run --momentum: gd and ngd, every arithmetic; the answer says what is not proved") {
  for (const char* text : {run_cross_text, run_self_text, run_prompt_text}) {
    const Folder folder;
    folder.write("i.json", text);
    for (const std::string optimizer :
         {"gd --step 1/2", "ngd --step 1/10", "ngd --step 1/3 --schedule invsqrt"}) {
      CAPTURE(optimizer);
      const std::string run = "run i.json --steps 60 --momentum 0.9 --json --optimizer " + optimizer;
      const Outcome proved = folder.attest(run + " -o r.attest");
      REQUIRE(proved.exit == 0);
      const json answer = json::parse(proved.out);
      CHECK(answer["verdict"] == "complete");
      CHECK(answer["momentum"] == "9/10");
      CHECK(answer["correct_bits"] >= 100);
      CHECK(answer["forever"]["verdict"] == "undecided");
      CHECK(answer["forever"]["reason"] == "no theorem about all later steps covers momentum");
      CHECK(answer["certificate_note"] == "without the run: no checker follows momentum");
      for (const json& claim : answer["claims"]) {
        CHECK(claim["kind"] != "run");
        CHECK(claim["kind"] != "forever-from-run");
      }
      CHECK(answer["claims"].dump().find("optimal") != std::string::npos);
      CHECK(folder.check("i.json r.attest").exit == 0);

      // Plain arithmetic agrees while it is right.
      const double norm = std::stod(answer["checkpoints"].back()["norm"]["lo"].get<std::string>());
      for (const std::string arithmetic : {"double", "mpfr"}) {
        const Outcome plain = folder.attest(run + " --arithmetic " + arithmetic);
        REQUIRE(plain.exit == 0);
        const json seen = json::parse(plain.out);
        CHECK(seen["momentum"] == "9/10");
        const double same = std::stod(seen["checkpoints"].back()["norm"]["lo"].get<std::string>());
        CHECK(same == doctest::Approx(norm).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("run --momentum 0 is the run without it, to the byte") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const std::string run = "run i.json --steps 50 --optimizer ngd --step 1/10 -o r.attest --force";
  REQUIRE(folder.attest(run).exit == 0);
  const std::string certificate = folder.read("r.attest");
  REQUIRE(folder.attest(run + " --momentum 0").exit == 0);
  CHECK(folder.read("r.attest") == certificate);
}

TEST_CASE("run --momentum: what does not go with it is refused with one line") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const auto refused = [&](const std::string& options, const std::string& reason) {
    CAPTURE(options);
    const Outcome outcome = folder.attest("run i.json --steps 5 " + options);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find(reason) != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  };
  refused("--optimizer polyak --momentum 1/2", "polyak steps take none");
  refused("--optimizer gd --step 1 --momentum 1", "at least 0 and below 1");
  refused("--optimizer gd --step 1 --momentum=-1/2", "at least 0 and below 1");
  refused("--optimizer gd --step 1 --momentum fast", "--momentum");
  refused("--optimizer ngd --step 1 --momentum 1/2 --until-forever",
          "no theorem about all later steps covers momentum");
}

TEST_CASE("run --momentum: interrupted, it goes on as if never interrupted, and under no other momentum") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  run("cd '" + folder.path("") + "' && { '" + attest_binary + "' " + with_momentum +
          "--steps 100000000 --json -o r.attest >out & } ; pid=$! ; sleep 1; kill -INT $pid ; wait $pid",
      "");
  const json answer = json::parse(folder.read("out"));
  CHECK(answer["reason"].get<std::string>().starts_with("interrupted"));
  const std::uint64_t done = answer["steps"];
  const std::string steps = "--steps " + std::to_string(done + 100) + " --json -o r.attest ";
  CHECK(folder.attest("run i.json --optimizer gd --step 1/2 --resume " + steps).exit == 2);
  CHECK(folder.attest("run i.json --optimizer gd --step 1/2 --momentum 4/5 --resume " + steps).exit == 2);
  const Outcome resumed = folder.attest(with_momentum + steps + "--resume");
  CHECK(resumed.exit == 0);
  const Outcome whole = folder.attest(with_momentum + steps);
  CHECK(comparable(resumed.out) == comparable(whole.out));
}
