// attest run --parameterization kq through the real binary: starts, refusals, outputs, what is proved.
#include <cmath>

#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

TEST_CASE("run kq: every setting, both rules, several starts, ranks and losses") {
  for (const char* text : {run_cross_text, run_self_text, run_prompt_text}) {
    const Folder folder;
    folder.write("i.json", text);
    for (const std::string options :
         {"--optimizer gd --step 1/2 --loss exponential",
          "--optimizer ngd --step 1/10 --rank 2 --init-scale 1/3",
          "--optimizer ngd --step 1/3 --schedule invsqrt --init random:7 --rank 4"}) {
      CAPTURE(options);
      const Outcome run = folder.attest("run i.json --parameterization kq --steps 40 --json " + options);
      REQUIRE(run.exit == 0);
      const json answer = json::parse(run.out);
      CHECK(answer["verdict"] == "complete");
      CHECK(answer["parameterization"] == "kq");
      CHECK(answer["correct_bits"] >= 100);
      const json& last = answer["checkpoints"].back();
      CHECK(last["t"] == 40);
      double sum = 0;
      for (const json& value : last["singular_values"]) sum += ends(value).second;
      CHECK(sum >= ends(last["nuclear_norm"]).first);
      CHECK(ends(last["alignment"]).first <= 1);
      CHECK(answer["claims"].empty());
      CHECK(answer["certificate"].is_null());
    }
  }
}

TEST_CASE("run kq: given factors are the start, the loss is proved for ever, pictures are written") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  folder.write("k.json", "[[1,0],[0,\"1/3\"],[0,1]]");
  folder.write("q.json", "[[1,0],[0,1],[\"1/2\",0]]");
  const Outcome run = folder.attest(
      "run i.json --parameterization kq --K0 k.json --Q0 q.json --optimizer gd --step 1 --steps 500 --json "
      "--trace t.npz --plot p.svg");
  REQUIRE(run.exit == 0);
  const json answer = json::parse(run.out);
  CHECK(answer["rank"] == 2);
  const json& first = answer["checkpoints"].front();
  CHECK(std::abs(ends(first["norm_K"]).first - std::sqrt(2 + 1.0 / 9)) < 1e-12);
  CHECK(answer["forever"]["claims_direction"] == false);
  CHECK(answer["forever"]["verdict"] == "holds");
  CHECK(answer["forever"]["theorem"] == "T22");
  CHECK(ends(answer["forever"]["constants"]["margin_share_nuclear"]).second <= 1);
  CHECK(folder.has("t.npz"));
  CHECK(folder.has("p.svg"));
}

TEST_CASE("where no sequence has two tokens there is nothing to train") {
  const Folder folder;
  folder.write("i.json", R"({"X":[[[1,0]],[[0,1]]],"Y":[1,1],"v":["1/4",1],"z":[["1/2",0],[0,1]]})");
  for (const char* options : {"gd --parameterization kq", "ngd --parameterization kq", "nmd --potential 3"}) {
    CAPTURE(options);
    const Outcome run =
        folder.attest("run i.json --steps 5 --step 1/3 --json --optimizer " + std::string(options));
    REQUIRE(run.exit == 0);
    CHECK(json::parse(run.out)["verdict"] == "stationary");
  }
}

TEST_CASE("certificates of training (K,Q) are re-checked: the run, and T22") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const std::string run = "run i.json --parameterization kq --json -o r.attest --force --optimizer ";
  json answer = json::parse(folder.attest(run + "gd --step 1 --steps 500").out);
  CHECK(answer["claims"].back()["kind"] == "factored-forever");
  Outcome checked = folder.check("i.json r.attest --require factored-run --require factored-forever");
  CHECK(checked.exit == 0);
  CHECK(checked.out.find("nuclear-one-minus-corr") != std::string::npos);
  answer = json::parse(
      folder.attest(run + "ngd --step 1/10 --steps 60 --init random:3 --rank 2 --loss exponential").out);
  CHECK(answer["claims"].back()["kind"] == "factored-run");
  CHECK(folder.check("i.json r.attest --require factored-run").exit == 0);
}

TEST_CASE("what training of (K,Q) has not is refused, and a run that ends nowhere has no certificate") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  folder.write("k.json", "[[1],[0],[1]]");
  folder.write("q.json", "[[1,0],[0,1],[0,0]]");
  const std::string run = "run i.json --steps 5 --step 1/10 --parameterization kq --optimizer ";
  for (const char* options :
       {"polyak", "nmd --potential 3", "gd --momentum 1/2", "gd --arithmetic double", "gd --resume",
        "gd --precision 10", "gd --until-forever", "gd --rank 0", "gd --rank 1/2", "gd --init zero",
        "gd --init-scale 0", "gd --K0 k.json", "gd --K0 k.json --Q0 q.json", "gd --init random:x",
        "gd --K0 k.json --Q0 k.json --rank 2"}) {
    CAPTURE(options);
    CHECK(folder.attest(run + options).exit == 2);
  }
  for (const char* options : {"--rank 2", "--init-scale 2", "--K0 k.json", "--init identity"}) {
    CAPTURE(options);
    CHECK(folder.attest("run i.json --steps 5 --step 1/10 --optimizer gd " + std::string(options)).exit == 2);
  }
  json with_offsets = json::parse(run_cross_text);
  for (const json& sequence : with_offsets["X"])
    with_offsets["offsets"].push_back(std::vector<int>(sequence.size(), 1));
  folder.write("o.json", with_offsets.dump());
  CHECK(folder.attest("run o.json --steps 5 --step 1 --parameterization kq --optimizer gd").exit == 2);
  folder.write("zero.json", "[[0],[0],[0]]");
  const Outcome asked = folder.attest(run + "gd --K0 zero.json --Q0 zero.json -o r.attest --json");
  CHECK(asked.exit == 0);
  CHECK(json::parse(asked.out)["certificate_note"] ==
        "none: the run did not settle on tokens whose margin problem is solved");
  CHECK(!folder.has("r.attest"));
}
