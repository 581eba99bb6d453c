// `--threads`: the same bytes on any number of threads, within the same limits.
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>

#include "tests/cli/program.hpp"
#include "tests/cli/run_instances.hpp"

using namespace cli_tests;

namespace {

// Steps of a run on it, and of its check, are shared out.
std::string shared_data() {
  std::mt19937 random(11);
  const auto list = [](std::size_t count, const auto& entry) {
    std::string text = "[";
    for (std::size_t k = 0; k < count; ++k) text += (k > 0 ? "," : "") + entry();
    return text + "]";
  };
  const auto row = [&](std::size_t count) {
    return list(count, [&] { return std::to_string(25 * (static_cast<int>(random() % 33) - 16)) + "e-3"; });
  };
  constexpr std::size_t groups = 80, tokens = 10, dimension = 48;
  return "{\"X\":" + list(groups, [&] { return list(tokens, [&] { return row(dimension); }); }) +
         ",\"z\":" + list(groups, [&] { return row(dimension); }) +
         ",\"Y\":" + list(groups, [&] { return std::string(random() % 2 == 0 ? "1" : "-1"); }) +
         ",\"v\":" + row(dimension) + "}";
}

}  // namespace

TEST_CASE("certificates, answers and checks are the same bytes on one, two and three threads") {
  const Scratch scratch;
  const std::string data = scratch.write("data.json", shared_data());
  std::set<std::string> runs, solutions, lines, audits;
  for (const std::string threads : {" --threads 1", " --threads 2", " --threads 3", ""}) {
    const std::string run = scratch.path("run.attest").string();
    CHECK(
        attest("run " + data + " --optimizer ngd --step 1/10 --steps 10 --force -o " + run + threads).exit ==
        0);
    runs.insert(slurp(run));
    const Outcome checked = check(data + " " + run + threads);
    CHECK(checked.exit == 0);
    lines.insert(checked.out);
    const std::string solution = scratch.path("solution.attest").string();
    CHECK(attest("certify " + data + " --force -o " + solution + threads).exit == 0);
    solutions.insert(slurp(solution));
    if (threads == " --threads 2" || threads.empty()) continue;  // ten seconds each
    CHECK(attest("audit " + data + " --jobs 2 --force -o " + scratch.path("audit").string() + threads).exit ==
          0);
    for (const auto& file : fs::directory_iterator(scratch.path("audit"))) audits.insert(slurp(file.path()));
  }
  CHECK(runs.size() == 1);
  CHECK(lines.size() == 1);
  CHECK(solutions.size() == 1);
  CHECK(audits.size() == 1);
}

TEST_CASE("limits hold on several threads") {
  const Scratch scratch;
  const std::string data = scratch.write("data.json", shared_data());
  const std::string run = scratch.path("run.attest").string();
  const std::string begun = "run " + data + " --optimizer ngd --step 1/10 --threads 3 --force -o " + run;
  CHECK(attest(begun + " --steps 100000 --time-limit 2").exit == 30);
  if (fs::exists(run)) CHECK(check(data + " " + run + " --threads 3").exit == 0);
  const Outcome little = attest(begun + " --steps 100 --memory-limit 30000000");
  CHECK((little.exit == 5 || little.exit == 30));
  CHECK(attest(begun + " --steps 3").exit == 0);
  const Outcome narrow = check(data + " " + run + " --threads 3 --memory-limit 8000000");
  CHECK(narrow.exit == 5);
  CHECK(narrow.err.find("(run) needs more than 8000000 bytes") != std::string::npos);
}

TEST_CASE("numbers of threads that are none are refused") {
  const Scratch scratch;
  const std::string data = scratch.write("data.json", run_self_text),
                    run = scratch.path("run.attest").string();
  CHECK(attest("certify " + data + " --force -o " + run + " --threads 9999").exit == 0);
  CHECK(check("--threads 9999 " + data + " " + run).exit == 0);
  for (const std::string threads : {"0", "-1", "two", "10000"}) {
    CHECK(attest("certify " + data + " --force -o " + run + " --threads " + threads).exit == 2);
    CHECK(check("--threads " + threads + " " + data + " " + run).exit == 2);
  }
}
