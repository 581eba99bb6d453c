// attest run on every setting and on the edges: each certificate is re-checked by the real checker.
#include <cmath>

#include "tests/cli/npz_bytes.hpp"
#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

json certified(const Folder& folder, const std::string& options, int checker_exit = 0) {
  const Outcome outcome = folder.attest("run i.json " + options + " --json -o r.attest");
  CAPTURE(options);
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit == 0);
  const Outcome checked = folder.check("i.json r.attest");
  CAPTURE(checked.err);
  CHECK(checked.exit == checker_exit);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("run: cross-attention, self-attention and prompt tuning under every optimiser, loss and schedule") {
  for (const char* text : {run_cross_text, run_self_text, run_prompt_text}) {
    CAPTURE(text);
    const Folder folder;
    folder.write("i.json", text);
    for (const char* optimizer : {"gd --step 1/2", "ngd --step 0.1", "polyak"}) {
      const json answer = certified(folder, std::string("--steps 40 --optimizer ") + optimizer);
      CHECK(answer["steps"] == 40);
      CHECK(answer["verdict"] == "complete");
      CHECK(answer["claims"].dump().find("\"run\"") != std::string::npos);
    }
    certified(folder,
              "--steps 20 --optimizer ngd --step 1/3 --schedule invsqrt --loss exponential --init random:1");
    certified(folder, "--steps 20 --optimizer gd --step 2 --schedule inverse --loss correlation");
  }
}

TEST_CASE("run: a prompt starts from a plain vector") {
  const Folder folder;
  folder.write("i.json", run_prompt_text);
  folder.write("p.npy", npy({1, 0.5, -2}, {3}));
  folder.write("column.json", "[[1],[0.5],[-2]]");
  certified(folder, "--steps 5 --optimizer ngd --step 1/10 --init @p.npy");
  const std::string certificate = folder.read("r.attest");
  CHECK(certificate.find("start 3 1 1*2^-1 -2\n") != std::string::npos);
  certified(folder, "--steps 5 --optimizer ngd --step 1/10 --init @column.json");
  CHECK(folder.read("r.attest") == certificate);
}

TEST_CASE("run: one sequence, and single tokens beside others") {
  const Folder folder;
  folder.write("i.json", R"({"X":[[[1,0],[0,1],[1,1]]],"Y":[1],"v":[1,"-1/2"],"z":[[1,0]]})");
  const json one = certified(folder, "--steps 100 --optimizer ngd --step 1/10");
  CHECK(one["selection"] == json::array({0}));
  CHECK(one["forever"]["verdict"] == "holds");
  folder.write("i.json",
               R"({"X":[[[5,5]],[[1,0],[0,1]],[[2,3]]],"Y":[1,1,-1],"v":[1,0],"z":[[1,1],[1,0],[0,1]]})");
  const json mixed = certified(folder, "--steps 100 --optimizer gd --step 1");
  CHECK(mixed["selection"] == json::array({0, 0, 0}));
  CHECK(mixed["checkpoints"].back()["one_minus_s"].size() == 1);
}

namespace {

constexpr const char* integer_data =
    R"({"X":[[[-3,-2,-5,5],[0,1,-4,-5],[-5,-6,0,2],[-2,6,6,-6]],[[-3,2,2,-1],[-2,6,-4,-5],[-2,-3,-6,4],
  [6,-2,6,-2]],[[-3,-4,-2,-2],[4,5,-1,-5],[3,-1,4,0],[2,-3,-4,-3]]],"z":[[3,0,-3],[4,0,-4],[0,0,4]],"Y":[1,1,1],"v":)";

}  // namespace

TEST_CASE("run: scores millions apart are checked like others") {
  const Folder folder;
  folder.write("i.json", std::string(integer_data) + "[-2000000,0,0,1000000]}");
  const json answer = certified(folder, "--steps 10 --optimizer ngd --step 1/10");
  CHECK(answer["verdict"] == "complete");
}

TEST_CASE(
    "run: steps that leave every range of numbers end the run before them, with a certificate that is "
    "accepted") {
  struct Case {
    std::string instance, options;
  };
  for (
      const Case& c :
      {Case{std::string(integer_data) + "[-2,0,0,1]}", "--optimizer polyak --steps 200"},
       Case{
           R"({"X":[[[-10000000,30000000,30000000],[-20000000,-50000000,20000000],[-10000000,0,0]]],"z":[[-4]],
                                "v":[-3,-3,3],"Y":[1]})",
           "--optimizer ngd --step 100 --loss correlation --steps 200"},
       Case{R"({"X":[[[50000,0],[0,50000]]],"z":[[1]],"v":[1,0],"Y":[1]})",
            "--optimizer gd --step 1 --loss correlation --steps 5"}}) {
    const Folder folder;
    folder.write("i.json", c.instance);
    const Outcome outcome = folder.attest("run i.json " + c.options + " --json -o r.attest");
    CAPTURE(c.options);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 30);
    const json answer = json::parse(outcome.out);
    CHECK(answer["reason"].get<std::string>().starts_with("range: "));
    CHECK(answer["reason"].get<std::string>().find("a smaller --step") != std::string::npos);
    const Outcome checked = folder.check("i.json r.attest");
    CAPTURE(checked.err);
    CHECK(checked.exit == 0);
    CHECK(checked.out.find(" run problem 1") != std::string::npos);
  }
}

