// Several selected tokens: W_fin from given attention, runs seen from the best combination with W_mm, the
// catalogue's row.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/cli/folder.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

// Two sequences in the plane; tokens 0 and 1 of the first one share the attention. The gains of the units
// shrink as one of the two takes over.
const char* const shared =
    R"({"X":[[[1,0],[0,1],[-1,-1]],[[1,1],[-1,0]]],"z":[[1],[1]],"Y":[1,1],"head":"relu",
        "A":[[1,0],[0,1]],"bias":[0.5,0.5],"r":[1,1]})";

// The same with a linear head, under which token 0 of the first sequence is the best.
const char* const linear =
    R"({"X":[[[1,0],[0,1],[-1,-1]],[[1,1],[-1,0]]],"z":[[1],[1]],"Y":[1,1],"v":[1,0.5]})";

// Tokens 0 and 1 of the first sequence are mirror images.
const char* const mirrored =
    R"({"X":[[[1,1],[1,-1],[-1,0]],[[1,0],[0,0]]],"z":[[1],[1]],"Y":[1,1],"v":[1,0]})";

double middle(const json& enclosure) {
  const double lo = std::strtod(enclosure["lo"].get<std::string>().c_str(), nullptr),
               hi = std::strtod(enclosure["hi"].get<std::string>().c_str(), nullptr);
  CHECK(lo <= hi);
  return (lo + hi) / 2;
}

}  // namespace

TEST_CASE("selected sets: the finite part of given attention") {
  const Folder folder;
  folder.write("i.json", shared);
  folder.write("sets.json", "[[1,0],[0]]");
  folder.write("ratios.json", R"([["1/3",1],[1]])");  // of token 1, of token 0
  const Outcome found = folder.attest("certify i.json --selected-sets sets.json --ratios ratios.json --json");
  CAPTURE(found.err);
  REQUIRE(found.exit == 0);
  // <(1,-1), W> = log 3: W_fin = log(3)/2 (1,-1).
  const json finite = json::parse(found.out)["finite_part"];
  CHECK(finite["verdict"] == "holds");
  CHECK(middle(finite["norm_value"]) == doctest::Approx(std::log(3.0) / std::sqrt(2.0)));
  CHECK(middle(finite["coefficients"][0]["value"]) == doctest::Approx(std::log(3.0) / 2));
  const Outcome text = folder.attest("certify i.json --selected-sets sets.json --ratios ratios.json");
  CHECK(text.out.find("norm ||W_fin||") != std::string::npos);
}

TEST_CASE("selected sets: attention that contradicts itself, with the combination that shows it") {
  const Folder folder;
  folder.write("i.json", R"({"X":[[[0],[1],[3],[-1]]],"z":[[1]],"Y":[1],"v":[1]})");
  folder.write("sets.json", "[[0,1,2]]");
  folder.write("fit.json", R"([[1,2,8]])");
  folder.write("other.json", R"([[1,2,9]])");
  const std::string asked = "certify i.json --selected-sets sets.json --json --ratios ";
  CHECK(json::parse(folder.attest(asked + "fit.json").out)["finite_part"]["verdict"] == "holds");
  const json refuted = json::parse(folder.attest(asked + "other.json").out)["finite_part"];
  CHECK(refuted["verdict"] == "fails");
  CHECK(refuted["witness"]["equation"] == json({0, 0, 2}));
  CHECK(refuted["witness"]["sum"][0]["factor"] == "3");
}

