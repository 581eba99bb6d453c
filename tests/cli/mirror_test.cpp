// attest run --optimizer md|nmd through the real binary: settings, refusals, outputs, what is proved.
#include <algorithm>

#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

TEST_CASE("run md and nmd: every setting, several potentials and losses") {
  for (const char* text : {run_cross_text, run_self_text, run_prompt_text}) {
    const Folder folder;
    folder.write("i.json", text);
    for (const std::string optimizer :
         {"nmd --potential 7/4 --step 1/10", "md --potential 3 --step 1/2 --loss exponential",
          "nmd --potential 2 --step 1/3 --schedule invsqrt"}) {
      CAPTURE(optimizer);
      const Outcome run = folder.attest("run i.json --steps 40 --json --optimizer " + optimizer);
      REQUIRE(run.exit == 0);
      const json answer = json::parse(run.out);
      CHECK(answer["verdict"] == "complete");
      CHECK(answer["steps"] == 40);
      CHECK(answer["correct_bits"] >= 100);
      CHECK(answer["checkpoints"].back()["t"] == 40);
      CHECK(answer["claims"].empty());
      CHECK(answer["certificate"].is_null());
    }
  }
}

TEST_CASE("with P = 2 normalised mirror descent is normalised gradient descent") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const json mirror = json::parse(
      folder.attest("run i.json --steps 50 --json --optimizer nmd --potential 2 --step 1/10").out);
  const json plain =
      json::parse(folder.attest("run i.json --steps 50 --json --optimizer ngd --step 1/10").out);
  CHECK(mirror["selection"] == plain["selection"]);
  for (const char* key : {"loss_gap", "norm", "gradient_norm"}) {
    CAPTURE(key);
    const std::string one = mirror["checkpoints"].back()[key]["lo"],
                      other = plain["checkpoints"].back()[key]["lo"];
    CHECK(one.substr(0, 25) == other.substr(0, 25));
  }
}

TEST_CASE("the limit of mirror descent is proved, and --until-forever ends there") {
  const Folder folder;
  folder.write("i.json", run_self_text);
  const Outcome run = folder.attest(
      "run i.json --steps 300 --json --optimizer nmd --potential 7/4 --step 1/10 --until-forever "
      "--trace t.npz --plot p.svg");
  REQUIRE(run.exit == 0);
  const json answer = json::parse(run.out);
  REQUIRE(answer["forever"]["verdict"] == "holds");
  CHECK(answer["forever"]["theorem"] == "T17");
  CHECK(answer["forever"]["rate"] == "1/t");
  CHECK(answer["steps"] == answer["forever"]["t0"]);
  CHECK(answer["forever"]["selection"] == answer["selection"]);
  CHECK(folder.has("t.npz"));
  CHECK(folder.has("p.svg"));
}

TEST_CASE("certificates of mirror descent are re-checked: the run, T13's inequality and the limit") {
  const Folder folder;
  folder.write("i.json", run_self_text);
  const std::string run = "run i.json --step 1/10 --json -o r.attest --force --optimizer ";
  json answer = json::parse(folder.attest(run + "nmd --potential 7/4 --steps 120").out);
  CHECK(answer["claims"].back()["kind"] == "mirror-forever");
  Outcome checked = folder.check("i.json r.attest --require mirror-run --require mirror-forever");
  CHECK(checked.exit == 0);
  CHECK(checked.out.find("bregman") != std::string::npos);
  CHECK(checked.out.find(" inequality ") != std::string::npos);
  answer =
      json::parse(folder.attest(run + "nmd --potential 2 --schedule invsqrt --steps 40 --init random:3").out);
  CHECK(answer["claims"].back()["kind"] == "mirror-run");
  CHECK(folder.check("i.json r.attest --require mirror-run").exit == 0);
  answer = json::parse(folder.attest(run + "md --potential 3 --steps 40 --loss exponential").out);
  CHECK(answer["claims"].back()["kind"] == "mirror-run");
  checked = folder.check("i.json r.attest");
  CHECK(checked.exit == 0);
  // A band of another run's.
  folder.attest(run + "md --potential 3 --steps 40");
  CHECK(folder.check("i.json r.attest").out != checked.out);
}

TEST_CASE("what mirror descent has not is refused, and a run that ends elsewhere has no certificate") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const std::string run = "run i.json --steps 5 --step 1/10 --optimizer ";
  for (const char* options :
       {"nmd", "nmd --potential 1", "nmd --potential 1/2", "nmd --potential 65", "nmd --potential x",
        "nmd --potential 3 --momentum 1/2", "nmd --potential 3 --arithmetic double",
        "nmd --potential 3 --resume", "nmd --potential 3 --precision 10", "ngd --potential 3"}) {
    CAPTURE(options);
    CHECK(folder.attest(run + options).exit == 2);
  }
  json with_offsets = json::parse(run_cross_text);
  for (const json& sequence : with_offsets["X"])
    with_offsets["offsets"].push_back(std::vector<int>(sequence.size(), 1));
  folder.write("o.json", with_offsets.dump());
  const Outcome refused = folder.attest("run o.json --steps 5 --step 1/10 --optimizer nmd --potential 3");
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("does not follow logits with offsets") != std::string::npos);
  const Outcome asked = folder.attest(run + "nmd --potential 9 -o r.attest --json");
  CHECK(asked.exit == 30);
  CHECK(json::parse(asked.out)["certificate_note"] ==
        "none: the run did not settle on tokens whose margin problem is solved in this norm");
  CHECK(!folder.has("r.attest"));
}

TEST_CASE("the last step is measured against solutions in every norm, and it is said which they are") {
  const Folder folder;
  folder.write("i.json", run_self_text);
  const std::string norms = "fro,l3,l1,linf,nuc";
  const std::string run =
      "run i.json --steps 30 --step 1/10 --optimizer nmd --potential 2 --against " + norms;
  const json answer = json::parse(folder.attest(run + " --json").out);
  REQUIRE(answer["against"].size() == 5);
  const json& last = answer["checkpoints"].back();
  const auto ends = [](const json& band) {
    return std::pair(std::stod(band["lo"].get<std::string>()), std::stod(band["hi"].get<std::string>()));
  };
  for (const json& one : answer["against"]) {
    CAPTURE(one.dump());
    CHECK(!one.contains("reason"));
    // With P = 2 both measures are the same number.
    const auto bregman = ends(one["bregman"]), corr = ends(one["one_minus_corr"]);
    CHECK((bregman.first <= corr.second && corr.first <= bregman.second));
    CHECK((bregman.first >= 0 && bregman.second - bregman.first < 1e-20));
    CHECK((one["relative_gap"] == "0") ==
          (one["solution"] != "a matrix whose norm is within the gap of the least"));
  }
  CHECK(answer["against"][0]["norm"] == "euclidean");
  CHECK(answer["against"][0]["bregman"] == last["bregman"]);
  CHECK(answer["against"][0]["one_minus_corr"] == last["one_minus_corr"]);
  CHECK(answer["against"][0]["unique"] == true);
  CHECK(answer["against"][4]["norm"] == "nuclear");
  const std::string told = folder.attest(run).out;
  for (const char* norm : {"euclidean", "l3", "l1", "linf", "nuclear"})
    CHECK(told.find(std::string("solution in ") + norm) != std::string::npos);
  CHECK(folder.attest(run + ",max").exit == 2);
}
