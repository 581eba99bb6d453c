// Time limits and signals in every phase of every command, unknown commands, and searches that visit nothing.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "tests/cli/npz_bytes.hpp"
#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

// Unit-normalised Gaussian sequences, 100 x 32 tokens in dimension 64, as an npz image: the size where
// everything before a run's first step, the proofs for all later steps and the catalogue's rows take tens of
// seconds.
std::string large_instance() {
  std::uint64_t state = 9;
  const auto uniform = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (static_cast<double>(state >> 11) + 0.5) * 0x1p-53;
  };
  const auto unit_rows = [&](std::size_t rows, std::size_t width) {
    std::vector<double> values(rows * width);
    for (std::size_t r = 0; r < rows; ++r) {
      double square = 0;
      for (std::size_t j = 0; j < width; ++j) {
        double& x = values[r * width + j];
        x = std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
        square += x * x;
      }
      for (std::size_t j = 0; j < width; ++j) values[r * width + j] /= std::sqrt(square);
    }
    return values;
  };
  const std::size_t n = 100, tokens = 32, d = 64;
  std::vector<double> labels(n);
  const std::vector<double> x = unit_rows(n * tokens, d), z = unit_rows(n, d), v = unit_rows(1, d);
  for (double& label : labels) label = uniform() < 0.5 ? -1 : 1;
  return zip({{"X.npy", npy(x, {n, tokens, d})},
              {"Y.npy", npy(labels, {n})},
              {"v.npy", npy(v, {d})},
              {"z.npy", npy(z, {n, d})}});
}

struct Timed : Outcome {
  double seconds = 0;
};

template <typename Call>
Timed timed(Call call) {
  const auto start = std::chrono::steady_clock::now();
  Timed outcome{call(), 0};
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

// A second over the limit is promised; four more are for a busy machine: what takes no notice takes minutes.
constexpr double promised = 1, busy = 4;

// Runs attest and sends it SIGINT after a second: twice, as `timeout` does.
Timed interrupted(const Folder& folder, const std::string& arguments) {
  return timed([&] {
    return run("cd '" + folder.path("") + "' && { '" + attest_binary + "' " + arguments +
                   " >out & } ; pid=$! ; sleep 1 ; kill -INT $pid ; kill -INT $pid ; wait $pid",
               "");
  });
}

}  // namespace

TEST_CASE("an unknown command is named, and the nearest one suggested") {
  const Outcome misspelt = attest("certfy x.npz");
  CHECK(misspelt.exit == 2);
  CHECK(
      misspelt.err.starts_with("attest: unknown command 'certfy', did you mean 'certify'? (commands: audit, "
                               "certify, run, checkpoint, "));
  CHECK(std::count(misspelt.err.begin(), misspelt.err.end(), '\n') == 1);
  const Outcome strange = attest("frobnicate --json");
  CHECK(strange.exit == 2);
  CHECK(strange.err.find("unknown command 'frobnicate' (commands: audit,") != std::string::npos);
  CHECK(json::parse(strange.out)["error"]["message"].get<std::string>().starts_with("unknown command"));
  CHECK(attest("").exit == 2);
  CHECK(attest("--help").exit == 0);
}

TEST_CASE("selections: nothing visited is no answer, and long counts are rounded") {
  const Folder folder;
  std::string text = R"({"X":[)";
  for (int i = 0; i < 200; ++i) text += std::string(i == 0 ? "" : ",") + "[[1,0],[0,1]]";
  text += R"(],"Y":[1)" + [] {
    std::string rest;
    for (int i = 1; i < 200; ++i) rest += ",1";
    return rest;
  }() + R"(],"v":[2,1],"z":[)";
  for (int i = 0; i < 200; ++i) text += std::string(i == 0 ? "" : ",") + "[1,0]";
  folder.write("i.json", text + "]}");
  const Outcome nothing = folder.attest("selections i.json --budget 0");
  CHECK(nothing.exit == 30);
  CHECK(nothing.out.find("c undecided: budget: no margin problem was solved") != std::string::npos);
  CHECK(nothing.out.find("c total ~1.6e60 visited 0 ") != std::string::npos);
  const Outcome machine = folder.attest("selections i.json --budget 0 --json");
  CHECK(machine.exit == 30);
  const json answer = json::parse(machine.out);
  CHECK(answer["visited"] == 0);
  CHECK(answer["total"]["about"] == "1.6e60");
  CHECK(answer["pruned"] == "0");
  CHECK(answer["reason"].get<std::string>().starts_with("budget: "));
  folder.write("small.json", run_cross_text);
  const Outcome small = folder.attest("selections small.json --json");
  CHECK(small.exit == 0);
  CHECK(json::parse(small.out)["total"] == "27");
}

