// The head of selection cross-entropy through the real binaries: instances with `y`, runs from any start with
// proofs for all later steps, and what does not speak of this head.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

// Softmax regression: three contexts z, of which each has a next word among three (one-hot outputs).
const char* const words =
    R"({"X":[[[1,0,0],[0,1,0],[0,0,1]],[[1,0,0],[0,1,0],[0,0,1]],[[1,0,0],[0,1,0],[0,0,1]]],
        "z":[[1,0,"1/2"],[0,1,0],["1/2","1/2",1]],"head":"cross-entropy","y":[0,2,1],
        "W0":[[-2,0,1],[1,0,-1],[1,1,-2]]})";

struct ScoredWords {
  ScoredWords() { folder.write("words.json", words); }
  json answer(const std::string& arguments, int exit = 0) const {
    const Outcome outcome = folder.attest(arguments + " --json");
    CAPTURE(arguments);
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit == exit);
    return json::parse(outcome.out);
  }
  Folder folder;
};

}  // namespace

TEST_CASE("cross-entropy: from a wrong start gradient descent is proved for ever at once") {
  const ScoredWords data;
  // beta = (1/3) sum 2 ||z||^2/4 = 5/8.
  const json run =
      data.answer("run words.json --init instance --optimizer gd --step 3/2 --steps 40 -o a.cert");
  CHECK(run["loss"] == "cross-entropy");
  CHECK(run["forever"]["verdict"] == "holds");
  CHECK(run["forever"]["theorem"] == "T12");
  CHECK(run["forever"]["kind"] == "from-point");
  CHECK(run["forever"]["t0"] == 0);
  CHECK(run["selection"] == json::parse("[0,2,1]"));
  const json& bounds = run["forever"]["loss_bounds"];
  REQUIRE(bounds.size() >= 3);
  for (std::size_t k = 1; k < bounds.size(); ++k) {
    CHECK(bounds[k]["from"] > bounds[k - 1]["from"]);
    CHECK(std::stod(bounds[k]["loss_gap"].get<std::string>()) <=
          std::stod(bounds[k - 1]["loss_gap"].get<std::string>()));
  }
  CHECK(std::stod(bounds[0]["loss_gap"].get<std::string>()) >= ends(run["checkpoints"][0]["loss_gap"]).first);
  const Outcome check = data.folder.check("words.json a.cert");
  CHECK(check.exit == 0);
  CHECK(check.out.find("theorem lock-in") != std::string::npos);
  CHECK(check.out.find("norm euclidean loss cross-entropy selection 0 2 1") != std::string::npos);
}

TEST_CASE("cross-entropy: the rows about regularisation paths are decided") {
  const ScoredWords data;
  data.folder.write("prompt.json",
                    R"({"X":[[[1],[0]],[[2],[1]]],"K":[[[1,0],[0,1]],[[1,1],[0,0]]],"y":[0,0]})");
  const auto decided = [&](const char* instance, const std::set<std::string>& rows) {
    std::size_t found = 0;
    for (const json& row : data.answer(std::string("verify --no-runs ") + instance)) {
      if (rows.count(row["id"]) == 0) continue;
      CAPTURE(row["id"].get<std::string>());
      CHECK(row["head"] == "any");
      CHECK(row["verdict"] == "holds");
      ++found;
    }
    return found;
  };
  CHECK(decided("prompt.json", {"A.rp", "D.rp"}) == 2);
  CHECK(decided("words.json", {"B.T2", "D.rp"}) == 2);
}

TEST_CASE("cross-entropy: every rule has its proof, and attest-check follows it") {
  const ScoredWords data;
  for (const char* rule : {"ngd --step 1/10", "ngd --step 1 --schedule invsqrt", "gd --step 3/2", "polyak"}) {
    CAPTURE(rule);
    const json run =
        data.answer(std::string("run words.json -o b.cert --force --steps 60 --optimizer ") + rule);
    CHECK(run["forever"]["verdict"] == "holds");
    const Outcome check = data.folder.check("words.json b.cert --require run --require path-inequality");
    CHECK(check.exit == 0);
    CHECK(check.out.find("forever-from") != std::string::npos);
  }
}

TEST_CASE("cross-entropy: certify, path, checkpoint and info know the head") {
  const ScoredWords data;
  const json solved = data.answer("certify words.json --loss cross-entropy -o c.cert");
  CHECK(solved["globally_optimal"] == true);
  CHECK(solved["smoothness"]["loss"] == "cross-entropy");
  CHECK(data.folder.check("words.json c.cert --require smoothness --require globally-optimal").exit == 0);
  CHECK(data.answer("path words.json -o d.cert")["verdict"] == "holds");
  CHECK(data.folder.check("words.json d.cert --require regularisation-path").exit == 0);
  data.folder.write("W.json", "[[3,0,1],[1,0,3],[-1,4,2]]");
  const json layer = data.answer("checkpoint words.json --W W.json --optimizer gd --step 1 -o e.cert");
  CHECK(layer["forever"][0]["loss"] == "cross-entropy");
  CHECK(data.folder.check("words.json e.cert").exit == 0);
  CHECK(data.answer("info words.json")["head"] == "cross-entropy");
  for (const char* name : {"words.npz", "again.json", "folder"}) {
    CAPTURE(name);
    CHECK(data.folder.attest(std::string("convert words.json ") + name).exit == 0);
    CHECK(data.folder.check(std::string(name) + " c.cert").exit == 0);
  }
}

TEST_CASE("cross-entropy: the catalogue decides the regularisation path") {
  const ScoredWords data;
  for (const json& row : data.answer("verify words.json --no-runs")) {
    if (row["id"] != "B.T2") continue;
    CHECK(row["verdict"] == "holds");
    CHECK(row["head"] == "any");
  }
}

TEST_CASE("cross-entropy: what it is not") {
  const ScoredWords data;
  data.folder.write("scalar.json", run_cross_text);
  const std::string steps = " --optimizer gd --step 1 --steps 3";
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Outcome outcome = data.folder.attest(arguments);
    CAPTURE(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.exit != 0);
    CHECK(outcome.err.find(why) != std::string::npos);
  };
  refused("run words.json --loss logistic" + steps, "the instance's head, cross-entropy, is its own loss");
  refused("run scalar.json --loss cross-entropy" + steps,
          "cross-entropy is the head of instances that have the key y");
  CHECK(data.folder.attest("certify words.json -o f.cert").exit == 0);
  CHECK(data.folder.attest("export --coq words.json f.cert -o f.v").exit == 0);
  data.folder.write("both.json", R"({"X":[[[1],[2]]],"y":[0],"Y":[1],"v":[1]})");
  refused("info both.json", "given although the head is cross-entropy");
  data.folder.write("relu.json", R"({"X":[[[1],[2]]],"y":[0],"head":"relu"})");
  refused("info relu.json", "given although the head is relu");
  data.folder.write("word.json", R"({"X":[[[1],[2]]],"y":[0],"head":"softmax"})");
  refused("info word.json", "expected \"linear\", \"cross-entropy\"");
  data.folder.write("none.json", R"({"X":[[[1],[2]]],"y":[2]})");
  refused("info none.json", "token 2 chosen, but the sequence has 2 tokens");
}