TEST_CASE("selected sets: a run is seen from the best combination") {
  const Folder folder;
  folder.write("i.json", shared);
  folder.write("sets.json", "[[0,1],[0]]");
  const std::string asked =
      "run i.json --optimizer ngd --step 1/4 --steps 20 --json --selected-sets sets.json";
  const Outcome run = folder.attest(asked);
  CAPTURE(run.err);
  REQUIRE(run.exit == 0);
  const json sets = json::parse(run.out)["selected_sets"];
  CHECK(sets["margin_problem"] == "feasible");
  CHECK(sets["ratios"] == "computed");
  const json& last = sets["checkpoints"].back();
  CHECK(last["t"] == 20);
  CHECK(middle(last["least_selected"]) > 0);
  CHECK(middle(last["greatest_masked"]) < 0.01);
  CHECK(middle(last["one_minus_corr"]) < 1e-6);
  // Two tokens of the plane: W_fin and W_mm span it, so any W is their combination but for enclosures.
  folder.write("ratios.json", "[[1,1],[1]]");
  const json given = json::parse(folder.attest(asked + " --ratios ratios.json").out)["selected_sets"];
  CHECK(given["ratios"] == "given");
  CHECK(middle(given["finite_part"]["norm_value"]) == doctest::Approx(0));
  const json certified =
      json::parse(folder.attest(asked + " --ratios ratios.json -o run.cert").out)["claims"];
  const auto has = [&](const char* kind) {
    return std::any_of(certified.begin(), certified.end(),
                       [&](const json& one) { return one["kind"] == kind; });
  };
  CHECK(has("finite-part"));
  CHECK(has("run-finite-part"));
}

TEST_CASE("selected sets: the catalogue decides B.gen for any head") {
  const Folder folder;
  folder.write("i.json", shared);
  folder.write("sets.json", "[[0,1],[0]]");
  const json rows =
      json::parse(folder.attest("verify i.json --selected-sets sets.json --steps 20 --json").out);
  for (const json& row : rows) {
    if (row["id"] == "B.gen") {
      CHECK(row["head"] == "any");
      CHECK(row["verdict"] == "undecided");
      CHECK(row["reason"].get<std::string>().find("1 - corr") != std::string::npos);
    }
    if (row["id"] == "B.T4") CHECK(row["reason"] == "not applicable: a statement about the scalar head");
  }
  folder.write("apart.json", "[[0,1,2],[0]]");  // three tokens of a plane with equal logits: W = 0
  const json refuted = json::parse(folder.attest("verify i.json --selected-sets apart.json --json").out);
  for (const json& row : refuted) {
    if (row["id"] == "B.gen") CHECK(row["verdict"] == "fails");
  }
}

TEST_CASE("selected sets: the finite part is a claim of the certificate, and so is that there is none") {
  const Folder folder;
  folder.write("i.json", R"({"X":[[[0],[1],[3],[-1]]],"z":[[1]],"Y":[1],"v":[1]})");
  folder.write("sets.json", "[[0,1,2]]");
  folder.write("fit.json", R"([[1,2,8]])");
  folder.write("other.json", R"([[1,2,9]])");
  const std::pair<const char*, const char*> cases[] = {{"fit", "finite-part"}, {"other", "no-finite-part"}};
  for (const auto& [ratios, kind] : cases) {
    const json found =
        json::parse(folder
                        .attest(std::string("certify i.json --selected-sets sets.json --json -o ") + ratios +
                                ".cert --ratios " + ratios + ".json")
                        .out);
    CHECK(found["claims"].back()["kind"] == kind);
  }
}

TEST_CASE(
    "selected sets: mirror images share the attention for ever, a limit of single tokens refutes sets") {
  const Folder folder;
  folder.write("sets.json", "[[0,1],[0]]");
  const auto row = [&](const char* instance, const std::string& more) {
    folder.write("i.json", instance);
    const Outcome outcome =
        folder.attest("verify i.json --selected-sets sets.json --json --steps 400" + more);
    CAPTURE(outcome.err);
    for (const json& one : json::parse(outcome.out)) {
      if (one["id"] == "B.gen") return one;
    }
    return json();
  };
  const json shares = row(mirrored, "");
  CHECK(shares["verdict"] == "holds");
  CHECK(shares["conclusion"].get<std::string>().find("mirror images") != std::string::npos);
  const json single = row(linear, "");
  CHECK(single["verdict"] == "fails");
  CHECK(single["reason"].get<std::string>().find("token (0, 1) of a set tends to 0") != std::string::npos);
  folder.write("ratios.json", "[[1,2],[1]]");  // mirror images have equal shares
  CHECK(row(mirrored, " --ratios ratios.json")["verdict"] == "undecided");
}

