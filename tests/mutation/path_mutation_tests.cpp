// Every small change of a claim about the regularisation path goes to both checkers; what they accept must be
// well-formed and true of the points that the reference finds. The certificates are those of the program
// named by ATTEST.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/mutation/judged.hpp"
#include "tests/mutation/mutations.hpp"
#include "tests/mutation/verified_checker.hpp"

using namespace mutation;
using reference::Dataset;

namespace {

struct PathCase {
  Dataset data;
  const char* loss;  // empty: the head's own
};

std::vector<PathCase> path_cases() {
  Dataset plane;  // one group of three tokens, two of them with positive multipliers; a group of one token
  plane.kind = reference::Kind::cross;
  plane.X = {{{0, 0}, {-1, -1}, {-2, 1}}, {{1, 1}}, {{2, 0}, {1, reference::Number(1, 3)}}};
  plane.Y = {1, 1, 1};
  plane.v = {1, reference::Number(1, 8)};
  plane.z = {{1}, {1}, {reference::Number(1, 2)}};
  // The same tokens with a classifier of three classes, and with units of both signs that change theirs.
  Dataset classes = plane, units = plane;
  classes.v = units.v = {};
  classes.Y = {};
  reference::Layer& classifier = classes.layer.emplace();
  classifier.classifier = true;
  classifier.weights = {{1, reference::Number(1, 8)}, {0, 0}, {-1, 0}};
  classifier.classes = {0, 0, 0};
  reference::Layer& relu = units.layer.emplace();
  relu.classifier = false;
  relu.weights = {{1, reference::Number(1, 8)}, {-1, 0}};
  relu.bias = {1, reference::Number(-1, 2)};
  relu.r = {1, -1};
  return {{plane, "logistic"},
          {plane, "exponential"},
          {plane, "correlation"},
          {classes, ""},
          {units, "logistic"}};
}

std::string certificate_of(const Folder& folder, const std::string& instance, const char* loss) {
  const char* program = std::getenv("ATTEST");
  REQUIRE(program != nullptr);
  const std::string path = folder.path("original.attest");
  const std::string named = *loss == 0 ? "" : std::string(" --loss ") + loss;
  const std::string command = "'" + std::string(program) + "' path '" + instance + "'" + named +
                              " --residual -o '" + path + "' >/dev/null";
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The verified checker proves such bounds with a sixty-fourth to spare.
bool bounds_an_eigenvalue(const Mutation& change) {
  std::istringstream text(change.text);
  std::string line;
  for (std::size_t k = 0; k <= change.line; ++k) std::getline(text, line);
  return line.rfind("lambda-min", 0) == 0;
}

}  // namespace

TEST_CASE("paths: no accepted change is false, and the verified checker agrees") {
  const Folder folder;
  VerifiedChecker verified;
  std::size_t rejected = 0, passed = 0;
  for (const PathCase& one : path_cases()) {
    CAPTURE(std::string(one.loss));
    const std::string instance = folder.write("instance.json", json_text(one.data, std::nullopt));
    const std::string text = certificate_of(folder, instance, one.loss);
    const std::vector<std::string> inside = lines_of_kinds(text, {"regularisation-path", "path-residual"});
    reference::Judge judge(one.data);
    REQUIRE(check(instance, folder.write("original.attest", text)).code == 0);
    REQUIRE(objection(judge, text) == "");
    for (const Mutation& change : mutations(text)) {
      if (inside[change.line].empty()) continue;
      CAPTURE(change.description);
      const std::string path = folder.write("changed.attest", change.text);
      const int code = check(instance, path).code;
      rejected += code == 1;
      if (verified && !one.data.layer) {
        const int theirs = verified.status(instance, path);
        CHECK((theirs == code || (theirs == 1 && code == 0 && bounds_an_eigenvalue(change))));
      }
      if (!accepted(code)) continue;
      ++passed;
      CHECK(objection(judge, change.text) == "");
    }
  }
  MESSAGE(rejected, " changes rejected as false, ", passed, " accepted and true");
  CHECK(rejected > 40);
  CHECK(passed > 20);
}
