// Pages (--report), the rows of a conflict in text and JSON, lists that are cut, and examples in --help.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

TEST_CASE("reports: what the text says is on the page, with the hash, and nothing else changes") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const std::string hash = json::parse(folder.attest("info i.json --json").out)["sha256"];
  const Outcome certified = folder.attest("certify i.json -o c.cert --report c.html --json");
  REQUIRE(certified.exit == 0);
  const std::string page = folder.read("c.html");
  CHECK(page.starts_with("<!DOCTYPE html>\n"));
  const json answer = json::parse(certified.out);
  for (const std::string& part :
       {hash, answer["norm_value"]["lo"].get<std::string>().substr(0, 12),
        std::string("Feasible: the selected tokens can be separated"),
        std::string("attest-check i.json c.cert"), std::string("Margins by sequence"),
        std::string("Support tokens, by sequence and token"), std::string("Score gaps against margins"),
        std::string("proved exactly")}) {
    CAPTURE(part);
    CHECK(has(page, part));
  }
  CHECK(certified.out.find("html") == std::string::npos);

  REQUIRE(
      folder.attest("run i.json --optimizer ngd --step 1/10 --steps 400 -o r.attest --report r.html").exit ==
      0);
  const std::string run_page = folder.read("r.html");
  for (const std::string& part :
       {hash, std::string("Proved for all later steps"), std::string("certified band"),
        std::string("explicit bound for ever"), std::string("Attention over time"),
        std::string("attest-check i.json r.attest")}) {
    CAPTURE(part);
    CHECK(has(run_page, part));
  }
  REQUIRE(
      folder.attest("run i.json --optimizer ngd --step 1/10 --steps 40 --arithmetic double --report d.html")
          .exit == 0);
  CHECK(has(folder.read("d.html"), "Computed, not proved"));

  REQUIRE(folder.attest("verify i.json --report v.html").exit == 0);
  const std::string rows = folder.read("v.html");
  for (const std::string& part :
       {hash, std::string("A.svm"), std::string("C.sparse"), std::string("Margins by sequence")}) {
    CAPTURE(part);
    CHECK(has(rows, part));
  }
}

TEST_CASE("reports: runs that no certificate holds have their page too") {
  const Folder folder;
  folder.write("i.json", run_self_text);
  const std::string hash = json::parse(folder.attest("info i.json --json").out)["sha256"];
  const std::string proved =
      "run i.json --optimizer nmd --potential 7/4 --step 1/10 --steps 300 --until-forever";
  REQUIRE(folder.attest(proved + " --report m.html").exit == 0);
  const std::string mirror = folder.read("m.html");
  for (const std::string& part :
       {hash, std::string("Mirror descent on i.json"), std::string("Proved for all later steps"),
        std::string("certified band"), std::string("Attention over time"), std::string("(T17)")}) {
    CAPTURE(part);
    CHECK(has(mirror, part));
  }
  REQUIRE(
      folder
          .attest("run i.json --parameterization kq --optimizer gd --step 1/10 --steps 40 --report k.html "
                  "--plot k.svg --trace k.npz")
          .exit == 0);
  const std::string factors = folder.read("k.html");
  for (const std::string& part :
       {hash, std::string("Training of K and Q on i.json"),
        std::string("certified band, with the nuclear norm"), std::string("Singular values of KQ'"),
        std::string("Attention over time")}) {
    CAPTURE(part);
    CHECK(has(factors, part));
  }
  CHECK(folder.has("k.svg"));
  CHECK(folder.has("k.npz"));
  REQUIRE(folder.attest("run i.json --joint --optimizer ngd --step 1/10 --steps 40 --report j.html").exit ==
          0);
  const std::string joint = folder.read("j.html");
  for (const std::string& part :
       {hash, std::string("Joint training on i.json"), std::string("certified band, with the plain problem"),
        std::string("label margin of v"), std::string("Attention over time")}) {
    CAPTURE(part);
    CHECK(has(joint, part));
  }
}