TEST_CASE("selected sets: attention at all later steps") {
  const Folder folder;
  folder.write("i.json", linear);
  folder.write("sets.json", "[[0,1],[0]]");
  const Outcome run =
      folder.attest("run i.json --optimizer ngd --step 1/4 --steps 200 --json --selected-sets sets.json");
  CAPTURE(run.err);
  const json found = json::parse(run.out);
  REQUIRE(found["forever"]["verdict"] == "holds");
  const json& last = found["forever"]["attention_bounds"].back();
  CHECK(last["sequences"][0]["selected"] == 0);
  CHECK(std::strtod(last["sequences"][0]["one_minus_s"].get<std::string>().c_str(), nullptr) < 0.001);
  CHECK(std::strtod(last["sequences"][0]["at_most"].get<std::string>().c_str(), nullptr) < 0.001);
  const json& sets = found["selected_sets"]["forever"].back();
  CHECK(sets["lost"] == json({{0, 1}}));
  CHECK(std::strtod(sets["one_minus_s"].get<std::string>().c_str(), nullptr) < 0.001);
  CHECK(std::strtod(sets["masked_at_most"].get<std::string>().c_str(), nullptr) < 0.001);
}

TEST_CASE("selected sets: those that alpha lists") {
  const Folder folder;
  std::string text = linear;
  folder.write("i.json", text.insert(1, R"("alpha":[[1,0],[0]],)"));
  const Outcome single = folder.attest("certify i.json");
  CHECK(single.exit == 2);
  CHECK(single.err.find("--selected-sets alpha") != std::string::npos);
  CHECK(folder.attest("info i.json").out.find("several tokens of a sequence") != std::string::npos);
  CHECK(json::parse(folder.attest("info i.json --json").out)["alpha"] == true);
  const std::string certify = " --selected-sets alpha --json -o ";
  const json found = json::parse(folder.attest("certify i.json" + certify + "i.cert").out);
  CHECK(found["selected_sets"] == json({{0, 1}, {0}}));
  CHECK(folder.check("i.json i.cert").exit == 0);
  CHECK(folder.attest("convert i.json j.json").exit == 0);
  CHECK(json::parse(folder.attest("certify j.json" + certify + "j.cert").out)["selected_sets"] ==
        found["selected_sets"]);
  CHECK(folder.attest("convert i.json i.npz").exit == 2);  // lists of different lengths
  CHECK(folder.check("j.json i.cert").exit == 0);
  const json run = json::parse(folder.attest("run i.json --optimizer ngd --step 1/4 --steps 20 --json").out);
  CHECK(run["selected_sets"]["sets"] == found["selected_sets"]);
  const Outcome audit = folder.attest("audit i.json --json -o audited");
  CAPTURE(audit.err);
  const json audited = json::parse(audit.out)["instances"][0];
  CHECK(audited["selected_sets"]["verdict"] == "feasible");
  CHECK(audited["selected_sets"]["norm_value"] == found["norm_value"]);
  const std::string certificate = audited["certificates"][0]["path"];
  const Outcome checked = folder.check("i.json " + certificate);
  CHECK(checked.exit == 0);
  CHECK(checked.out.find("selected-sets 0,1 0") != std::string::npos);
  for (const json& row : audited["theorems"]) {
    if (row["id"] == "B.gen") CHECK(row["verdict"] == "fails");
  }
}

TEST_CASE("selected sets: what is refused") {
  const Folder folder;
  folder.write("i.json", shared);
  folder.write("sets.json", "[[0,1],[0]]");
  const auto refused = [&](const std::string& ratios, const std::string& why) {
    folder.write("ratios.json", ratios);
    const Outcome outcome = folder.attest("certify i.json --selected-sets sets.json --ratios ratios.json");
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find(why) != std::string::npos);
  };
  refused("[[1,0],[1]]", "is positive");
  refused("[[1],[1,1]]", "a number for each token");
  refused("[[1,1]]", "a list of numbers for each sequence");
  refused("{}", "a list");
  CHECK(folder.attest("run i.json --optimizer gd --step 1 --steps 3 --ratios ratios.json").exit == 2);
  CHECK(folder.attest("run i.json --optimizer md --potential 3 --step 1 --steps 3 --selected-sets sets.json")
            .exit == 2);
}