TEST_CASE("run: an exactly zero gradient ends the run with that verdict") {
  struct Case {
    const char* text;
    int checker_exit;
  };
  for (const Case& c :
       {Case{R"({"X":[[[1,0]],[[2,1]]],"Y":[1,1],"v":[1,0],"z":[[1,0],[1,1]]})", 3},  // single tokens only
        Case{R"({"X":[[[1,0],[1,2]]],"Y":[1],"v":[1,0],"z":[[1,0]]})", 0},            // equal scores
        Case{R"({"X":[[[1,0],[0,1]]],"Y":[1],"v":[1,0],"z":[[0,0]]})", 0},            // a zero query
        Case{R"({"X":[[[1,0],[0,1]],[[0,1],[1,0]]],"Y":[1,-1],"v":[1,1],"z":[[1,0],[1,0]]})", 0}}) {
    CAPTURE(c.text);
    const Folder folder;
    folder.write("i.json", c.text);
    for (const char* optimizer : {"gd --step 1", "ngd --step 1", "polyak"}) {
      const json answer =
          certified(folder, std::string("--steps 100 --optimizer ") + optimizer, c.checker_exit);
      CHECK(answer["verdict"] == "stationary");
      CHECK(answer["steps"] == 0);
      CHECK(checkpoint_steps(answer) == std::vector<std::uint64_t>{0});
      CHECK(answer["correct_bits"].is_null());
      CHECK(folder.read("r.attest").find("stationary") != std::string::npos);
    }
  }
  // Symmetric groups of opposite labels: the sum of the gradients vanishes, no single one does.
  const Folder folder;
  folder.write("i.json", R"({"X":[[[1,0],[0,1]],[[1,0],[0,1]]],"Y":[1,-1],"v":[1,-1],"z":[[1,0],[1,0]]})");
  CHECK(certified(folder, "--steps 100 --optimizer ngd --step 1")["verdict"] == "stationary");
}

TEST_CASE("run: exact ties of the softmax leave the tied token undecided and the rest certified") {
  // Reflecting the second coordinate exchanges tokens 0 and 1 of the first group: their logits stay equal.
  const Folder folder;
  folder.write(
      "i.json",
      R"({"X":[[[1,1],[1,-1],[0,0]],[[1,0],[0,2]]],"Y":[1,1],"v":[1,0],"z":[[1,0],[0,1]],"alpha":[0,0]})");
  const Outcome outcome =
      folder.attest("run i.json --optimizer ngd --step 1/10 --steps 50 --json -o r.attest");
  CHECK(outcome.exit == 0);
  const json answer = json::parse(outcome.out);
  CHECK(answer["selection"] == json::array({nullptr, 0}));
  CHECK(answer["checkpoints"].back()["one_minus_corr"].is_null());
  CHECK(folder.check("i.json r.attest").exit == 0);
}

TEST_CASE("run: starts with logits of ten thousand, and of both signs") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  folder.write("far.json", "[[20000,0,0],[0,-30000,0],[0,0,10000]]");
  folder.write("near.json", "[[2000,0,0],[0,3000,0],[0,0,1000]]");
  for (const char* optimizer : {"gd --step 1", "ngd --step 1/10"}) {
    for (const char* start : {"far", "near"}) {
      const json answer =
          certified(folder, std::string("--steps 20 --init @") + start + ".json --optimizer " + optimizer);
      CHECK(answer["correct_bits"].get<int>() >= 100);
      CHECK(ends(answer["checkpoints"][0]["norm"]).first > 3000);
    }
  }
}

TEST_CASE("run: raw pixels, whose loss slopes differ by a factor of e^300000 between sequences") {
  const Folder folder;
  folder.write("i.npz", slurp(std::string(samples) + "/digits01.npz"));
  const Outcome outcome =
      folder.attest("run i.npz --optimizer ngd --step 1/1000000 --steps 20 --json -o r.attest");
  REQUIRE(outcome.exit == 0);
  const json answer = json::parse(outcome.out);
  CHECK(answer["correct_bits"].get<int>() >= 100);
  CHECK(answer["checkpoints"].back()["one_minus_s"].size() == 40);
  CHECK(folder.check("i.npz r.attest").exit == 0);
}

TEST_CASE("run: margins of 10^-13 do not blur the direction") {
  // W* has norm 10^13; the start is orthogonal to it, so that 1 - corr is 1 at first, and stays near 1 for a
  // step.
  const Folder folder;
  folder.write("i.json",
               R"({"X":[[[1,0],["9999999999999/10000000000000",0]]],"Y":[1],"v":[1,0],"z":[[1,0]]})");
  folder.write("w.json", "[[0,3],[4,0]]");
  const json answer = certified(folder, "--steps 2 --init @w.json --optimizer ngd --step 1/10");
  const auto [lo, hi] = ends(answer["checkpoints"][0]["one_minus_corr"]);
  CHECK(lo <= 1);
  CHECK(hi >= 1);
  CHECK(lo > 0.999999);
  CHECK(ends(answer["checkpoints"][1]["one_minus_corr"]).first ==
        doctest::Approx(1 - 0.1 / std::sqrt(25.01)));
}
