// attest-check --time-limit: certificates that would keep a checker busy for ever, and that a limit changes
// nothing else.
#include "tests/cli/run_instances.hpp"

using namespace cli_tests;

namespace {

// A true certificate of 50 steps, and the same claim with 10^9 steps, no rates and a last checkpoint that is
// false.
struct Certificates {
  Folder folder;
  Certificates() {
    folder.write("i.json", run_cross_text);
    REQUIRE(folder.attest("run i.json --optimizer ngd --step 1/10 --steps 50 -o true.attest").exit == 0);
    std::string text = folder.read("true.attest");
    const auto replace = [&](std::size_t from, std::size_t to, const std::string& by) {
      text.replace(from, to - from, by);
    };
    const std::size_t run = text.find(" run problem 1");
    const std::size_t steps = text.find(" steps 50\n", run);
    REQUIRE(steps != std::string::npos);
    replace(steps, steps + 9, " steps 1000000000");
    const std::size_t last = text.find("\nat 50 ") + 1;
    replace(last, last + 5, "at 1000000000");
    const std::size_t rates = text.find("\nrates ") + 1;
    const std::size_t after = text.find("\nclaim ", rates), end = text.find("\nend ", rates);
    const std::size_t rest = std::min(after, end);
    const std::size_t lines =
        std::count(text.begin() + static_cast<long>(rates), text.begin() + static_cast<long>(rest), '\n');
    replace(rates, rest, "rates 0");
    const std::size_t total = text.rfind(" lines ") + 7;
    const std::size_t count = std::stoul(text.substr(total)) - lines;
    replace(total, text.size(), std::to_string(count) + "\n");
    folder.write("endless.attest", text);
  }
};

}  // namespace

TEST_CASE("attest-check: a time limit ends an endless replay with exit 5 and accepts nothing") {
  const Certificates certificates;
  const Folder& folder = certificates.folder;
  const Outcome ended = folder.check("--time-limit 1 i.json endless.attest");
  CHECK(ended.exit == 5);
  CHECK(ended.out.empty());
  CHECK(ended.err == "attest-check: resource limit: not decided within 1 seconds\n");

  const Outcome plain = folder.check("i.json true.attest"),
                limited = folder.check("--time-limit 600 i.json true.attest");
  CHECK(plain.exit == 0);
  CHECK(limited.exit == 0);
  CHECK(limited.out == plain.out);
  std::string wrong = folder.read("true.attest");
  const std::size_t norm = wrong.find(" norm ", wrong.find("\nat 50 "));
  wrong.replace(norm, 6, " norm 1");
  folder.write("false.attest", wrong);
  CHECK(folder.check("--time-limit 600 i.json false.attest").exit == 1);
  for (const char* seconds : {"0", "-1", "1.5", "1000000", "", "x"}) {
    CAPTURE(seconds);
    CHECK(folder.check(std::string("--time-limit '") + seconds + "' i.json true.attest").exit == 2);
  }
}
