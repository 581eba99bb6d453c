// Equal tokens and counts through the real binaries: one answer for the data merged and token by token, named
// in every answer; ties of the best score as notes of verify.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/folder.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

// Two sequences of words of four; the first one repeats its best word and another. Distinct words in order: a
// b c.
const char* const repeated = R"({"X":[[[1,0,0],[0,1,0],[1,0,0],[0,0,1],[0,1,0]],[[0,1,0],[0,0,1]]],)"
                             R"("Y":[1,1],"v":[3,2,1],"z":[[1],[2]]})";
const char* const counted = R"({"X":[[[1,0,0],[0,1,0],[0,0,1]],[[0,1,0],[0,0,1]]],)"
                            R"("Y":[1,1],"v":[3,2,1],"z":[[1],[2]],"counts":[2,2,1,1,1]})";
const char* const distinct =
    R"({"X":[[[1,0,0],[0,1,0],[0,0,1]],[[0,1,0],[0,0,1]]],"Y":[1,1],"v":[3,2,1],"z":[[1],[2]]})";

struct Words {
  Words() {
    folder.write("repeated.json", repeated);
    folder.write("counted.json", counted);
    folder.write("distinct.json", distinct);
  }
  json answer(const std::string& arguments) const {
    const Outcome outcome = folder.attest(arguments + " --json");
    CAPTURE(arguments);
    REQUIRE_MESSAGE((outcome.exit == 0 || outcome.exit == 30), outcome.err);
    return json::parse(outcome.out);
  }
  Folder folder;
};

const json merged = json::parse("[[0,[0,2]],[0,[1,4]]]");

}  // namespace

TEST_CASE("a repeated word is one token, whichever way it is written") {
  const Words words;
  const json a = words.answer("certify repeated.json -o a.cert"),
             b = words.answer("certify counted.json -o b.cert"), c = words.answer("certify distinct.json");
  CHECK(a["merged"] == merged);
  CHECK(b["merged"] == json::array());
  for (const char* key : {"verdict", "margin", "norm_value", "locally_optimal", "globally_optimal"}) {
    CHECK(a[key] == c[key]);
    CHECK(b[key] == c[key]);
  }
  CHECK(a["verdict"] == "feasible");
  CHECK(a["selection"] == json::parse("[0,0]"));
  CHECK(a["support"] == json::parse("[[0,1],[1,1]]"));
  CHECK(words.folder.check("repeated.json a.cert").exit == 0);
  CHECK(words.folder.check("counted.json b.cert").exit == 0);
  CHECK(words.folder.check("distinct.json b.cert").exit == 4);
  const Outcome text = words.folder.attest("certify repeated.json");
  CHECK(text.out.find(
            "equal tokens            2 tokens merged into equal ones, in 1 sequence: sequence 0 (0 2), "
            "sequence 0 (1 4)") != std::string::npos);
  CHECK(words.folder.attest("certify distinct.json").out.find("equal tokens") == std::string::npos);
}

TEST_CASE("runs of repeated words are those of their counts, and not of the words once each") {
  const Words words;
  const std::string arguments = " --optimizer ngd --step 1/4 --steps 40 --until-forever";
  json a = words.answer("run repeated.json -o a.cert" + arguments),
       b = words.answer("run counted.json -o b.cert" + arguments),
       c = words.answer("run distinct.json" + arguments);
  CHECK(a["merged"] == merged);
  CHECK(a["selection"] == json::parse("[0,0]"));
  REQUIRE(a["checkpoints"].size() == b["checkpoints"].size());
  const auto digits = [](const json& at, const char* key) {
    return at[key]["lo"].get<std::string>().substr(0, 14);
  };
  for (std::size_t k = 1; k < a["checkpoints"].size(); ++k) {  // equal but for rounding
    const json &one = a["checkpoints"][k], &other = b["checkpoints"][k];
    CHECK(one["t"] == other["t"]);
    for (const char* key : {"norm", "along", "loss_gap", "gradient_norm"})
      CHECK(digits(one, key) == digits(other, key));
  }
  CHECK(a["forever"]["t0"] == b["forever"]["t0"]);
  CHECK(a["forever"]["proofs"] == b["forever"]["proofs"]);
  CHECK(a["forever"]["verdict"] == "holds");
  CHECK(digits(a["checkpoints"][1], "loss_gap") != digits(c["checkpoints"][1], "loss_gap"));
  // At the start 2/5 of the attention of sequence 0 is on its best word.
  CHECK(a["checkpoints"][0]["one_minus_s"][0]["hi"].get<std::string>().substr(0, 4) == "0.60");
  CHECK(
      words.folder.check("repeated.json a.cert --require forever-from-run --require path-inequality").exit ==
      0);
  CHECK(words.folder.check("counted.json b.cert --require forever-from-run").exit == 0);
}

TEST_CASE("every answer tells what is merged") {
  const Words words;
  CHECK(words.answer("info repeated.json")["merged"] == merged);
  CHECK(words.answer("selections repeated.json")["merged"] == merged);
  CHECK(words.answer("selections repeated.json")["total"] == "6");
  const json path = words.answer("path repeated.json -o p.cert");
  CHECK(path["merged"] == merged);
  CHECK(path["verdict"] == "holds");
  CHECK(words.folder.check("repeated.json p.cert --require regularisation-path").exit == 0);
  CHECK(path["rate_constant"] == words.answer("path counted.json")["rate_constant"]);
  CHECK(path["rate_constant"] != words.answer("path distinct.json")["rate_constant"]);
  CHECK(words.folder.attest("verify repeated.json --no-runs").out.find("\nequal tokens: 2 tokens merged") !=
        std::string::npos);
}