TEST_CASE("reports: only programs that know the certificate's claims are named") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const std::string verified = "attest-check-verified i.json c.cert", plain = "attest-check i.json c.cert";
  REQUIRE(folder.attest("certify i.json -o c.cert --report c.html").exit == 0);
  CHECK(has(folder.read("c.html"), plain));
  CHECK(has(folder.read("c.html"), verified));
  REQUIRE(folder.attest("certify i.json --norm l3 -o c.cert --report c.html").exit == 0);
  CHECK(has(folder.read("c.html"), plain));
  CHECK(has(folder.read("c.html"), verified));
  const std::string run = "run i.json --joint --optimizer gd --step 1/10 --steps 3 -o c.cert --report c.html";
  REQUIRE(folder.attest(run).exit == 0);
  CHECK(has(folder.read("c.html"), plain));
  CHECK(has(folder.read("c.html"), verified));
}

TEST_CASE("reports: where nothing is separated, and where there is nothing to separate") {
  const Folder folder;
  folder.write("i.json", infeasible_text);
  REQUIRE(folder.attest("certify i.json --report i.html").exit == 0);
  CHECK(has(folder.read("i.html"), "no attention matrix separates the selected tokens"));
  CHECK(has(folder.read("i.html"), "Rows that contradict each other"));
  folder.write("v.json", vacuous_text);
  REQUIRE(folder.attest("certify v.json --report v.html").exit == 0);
  CHECK(has(folder.read("v.html"), "nothing to separate"));
  folder.write("u.json", run_cross_text);
  folder.write("a <b> & c.json", run_cross_text);
  REQUIRE(folder.attest("certify 'a <b> & c.json' --report u.html").exit == 0);
  CHECK(has(folder.read("u.html"), "a &lt;b&gt; &amp; c.json"));
}

TEST_CASE("an infeasible answer names its rows, in text and in JSON") {
  const Folder folder;
  folder.write("i.json", infeasible_text);
  const json rows = json::array({json::array({0, 1}), json::array({1, 0})});
  const json certified = json::parse(folder.attest("certify i.json --json").out);
  CHECK(certified["witness"]["rows"] == rows);
  CHECK(certified["witness"]["groups"] == json::array({0, 1}));
  CHECK(has(folder.attest("certify i.json").out, "tokens (0,1) (1,0) of 2 sequences"));
  bool found = false;
  for (const json& row : json::parse(folder.attest("verify i.json --no-runs --json").out)) {
    for (const json& hypothesis : row["hypotheses"]) {
      if (!hypothesis.contains("witness")) continue;
      found = true;
      CHECK(hypothesis["verdict"] == "fails");
      CHECK(hypothesis["witness"]["rows"] == rows);
    }
  }
  CHECK(found);
  CHECK(has(folder.attest("verify i.json --no-runs").out, "2 rows contradict each other: (0, 1) (1, 0)"));
  CHECK(json::parse(folder.attest("path i.json --json").out)["witness"]["rows"] == rows);
}

TEST_CASE("long lists are cut in the text, with their number, and complete in JSON") {
  const Folder folder;
  std::string X, Y, z;
  for (int i = 0; i < 60; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    X += comma + "[[2,0],[0,1]]";
    Y += comma + "1";
    z += comma + "[1]";
  }
  folder.write("i.json", R"({"X":[)" + X + R"(],"Y":[)" + Y + R"(],"v":[1,0],"z":[)" + z + "]}");
  const std::string run = "run i.json --optimizer ngd --step 1/10 --steps 30";
  const std::string text = folder.attest(run).out;
  CHECK(has(text, "... (60 sequences)"));
  CHECK(has(text, "c only the largest 1 - s of 60 sequences"));
  CHECK(json::parse(folder.attest(run + " --json").out)["selection"].size() == 60);
}

TEST_CASE("--help of every command has examples, and the program's own names every command") {
  const std::string all = attest("--help").out;
  for (const std::string command : {"audit", "certify", "run", "checkpoint", "path", "ntp", "info", "convert",
                                    "verify", "selections", "experiment", "export"}) {
    CAPTURE(command);
    CHECK(has(all, "\n  " + command + " "));
    const std::string help = attest(command + " --help").out;
    CHECK(has(help, "Examples:\n  attest " + command + " "));
  }
  CHECK(has(attest("run --help").out, "--steps 0 --init @W.npy"));
}