TEST_CASE("run: the guess before the first step is a share of the time limit") {
  const Folder folder;
  folder.write("i.npz", large_instance());
  const Timed late = timed([&] {
    return folder.attest(
        "run i.npz --optimizer ngd --step 1/10 --steps 100000 --time-limit 8 --json -o r.attest");
  });
  CHECK(late.exit == 30);
  CHECK(late.seconds < 8 + promised + busy);
  const json answer = json::parse(late.out);
  CHECK(answer["reason"].get<std::string>().starts_with("time"));
  CHECK(answer["steps"] > 0);
  CHECK(folder.has("r.attest"));
  CHECK(folder.has("r.attest.state"));
}

TEST_CASE("time limits hold in every phase of every command") {
  const Folder folder;
  folder.write("i.npz", large_instance());
  struct Case {
    std::string command;
    double limit;
  };
  for (const Case& each : std::vector<Case>{{"verify i.npz", 2},
                                            {"verify i.npz --json", 0.4},
                                            {"run i.npz --optimizer gd --step 1 --steps 100000", 0.4},
                                            {"selections i.npz --budget 100000 -o s.cert", 1},
                                            {"certify i.npz --form exact --loss logistic", 1}}) {
    CAPTURE(each.command);
    std::ostringstream arguments;
    arguments << each.command << " --time-limit " << each.limit;
    const Timed late = timed([&] { return folder.attest(arguments.str()); });
    CHECK(late.exit == 30);
    CHECK(late.seconds < each.limit + promised + busy);
    if (each.command.find("--json") != std::string::npos) {
      CHECK(json::accept(late.out));
    } else {
      CHECK(late.last_line().starts_with("s "));
    }
  }
  // Reading: from a pipe that nobody writes to.
  for (const std::string command :
       {"info", "certify", "verify", "selections", "run --optimizer ngd --step 1 --steps 1"}) {
    CAPTURE(command);
    const Timed late = timed([&] {
      return run(std::string("( sleep 2 | timeout 3 '") + attest_binary + "' " + command +
                     " /dev/stdin --json --time-limit 0.2 )",
                 "");
    });
    CHECK(json::accept(late.out.substr(0, late.out.find_last_of("]}") + 1)));
    CHECK(late.out.find(command == "verify" ? "[]" : "\"undecided\"") != std::string::npos);
    CHECK(late.err.find("time: ") != std::string::npos);
  }
}

TEST_CASE("signals are answered within about a second, with what is proved") {
  const Folder folder;
  folder.write("i.npz", large_instance());
  json weights = json::array();
  for (int j = 0; j < 64; ++j) weights.push_back(std::vector<double>(64, 1.0 / (j + 1)));
  folder.write("w.json", weights.dump());
  for (const std::string command :
       {"verify i.npz", "run i.npz --optimizer ngd --step 1/10 --steps 100000 --state s",
        "selections i.npz --budget 100000 -o s.cert", "certify i.npz --form exact --report r.html",
        "checkpoint i.npz --W w.json --report c.html"}) {
    CAPTURE(command);
    const Timed stopped = interrupted(folder, command);
    CHECK(stopped.exit == 30);
    CHECK(stopped.seconds < 1 + promised + busy);
    CHECK(folder.read("out").find("interrupted") != std::string::npos);
  }
}

TEST_CASE("export: a time limit ends the check of an endless replay, and nothing is written") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  REQUIRE(folder.attest("run i.json --optimizer ngd --step 1/10 --steps 50 -o true.attest").exit == 0);
  std::string text = folder.read("true.attest");
  const auto replace = [&](const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), by);
  };
  replace(" steps 50\n", " steps 1000000000\n");
  replace("\nat 50 ", "\nat 1000000000 ");
  // Without the rates, which would be false soon.
  const std::size_t rates = text.find("\nrates ") + 1, after = text.find("\nclaim ", rates) + 1;
  const auto lines =
      std::count(text.begin() + static_cast<long>(rates), text.begin() + static_cast<long>(after), '\n') - 1;
  text.replace(rates, after - rates, "rates 0\n");
  const std::size_t total = text.rfind(" lines ") + 7;
  text.replace(total, text.size(), std::to_string(std::stol(text.substr(total)) - lines) + "\n");
  folder.write("endless.attest", text);
  const Timed late =
      timed([&] { return folder.attest("export --coq i.json endless.attest -o E.v --time-limit 0.5"); });
  CHECK(late.exit == 30);
  CHECK(late.seconds < 0.5 + promised + busy);
  CHECK(late.last_line() == "s UNDECIDED");
  CHECK_FALSE(folder.has("E.v"));
}
