// Interrupted runs through the real binary: SIGINT and SIGKILL, the state file, --resume, proofs kept.
#include <csignal>

#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

const std::string specification = "run i.json --optimizer ngd --step 1/10 ";

// Starts a run far longer than a test, lets `meanwhile` (a shell command that sees the run's $pid) end it.
Outcome interrupted(const Folder& folder, const std::string& options, const std::string& meanwhile) {
  return run("cd '" + folder.path("") + "' && { '" + attest_binary + "' " + specification + options +
                 " >out & } ; pid=$! ; " + meanwhile + " ; wait $pid",
             "");
}

std::uint64_t recorded_step(const Folder& folder) {
  const std::string state = folder.read("r.attest.state");
  const std::size_t at = state.find("\nrecord ");
  REQUIRE(at != std::string::npos);
  return std::stoull(state.substr(at + 8));
}

// The answer without what depends on the clock or on how the run was divided.
}  // namespace

TEST_CASE("run: stopped by SIGINT it certifies what was done, and goes on as if never interrupted") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const Outcome stopped =
      interrupted(folder, "--steps 100000000 --json -o r.attest", "sleep 1; kill -INT $pid");
  CHECK(stopped.exit == 30);
  const json answer = json::parse(folder.read("out"));
  CHECK(answer["verdict"] == "undecided");
  CHECK(answer["reason"].get<std::string>().starts_with("interrupted"));
  const std::uint64_t done = answer["steps"];
  REQUIRE(done > 200);
  CHECK(checkpoint_steps(answer).back() == done);
  CHECK(answer["forever"]["verdict"] == "holds");
  const Outcome checked = folder.check("i.json r.attest");
  CHECK(checked.exit == 0);
  CHECK(checked.out.find("steps " + std::to_string(done)) != std::string::npos);
  CHECK(checked.out.find("forever-from-run") != std::string::npos);

  REQUIRE(recorded_step(folder) == done);
  const std::string steps = "--steps " + std::to_string(done + 300) + " --json -o r.attest";
  const Outcome resumed = folder.attest(specification + steps + " --resume");
  CHECK(resumed.exit == 0);
  const std::string certificate = folder.read("r.attest");
  CHECK_FALSE(folder.has("r.attest.state"));  // nothing is left to be resumed
  const Outcome whole = folder.attest(specification + steps);
  CHECK(comparable(resumed.out) == comparable(whole.out));
  CHECK(certificate == folder.read("r.attest"));
}

TEST_CASE("run: killed, it is resumed from its state file, with the proofs found before") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const Outcome killed =
      interrupted(folder, "--steps 100000000 -o r.attest",
                  "while [ ! -f r.attest.state ] && kill -0 $pid; do sleep 0.1; done; kill -KILL $pid");
  CHECK(killed.exit == 128 + SIGKILL);
  CHECK_FALSE(folder.has("r.attest"));
  const std::uint64_t done = recorded_step(folder);
  REQUIRE(done > 200);  // the proofs' steps are in the past

  const std::string state = folder.read("r.attest.state");
  Outcome refused = folder.attest(specification + "--steps 10 -o r.attest --resume");
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("past the last step") != std::string::npos);
  refused = folder.attest("run i.json --optimizer ngd --step 1/9 --steps 100000000 -o r.attest --resume");
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("another run") != std::string::npos);
  for (const std::size_t cut : {std::size_t{0}, std::size_t{30}, state.size() / 2, state.size() - 5}) {
    folder.write("r.attest.state", state.substr(0, cut));
    refused = folder.attest(specification + "--steps 100000000 -o r.attest --resume");
    CHECK(refused.exit == 2);
    CHECK(refused.err.find("r.attest.state") != std::string::npos);
    CHECK_FALSE(folder.has("r.attest"));
  }
  folder.write("r.attest.state", state);

  // With its own last step as the last one, the resumed run is the certificate of what was done.
  const std::string steps = "--steps " + std::to_string(done) + " --json -o r.attest";
  const Outcome resumed = folder.attest(specification + steps + " --resume");
  REQUIRE(resumed.exit == 0);
  const json answer = json::parse(resumed.out);
  CHECK(answer["steps"] == done);
  CHECK(answer["forever"]["verdict"] == "holds");
  CHECK(answer["forever"]["proofs"].size() >= 3);
  const std::string certificate = folder.read("r.attest");
  const Outcome whole = folder.attest(specification + steps);
  CHECK(comparable(resumed.out) == comparable(whole.out));
  CHECK(certificate == folder.read("r.attest"));
}

TEST_CASE("run: a state file asked for by name is kept, and a time limit leaves one") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const Outcome late = folder.attest(specification + "--steps 100000000 --time-limit 0.3 --state s --json");
  CHECK(late.exit == 30);
  CHECK(json::parse(late.out)["reason"].get<std::string>().starts_with("time"));
  REQUIRE(folder.has("s"));
  const std::uint64_t done = json::parse(late.out)["steps"];
  CHECK(folder.attest(specification + "--steps " + std::to_string(done + 9) + " --state s --resume").exit ==
        0);
  CHECK(folder.has("s"));
}
