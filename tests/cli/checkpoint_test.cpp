// attest checkpoint through the real binaries: attention against floating point, factors against their
// product, claims that re-check, and what is said to stand against a theorem.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

// run_cross_text in doubles.
constexpr double X[3][3][3] = {
    {{3, 1, 0}, {0, 2, 1}, {1, 0, 2}}, {{1, 3, 1}, {2, 0, 1}, {0, 1, 3}}, {{0, 1, 3}, {3, 0, 1}, {1, 2, 0}}};
constexpr double z[3][3] = {{0.5, 0, 0.25}, {0, 0.5, 0}, {0.25, 0.25, 0}};

std::vector<double> softmax(int group, const double (&w)[3][3]) {
  std::vector<double> weights;
  double sum = 0;
  for (int t = 0; t < 3; ++t) {
    double logit = 0;
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) logit += X[group][t][j] * w[j][k] * z[group][k];
    weights.push_back(std::exp(logit));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

TEST_CASE("checkpoint: attention is that of floating point, every band contains it") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  folder.write("w.json", "[[1,-2,3],[0.5,0.25,-1],[2,0,1]]");
  const double w[3][3] = {{1, -2, 3}, {0.5, 0.25, -1}, {2, 0, 1}};
  const Outcome outcome = folder.attest("checkpoint i.json --W w.json --json");
  REQUIRE(outcome.exit == 0);
  const json answer = json::parse(outcome.out);
  CHECK(ends(answer["norm"]).first == doctest::Approx(std::sqrt(1 + 4 + 9 + 0.25 + 0.0625 + 1 + 4 + 1)));
  REQUIRE(answer["sequences"].size() == 3);
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> expected = softmax(i, w);
    const json& sequence = answer["sequences"][static_cast<std::size_t>(i)];
    std::size_t nearest = 0;
    for (std::size_t t = 0; t < 3; ++t) {
      const auto [lo, hi] = ends(sequence["attention"][t]);
      CHECK(lo <= hi);
      CHECK(lo == doctest::Approx(expected[t]).epsilon(1e-12));
      CHECK(hi == doctest::Approx(expected[t]).epsilon(1e-12));
      if (expected[t] > expected[nearest]) nearest = t;
    }
    CHECK(sequence["nearest"] == nearest);
    CHECK(answer["selection"][static_cast<std::size_t>(i)] == nearest);
    CHECK(ends(sequence["one_minus_s"]).first == doctest::Approx(1 - expected[nearest]));
  }
  CHECK(!answer["summary"].get<std::string>().empty());
}

TEST_CASE("checkpoint: K and Q are multiplied exactly") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  folder.write("k.json", R"([["1/3",1],[2,0],[0,"1/7"]])");
  folder.write("q.json", R"([[3,0],["1/5",1],[1,1]])");
  // K Q'
  folder.write("w.json", R"([[1,"16/15","4/3"],[6,"2/5",2],[0,"1/7","1/7"]])");
  const json factors = json::parse(folder.attest("checkpoint i.json --K k.json --Q q.json --json").out);
  const json product = json::parse(folder.attest("checkpoint i.json --W w.json --json").out);
  for (const char* key : {"norm", "selection", "sequences", "one_minus_corr", "blocking", "forever"})
    CHECK(factors[key] == product[key]);
}

TEST_CASE("checkpoint: far along the max-margin direction later steps are proved, and the claims re-check") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  REQUIRE(
      folder.attest("run i.json --optimizer ngd --step 1/10 --steps 400 --until-forever --json -o r.attest")
          .exit == 0);
  // The first selection's direction, roughly; far enough it is proved.
  json weights;
  for (double scale : {30.0, 100.0, 1000.0}) {
    const double u[3][3] = {{1, -0.6, 0.1}, {-0.8, 0.9, -0.2}, {-0.3, -0.2, 0.1}};
    weights = json::array();
    for (const auto& row : u) weights.push_back({row[0] * scale, row[1] * scale, row[2] * scale});
    folder.write("w.json", weights.dump());
    const json answer = json::parse(folder.attest("checkpoint i.json --W w.json --json").out);
    CHECK((answer["verdict"] == "holds" || answer["verdict"] == "open"));
    CHECK((answer["verdict"] == "holds") == answer["blocked_by"].is_null());
    CHECK((answer["verdict"] == "holds") == answer["blocking"].empty());
  }
}

