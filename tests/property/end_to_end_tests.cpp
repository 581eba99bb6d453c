// The two programs on every family and form: `attest certify` must say what the reference says, its
// certificate must be well-formed and true as judged by the reference, and `attest-check` must verify it.
//
// The environment variables ATTEST and ATTEST_CHECK name the programs.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/oracle/families.hpp"
#include "tests/oracle/judge.hpp"
#include "tests/oracle/producer.hpp"

namespace {

using nlohmann::json;
using reference::Case;
using reference::MarginAnswer;
using reference::Number;

const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    auto made = std::filesystem::temp_directory_path() / ("attest-end-to-end-" + std::to_string(getpid()));
    std::filesystem::create_directories(made);
    return made;
  }();
  return path;
}

std::string program(const char* variable) {
  const char* path = std::getenv(variable);
  REQUIRE_MESSAGE(path != nullptr, variable, " must name the program");
  return path;
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Exit code; standard output goes to `out`.
int run(const std::string& command, const std::filesystem::path& out) {
  const int status = std::system((command + " >'" + out.string() + "' 2>'" + out.string() + ".err'").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The exact value of a plain decimal string.
Number decimal(const std::string& text) {
  std::string digits;
  std::size_t fraction = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.') {
      point = true;
    } else {
      REQUIRE((c == '-' || (c >= '0' && c <= '9')));
      digits += c;
      fraction += point;
    }
  }
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, fraction);
  Number value(mpz_class(digits, 10), power);
  value.canonicalize();
  return value;
}

// An enclosure of a non-negative number whose square is `square`.
void check_square(const json& enclosure, const Number& square) {
  const Number lo = decimal(enclosure.at("lo")), hi = decimal(enclosure.at("hi"));
  CHECK(lo >= 0);
  CHECK(lo * lo <= square);
  CHECK(hi * hi >= square);
  CHECK((hi - lo) * (hi - lo) * 1000000000 * 1000000000 <= square);
}

void check_report(const json& report, const MarginAnswer& answer) {
  CHECK(report.at("verdict") == (answer.feasible ? "feasible" : "infeasible"));
  CHECK(report.at("locally_optimal") == answer.locally_optimal);
  CHECK(report.at("globally_optimal") == answer.globally_optimal);
  CHECK(report.at("vacuous") == answer.constraints.empty());
  if (!answer.feasible) return;
  CHECK(report.at("strictly_complementary") == reference::strictly_complementary(answer));
  json support = json::array();
  for (const std::size_t c : answer.support)
    support.push_back({answer.constraints[c].first, answer.constraints[c].second});
  CHECK(report.at("support") == support);
  if (answer.constraints.empty()) {
    CHECK(report.at("margin").at("lo") == "Infinity");
    CHECK(report.at("margin").at("hi") == "Infinity");
    return;
  }
  check_square(report.at("norm_value"), answer.norm_squared);
  check_square(report.at("margin"), 1 / answer.norm_squared);
}

// Kinds of claim that a decided problem's certificate must contain.
std::vector<std::string> due_kinds(const MarginAnswer& answer) {
  std::vector<std::string> kinds{answer.globally_optimal ? "globally-optimal" : "not-globally-optimal",
                                 answer.locally_optimal ? "locally-optimal" : "not-locally-optimal"};
  if (!answer.feasible) {
    kinds.push_back("infeasible");
    return kinds;
  }
  kinds.push_back("support");
  kinds.push_back(reference::strictly_complementary(answer) ? "strictly-complementary"
                                                            : "not-strictly-complementary");
  return kinds;
}

void check_families(const std::string& form) {
  const std::string attest = program("ATTEST"), checker = program("ATTEST_CHECK");
  const std::vector<std::string> losses{"none", "logistic", "exponential", "correlation"};
  std::size_t turn = 0;
  for (const Case& one : reference::families()) {
    CAPTURE(one.name);
    const MarginAnswer answer = reference::solve_margin(one.data, one.choice);
    const auto instance = folder() / (form + ".json"), certificate = folder() / (form + ".attest");
    std::ofstream(instance) << json_text(one.data, one.choice);
    std::filesystem::remove(certificate);
    const auto out = folder() / (form + ".out");
    const std::string& loss = losses[turn++ % losses.size()];
    const int code = run("'" + attest + "' certify '" + instance.string() + "' -o '" + certificate.string() +
                             "' --json --form " + form + " --loss " + loss,
                         out);
    REQUIRE_MESSAGE(code == 0, contents(out.string() + ".err"));
    check_report(json::parse(contents(out)), answer);
    const std::string text = contents(certificate);
    const reference::Certificate parsed = reference::parse_certificate(text);
    CHECK(parsed.hash == reference::instance_hash(one.data));
    CHECK(reference::Judge(one.data).first_false(parsed) == "");
    for (const std::string& kind : due_kinds(answer)) {
      CAPTURE(kind);
      CHECK(std::any_of(parsed.claims.begin(), parsed.claims.end(),
                        [&](const auto& claim) { return claim.kind == kind; }));
    }
    CHECK(std::any_of(parsed.claims.begin(), parsed.claims.end(),
                      [](const auto& claim) { return claim.kind == "smoothness"; }) == (loss != "none"));
    CHECK(run("'" + checker + "' '" + instance.string() + "' '" + certificate.string() + "'", out) ==
          (answer.constraints.empty() ? 3 : 0));
  }
  std::filesystem::remove_all(folder());
}

}  // namespace

TEST_CASE("exact") {
  check_families("exact");
}
TEST_CASE("enclosure") {
  check_families("enclosure");
}
TEST_CASE("auto") {
  check_families("auto");
}