TEST_CASE("a token that another one stands for is read as that one") {
  const Words words;
  CHECK(words.answer("certify repeated.json --select 4,1")["selection"] == json::parse("[1,1]"));
  words.folder.write("alpha.json", std::string(repeated).insert(1, "\"alpha\":[2,0],"));
  CHECK(words.answer("certify alpha.json")["selection"] == json::parse("[0,0]"));
}

TEST_CASE("counts are kept by convert, and make another instance") {
  const Words words;
  for (const char* name : {"c.npz", "c.json", "c.json.gz", "folder"}) {
    CAPTURE(name);
    CHECK(words.folder.attest(std::string("convert counted.json ") + name).exit == 0);
    CHECK(words.answer(std::string("info ") + name)["sha256"] == words.answer("info counted.json")["sha256"]);
  }
  CHECK(words.answer("info counted.json")["sha256"] != words.answer("info distinct.json")["sha256"]);
  words.folder.write("wrong.json", std::string(distinct).insert(1, "\"counts\":[1,1,0,1,1],"));
  const Outcome zero = words.folder.attest("info wrong.json");
  CHECK(zero.exit == 2);
  CHECK(zero.err.find("counts") != std::string::npos);
  CHECK(zero.err.find("[2]") != std::string::npos);
}

TEST_CASE("certificates of equal tokens are exported") {
  const Words words;
  for (const std::string name : {"repeated", "counted"}) {
    CAPTURE(name);
    CHECK(words.folder.attest("certify " + name + ".json -o c.cert").exit == 0);
    const Outcome outcome = words.folder.attest("export --coq " + name + ".json c.cert -o " + name + ".v");
    CHECK(outcome.exit == 0);
    CHECK(words.folder.has(name + ".v"));
  }
}

TEST_CASE("sequences of one word, and zero padding") {
  const Folder folder;
  folder.write("same.json", R"({"X":[[[1],[1],[1]],[[2],[2]]],"Y":[1,1],"v":[1],"z":[[1],[1]]})");
  const Outcome same = folder.attest("certify same.json -o s.cert");
  CHECK(same.exit == 0);
  CHECK(same.last_line() == "s FEASIBLE VACUOUS");
  CHECK(folder.check("same.json s.cert").exit == 3);
  CHECK(folder.attest("run same.json --optimizer gd --step 1 --steps 5").exit == 0);
  // A sequence padded with zeros, whose best token is a zero one.
  folder.write("padded.json", R"({"X":[[[0,0],[-1,0],[0,0],[0,0]],[[1,0],[0,1],[0,0],[0,0]]],"Y":[1,1],)"
                              R"("v":[1,0],"z":[[1],[1]]})");
  CHECK(folder.attest("certify padded.json").last_line() == "s FEASIBLE");
}

TEST_CASE("a tie is a note of verify, not its end") {
  const Folder folder;
  // In the second sequence tokens 0 and 1 differ and share the best score.
  folder.write("tie.json", R"({"X":[[[1,0],[0,1]],[[1,0],[1,1],[0,0]]],"Y":[1,1],"v":[1,0],"z":[[1],[1]]})");
  const Outcome outcome = folder.attest("verify tie.json");
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find(
            "score tie: sequence 1: tokens 0 and 1 share the best score; attest selections finds what") !=
        std::string::npos);
  CHECK(outcome.out.find("s CATALOGUE holds ") != std::string::npos);
  const Outcome rows = folder.attest("verify tie.json --json --no-runs");
  bool found = false;
  for (const json& row : json::parse(rows.out)) {
    if (row["id"] == "A.svm") CHECK(row["verdict"] == "holds");
    for (const json& hypothesis : row["hypotheses"])
      found = found ||
              hypothesis["detail"].get<std::string>().find("attest selections finds") != std::string::npos;
  }
  CHECK(found);
  const Outcome chosen = folder.attest("verify tie.json --no-runs --select 0,1");
  CHECK(chosen.exit == 0);
  CHECK(chosen.out.find("alpha [0, 1]") != std::string::npos);
  const Outcome refused = folder.attest("certify tie.json");
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("attest selections finds what training can select") != std::string::npos);
}

// Whoever gives the scores: equal tokens are one and have the mean of theirs.
TEST_CASE("given scores of equal tokens are averaged") {
  const Folder folder;
  folder.write("scores.json", R"({"X":[[[1,0],[0,1],[1,0]]],"scores":[[3,2,0]],"z":[[1]]})");
  const Outcome outcome = folder.attest("certify scores.json -o a.cert --json");
  REQUIRE(outcome.exit == 0);
  const json answer = json::parse(outcome.out);
  CHECK(answer["merged"] == json::parse("[[0,[0,2]]]"));
  CHECK(answer["selection"] == json::parse("[1]"));  // 2 against (3 + 0)/2
  CHECK(answer["globally_optimal"] == true);
  CHECK(folder.check("scores.json a.cert").exit == 0);
}