TEST_CASE("checkpoint: what stands against a theorem is named") {
  const Folder folder;
  // One sequence in the plane, two tokens: margins are the first coordinate of W times the query.
  folder.write("i.json", R"({"X":[[[1,0],[0,0]]],"Y":[1],"v":[1,0],"z":[[1]]})");
  folder.write("near.json", "[[0.5],[0]]");
  folder.write("far.json", "[[40],[0]]");
  folder.write("across.json", "[[-3],[0]]");
  const auto answer_to = [&](const std::string& options) {
    const Outcome outcome = folder.attest("checkpoint i.json --json " + options);
    CHECK(outcome.exit == 0);
    return json::parse(outcome.out);
  };
  const json far = answer_to("--W far.json -o far.cert");
  CHECK(far["verdict"] == "holds");
  CHECK(far["blocked_by"].is_null());
  CHECK(far["forever"].size() == 3);
  for (const json& rule : far["forever"]) CHECK(rule["verdict"] == "holds");
  CHECK(ends(far["one_minus_corr"]).second == 0);
  const Outcome checked = folder.check("i.json far.cert --require forever-from-point");
  CHECK(checked.exit == 0);
  CHECK(has(checked.out, "forever-from-point"));

  // Against the scores: the other token is the nearest, and the selected one is its support token.
  const json across = answer_to("--W across.json");
  CHECK(across["verdict"] == "open");
  CHECK(across["blocked_by"] == "not-locally-optimal");
  CHECK(across["selection"] == json::array({1}));
  CHECK(across["blocking"] == json::array({json::array({0, 0})}));

  const json near = answer_to("--W near.json --optimizer gd --step 1000");
  CHECK(near["forever"].size() == 1);
  CHECK(near["forever"][0]["optimizer"] == "gd");
  if (near["verdict"] == "open") {
    CHECK(near["blocked_by"] == "margins");
    CHECK(near["blocking"] == json::array({json::array({0, 1})}));
    CHECK(near["needed_margin"] > 0.5);
  }
  // Without logits the best-scored token is taken, and the tie is said.
  folder.write("zero.json", "[[0],[0]]");
  const json zero = answer_to("--W zero.json");
  CHECK(zero["selection"] == json::array({0}));
  CHECK(zero["sequences"][0]["tied"] == json::array({1}));

  folder.write("both.json", infeasible_text);
  folder.write("w.json", "[[0,0],[0,0]]");  // all logits tie: the best tokens are taken, which contradict
  const json infeasible = json::parse(folder.attest("checkpoint both.json --W w.json --json").out);
  CHECK(infeasible["verdict"] == "open");
  CHECK(infeasible["blocked_by"] == "infeasible");
  CHECK(infeasible["blocking"] == json::array({json::array({0, 1}), json::array({1, 0})}));
  folder.write("vacuous.json", vacuous_text);
  CHECK(json::parse(folder.attest("checkpoint vacuous.json --W w.json --json").out)["blocked_by"] ==
        "vacuous");
}

TEST_CASE("checkpoint: a decoder of its own, pages, prompts") {
  const Folder folder;
  folder.write("i.json", R"({"X":[[[1,0],[0,0]]],"Y":[1],"v":[1,0],"z":[[1]]})");
  folder.write("w.json", "[[-40],[0]]");
  folder.write("v.json", "[-1,0]");
  CHECK(json::parse(folder.attest("checkpoint i.json --W w.json --json").out)["verdict"] == "open");
  CHECK(json::parse(folder.attest("checkpoint i.json --W w.json --v v.json --json").out)["verdict"] ==
        "holds");
  const Outcome page = folder.attest("checkpoint i.json --W w.json --report c.html");
  CHECK(page.exit == 0);
  CHECK(page.last_line() == "s OPEN");
  CHECK(has(folder.read("c.html"), "Attention by sequence and token"));
  CHECK(has(folder.read("c.html"), "Tokens that stand against a theorem"));
  folder.write("p.json", run_prompt_text);
  folder.write("prompt.json", "[100,-50,3]");
  CHECK(folder.attest("checkpoint p.json --W prompt.json").exit == 0);
  folder.write("k.json", "[[1],[1],[1]]");
  CHECK(folder.attest("checkpoint p.json --K k.json --Q k.json").exit == 2);
}

TEST_CASE("checkpoint: wrong options and shapes are named") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  folder.write("w.json", "[[1,0],[0,1]]");
  folder.write("k.json", "[[1,2,3],[4,5,6]]");
  folder.write("v.json", "[1,2,3]");
  folder.write("good.json", "[[1,0,0],[0,1,0],[0,0,1]]");
  const auto refused = [&](const std::string& options, const std::string& why) {
    const Outcome outcome = folder.attest("checkpoint i.json " + options);
    CAPTURE(options);
    CHECK(outcome.exit == 2);
    CHECK_MESSAGE(has(outcome.err, why), outcome.err);
  };
  refused("", "give --W FILE, or --K FILE and --Q FILE");
  refused("--K k.json", "give --W FILE");
  refused("--W good.json --K k.json", "excludes --K and --Q");
  refused("--W w.json", "w.json: key W: must have shape 3 x 3, has 2 x 2");
  refused("--K k.json --Q k.json", "k.json: key K: must have shape 3 x any, has 2 x 3: transpose it");
  refused("--W missing.json", "missing.json");
  refused("--W good.json --step 1/2", "needs --optimizer");
  refused("--W good.json --v v.json -o c.cert", "put the new one there");
  refused("--W good.json --v good.json", "must have shape 3 x 1");
  CHECK(folder.names().size() == 5);
}

TEST_CASE("checkpoint: a matrix is found in an archive by its name") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  folder.write("w.json", "[[1,-2,3],[0.5,0.25,-1],[2,0,1]]");
  const std::string expected = folder.attest("checkpoint i.json --W w.json --json").out;
  const auto norm = [](const std::string& out) { return json::parse(out)["norm"]; };
  // A header of 8 + 160 bytes, then two tensors of 9 binary64 each.
  const double w[9] = {1, -2, 3, 0.5, 0.25, -1, 2, 0, 1};
  std::string header = R"({"layer.w":{"dtype":"F64","shape":[3,3],"data_offsets":[0,72]},)"
                       R"("other":{"dtype":"F64","shape":[3,3],"data_offsets":[72,144]}})";
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  file += header + std::string(reinterpret_cast<const char*>(w), 72) + std::string(72, '\0');
  folder.write("model.safetensors", file);
  CHECK(norm(folder.attest("checkpoint i.json --W model.safetensors:layer.w --json").out) == norm(expected));
  const Outcome unnamed = folder.attest("checkpoint i.json --W model.safetensors");
  CHECK(unnamed.exit == 2);
  CHECK(has(unnamed.err, "holds no array W but layer.w, other; name one as FILE:KEY"));
  CHECK(folder.attest("checkpoint i.json --W w.json:W").exit == 2);
  folder.write("model.pt", std::string("\x80\x02}q\x00.", 6));
  CHECK(has(folder.attest("checkpoint i.json --W model.pt").err, "is a PyTorch file, which is not read"));
}
