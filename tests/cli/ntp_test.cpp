// attest ntp through the real binaries: sentences to certificates that attest-check verifies against the
// sentences, cycles in words, predictions, refusals.
#include <doctest/doctest.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/program.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

const std::string animals = std::string(samples) + "/animals.txt";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The cut of certify/samples/README.md: words of letters in lower case; a sentence ends with the first word
// after eight that ended none before. Of the first words only.
std::string cut(const std::string& text, int most) {
  std::string sentences, line, word;
  std::set<std::string> ended;
  int words = 0;
  for (const char c : text + " ") {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(c));
      continue;
    }
    if (word.empty()) continue;
    if (most-- == 0) break;
    line += (line.empty() ? "" : " ") + word;
    if (++words > 8 && ended.insert(word).second) {
      sentences += line + "\n";
      line.clear();
      words = 0;
    }
    word.clear();
  }
  return sentences;
}

// An array of one-byte integers: version 1.0.
std::string npy(std::size_t rows, std::size_t columns, const std::vector<signed char>& entries) {
  std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns) + "), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00", 8) + char(118) + char(0) + header + "\n" +
         std::string(entries.begin(), entries.end());
}

// The rows of paper E by id.
std::map<std::string, json> theorems_of(const std::string& arguments) {
  std::map<std::string, json> rows;
  const json found = json::parse(attest(arguments + " --json").out);
  for (const json& row : found["theorems"]) rows[row["id"]] = row;
  return rows;
}

}  // namespace

TEST_CASE("ntp certifies both stages of sentences, and the checker verifies them against the sentences") {
  const Scratch scratch;
  const std::string prefix = scratch.path("out").string();
  const Outcome found = attest("ntp " + animals + " -o " + prefix);
  CHECK(found.exit == 0);
  CHECK(contains(found.out, "orders                  strict: "));
  CHECK(found.last_line() == "s FEASIBLE");
  CHECK(scratch.files() == 4);
  const std::string instance = prefix + ".npz ";
  const Outcome feeding = check(instance + prefix + "-feed-forward.cert --require optimal");
  CHECK(feeding.exit == 0);
  CHECK(contains(feeding.out, "setting next-token feed-forward norm euclidean loss none selection 1 3 5\n"));
  const Outcome attending =
      check(instance + prefix + "-attention.cert --require optimal --require globally-optimal");
  CHECK(attending.exit == 0);
  CHECK(
      contains(attending.out, "setting next-token attention norm euclidean loss none selection 4 3 1 3 3\n"));

  // Other sentences have other certificates; other commands leave them alone.
  const std::string text = slurp(animals);
  const std::string changed = scratch.write("changed.txt", text.substr(0, text.rfind("on the roof")));
  CHECK(attest("ntp " + changed + " -o " + scratch.path("changed").string()).exit == 0);
  CHECK(check(scratch.path("changed.npz").string() + " " + prefix + "-attention.cert").exit == 4);
  const Outcome info = attest("info --json " + instance);
  CHECK(json::parse(info.out)["setting"] == "next-token");
  const Outcome certify = attest("certify " + instance);
  CHECK(certify.exit == 2);
  CHECK(contains(certify.err, "attest ntp"));
  const std::string theorems = scratch.path("x.v").string();
  CHECK(attest("export --coq " + instance + prefix + "-attention.cert -o " + theorems).exit == 0);
  CHECK(contains(slurp(theorems), ":= Text sentences None."));
  CHECK(contains(slurp(theorems), " text AttentionStage."));
  CHECK(contains(slurp(theorems), "Theorem claim_5_globally_optimal"));
  CHECK(attest("ntp " + animals + " -o " + prefix).exit == 2);
  CHECK(attest("ntp " + animals + " --force -o " + prefix).exit == 0);
}

TEST_CASE("ntp says a cycle in words and certifies it") {
  const Scratch scratch;
  const std::string text =
      scratch.write("cycle.txt", slurp(animals) + "the dog saw a cat by the dog meows\n");
  const std::string prefix = scratch.path("out").string();
  const Outcome found = attest("ntp " + text + " -o " + prefix);
  CHECK(found.exit == 0);
  CHECK(found.last_line() == "s INFEASIBLE");
  CHECK(contains(found.out, "with query dog"));
  CHECK(contains(found.out, "cat > dog  (line 9 ends in meows, which is next to cat)"));
  CHECK(contains(found.out, "dog > cat  (line 7 ends in barks, which is next to dog)"));
  CHECK(check(prefix + ".npz " + prefix + "-attention.cert --require infeasible").exit == 0);
  const json value = json::parse(attest("ntp --json " + text).out);
  CHECK(value["order"]["verdict"] == "cycle");
  CHECK(value["order"]["cycle"]["rows"].size() == 2);
  CHECK(value["order"]["components"]["count"] == 1);
  CHECK(value["order"]["components"]["tokens"] == 2);
  CHECK(value["order"]["components"]["norm_value"].is_object());
  // The dog stands twice in the sentence that selects the cat: e^(W_cat - W_dog) = sqrt 2.
  const json& finite = value["order"]["components"]["finite_part"];
  CHECK(finite["components"][0]["query"] == "dog");
  CHECK(finite["norm"]["lo"].get<std::string>().starts_with("0.2450645"));
  CHECK(value["attention"]["verdict"] == "infeasible");
  CHECK(value["attention"]["witness"]["groups"].size() == 2);
  CHECK(value["feed_forward"]["verdict"] == "feasible");
}

TEST_CASE("ntp finds a collocation, or says why there is none") {
  const Scratch scratch;
  const auto ntp = [&](const std::string& text, const std::string& options = "") {
    return json::parse(attest("ntp --json " + options + " " + scratch.write("text.txt", text)).out);
  };
  const json found = ntp("a b c x\nb d e y\n");
  CHECK(found["collocation"]["verdict"] == "found");
  CHECK(found["collocation"]["pairs"] == json::parse(R"([["a","x"],["d","y"]])"));
  CHECK(found["verdict"] == "feasible");
  const json none = ntp("a b x\nc d x\n");
  CHECK(none["verdict"] == "conflict");
  CHECK(none["collocation"]["conflict"]["kind"] == "no-candidate");
  CHECK(none["collocation"]["conflict"]["lines"] == json::parse("[1,2]"));
  CHECK(none["attention"].is_null());
  CHECK(ntp("a x\na y\n")["collocation"]["conflict"]["kind"] == "two-next");
  const std::string pairs = scratch.write("pairs.txt", "b x\n\n");
  CHECK(attest("certify " + pairs).err.find("is asked with attest ntp") != std::string::npos);
  const json given = ntp("a b c x\n", "--collocation " + pairs);
  CHECK(given["collocation"]["verdict"] == "given");
  CHECK(given["attention"]["selection"] == json::parse("[1]"));
  // Of two sentences with one query the pairs given already contradict each other; z is still open.
  const json cycle = ntp("a x\nb y\na b q x\nb a q y\nc d z\n");
  CHECK(cycle["collocation"]["conflict"]["kind"] == "given-order");
  CHECK(cycle["order"]["cycle"]["rows"].size() == 2);
  CHECK(cycle["attention"].is_null());
  const Outcome words = attest("ntp " + scratch.write("text.txt", "a b x\nc d x\n"));
  CHECK(words.last_line() == "s CONFLICT");
  CHECK(contains(words.out, "no token can have x next"));
}

TEST_CASE("ntp predicts shifted sentences where attention is determined") {
  const Scratch scratch;
  const std::string others = scratch.write(
      "others.txt", "a bird and a cat sings\nthe old dog barks\nunknown words bark\nby the cat meows\n");
  const json shift = json::parse(attest("ntp --json " + animals + " --shift " + others).out)["shift"];
  REQUIRE(shift.size() == 4);
  CHECK(shift[0]["predicted"] == "sings");
  CHECK(shift[1]["predicted"] == "barks");
  CHECK(shift[2]["predicted"].is_null());
  CHECK(shift[2]["certified"] == false);
  CHECK(shift[3]["predicted"] == "meows");
  CHECK(shift[3]["line"] == 4);
}

TEST_CASE("ntp decides the rows of paper E") {
  const Scratch scratch;
  auto rows = theorems_of("ntp " + animals);
  CHECK(rows["E.data"]["verdict"] == "holds");
  CHECK(rows["E.ov"]["verdict"] == "holds");
  CHECK(rows["E.loss"]["verdict"] == "holds");
  CHECK(rows["E.loss"]["head"] == "cross-entropy");
  CHECK(rows["E.kq"]["verdict"] == "holds");
  CHECK(theorems_of("ntp --steps 0 " + animals)["E.kq"]["verdict"] == "undecided");
  CHECK(rows["E.shift"]["reason"] == "not applicable: no shifted sentences (--shift)");
  rows = theorems_of("ntp " + animals + " --shift " + scratch.write("right.txt", "the old dog barks\n"));
  CHECK(rows["E.shift"]["verdict"] == "holds");
  rows = theorems_of("ntp " + animals + " --shift " + scratch.write("wrong.txt", "the old dog meows\n"));
  CHECK(rows["E.shift"]["verdict"] == "fails");
  CHECK(contains(rows["E.shift"]["reason"], "line 1 is predicted to end in barks and ends in meows"));
  rows = theorems_of("ntp " + scratch.write("cycle.txt", "a x\nb y\na b c x\na b c y\n"));
  CHECK(rows["E.data"]["verdict"] == "fails");
  CHECK(contains(rows["E.data"]["reason"], "with query c"));
  CHECK(rows["E.kq"]["verdict"] == "fails");
  CHECK(rows["E.ov"]["verdict"] == "holds");
  const std::string cycle = scratch.write("cycle.txt", "a x\nb y\na b c x\na b c y\n");
  rows = theorems_of("ntp " + cycle + " --shift " + scratch.write("right.txt", "a b c x\n"));
  CHECK(rows["E.shift"]["verdict"] == "fails");
  CHECK(contains(rows["E.shift"]["reason"], "row E.data"));
  // Contexts of one token leave attention nothing to learn.
  rows = theorems_of("ntp " + scratch.write("pairs.txt", "a x\nb y\nb b y\n"));
  CHECK(rows["E.kq"]["verdict"] == "undecided");
  CHECK(rows["E.loss"]["verdict"] == "holds");
  CHECK(contains(rows["E.loss"]["conclusion"], "L = L* at every t"));
  rows = theorems_of("ntp " + scratch.write("conflict.txt", "a b x\nc d x\n"));
  CHECK(rows["E.data"]["verdict"] == "fails");
  CHECK(rows["E.ov"]["verdict"] == "undecided");
}

TEST_CASE("ntp trains both stages and says what holds at all later steps") {
  const Scratch scratch;
  const std::string others = scratch.write("others.txt", "the old dog barks\n");
  const json found = json::parse(attest("ntp --json " + animals + " --shift " + others).out);
  const json& attention = found["training"]["attention"];
  CHECK(attention["steps"] == 1000);
  CHECK(attention["checkpoints"].back()["t"] == 1000);
  const json& later = attention["forever"];
  CHECK(later["verdict"] == "holds");
  CHECK(later["t0"] < 1000);
  const auto real = [](const json& x) { return std::stod(x.get<std::string>()); };
  const json& last = attention["checkpoints"].back();
  CHECK(real(last["loss_gap"]["hi"]) <= real(later["loss_bounds"][0]["loss_gap"]) * 1.0001);
  CHECK(real(last["one_minus_corr"]["lo"]) <= real(later["corr_bounds"][0]["one_minus_corr"]));
  CHECK(real(later["corr_bounds"][2]["one_minus_corr"]) < real(later["corr_bounds"][1]["one_minus_corr"]));
  CHECK(real(later["loss_ratio"]) < 1);
  CHECK(found["shift"][0]["from"] == later["t0"]);
  // Too long for T23, and too short.
  for (const char* step : {"3 --steps 60", "1/1000"}) {
    const json other =
        json::parse(attest(std::string("ntp --json --attention-step ") + step + " " + animals).out);
    CHECK(other["training"]["attention"]["forever"]["verdict"] == "undecided");
    CHECK(other["training"]["attention"]["forever"]["t0"].is_null());
  }
  CHECK(json::parse(attest("ntp --json --steps 0 " + animals).out)["training"].is_null());
  CHECK(attest("ntp --attention-step 0 " + animals).exit == 2);
}

TEST_CASE(
    "ntp writes a certificate of both stages' training, which attest-check replays from the sentences") {
  const Scratch scratch;
  const std::string prefix = scratch.path("out").string(), training = prefix + "-training.cert";
  const std::string others = scratch.write(
      "others.txt", "a bird and a cat sings\nthe old dog barks\nunknown words bark\nby the cat meows\n");
  const auto kinds = [&](const std::string& text, const std::string& options) {
    const json found = json::parse(
        attest("ntp --json --force " + text + " -o " + prefix + " --shift " + others + " " + options).out);
    CHECK(found["certificate"] == training);
    std::string said;
    for (const json& claim : found["claims"]) said += claim["kind"].get<std::string>() + " ";
    const Outcome checked = check(prefix + ".npz " + training);
    CHECK(checked.exit == 0);
    CHECK(contains(checked.out, "setting next-token feed-forward"));
    return said;
  };
  CHECK(kinds(animals, "") ==
        "token-ray optimal token-run token-forever token-shift token-forever token-shift ");
  // Too long for T23, which attest's own run does not end, and too short; not trained, or nothing to attend
  // to.
  CHECK(kinds(animals, "--attention-step 3 --steps 60") == "token-ray optimal token-run token-shift ");
  CHECK(kinds(animals, "--attention-step 1/1000") == "token-ray optimal token-run token-shift ");
  CHECK(kinds(scratch.write("pairs.txt", "a x\nb y\n"), "") == "token-ray ");
  CHECK(kinds(scratch.write("cycle.txt", "a x\nb y\na b c x\na b c y\n"), "") == "token-ray ");
  const json still = json::parse(attest("ntp --json --force --steps 0 " + animals + " -o " + prefix).out);
  CHECK(still["claims"].empty());
  CHECK(still["certificate"].is_null());
  const Outcome said = attest("ntp " + animals + " --force -o " + prefix);
  CHECK(contains(said.out, "re-check                attest-check " + prefix + ".npz " + training));
  CHECK(check(prefix + ".npz " + training + " --require token-forever").exit == 0);
}

TEST_CASE("ntp takes bytes, ids and embeddings") {
  const Scratch scratch;
  const std::string prefix = scratch.path("out").string();
  const json bytes =
      json::parse(attest("ntp --json --tokens bytes " + scratch.write("b", "ax\nb\x01\nabx\n")).out);
  CHECK(bytes["verdict"] == "feasible");
  CHECK(bytes["vocabulary"] == json::parse(R"(["a","x","b","\\x01"])"));
  const std::string ids = scratch.write("ids", "0 3\n1 4\n0 1 2 3\n2 1 4\n");
  CHECK(json::parse(attest("ntp --json --tokens ids " + ids).out)["attention"]["norm_value"].is_object());
  const std::string embeddings = scratch.write("E.npy", npy(5, 2, {1, 0, 2, 1, 0, 3, 1, 1, 0, 1}));
  const Outcome given = attest("ntp --tokens ids " + ids + " --embeddings " + embeddings + " -o " + prefix);
  CHECK(given.exit == 0);
  for (const char* stage : {"-feed-forward.cert", "-attention.cert"})
    CHECK(check(std::string(prefix).append(".npz ").append(prefix).append(stage)).exit == 0);
  const std::string few = scratch.write("few", "0 3\n1 4\n0 1 6\n");
  CHECK(attest("ntp --tokens ids " + few + " --embeddings " + embeddings).exit == 2);
}

TEST_CASE("ntp trains both stages with given embeddings, and the runs are certified") {
  const Scratch scratch;
  const std::string prefix = scratch.path("out").string();
  const std::string ids = scratch.write("ids", "0 3\n1 4\n0 1 2 3\n2 1 4\n");
  const std::string embeddings =
      scratch.write("E.npy", npy(5, 3, {4, 0, 1, 0, 4, 1, 1, 1, 4, 2, -3, 1, -1, 2, 2}));
  const std::string arguments = "ntp --tokens ids " + ids + " --shift " + ids + " --steps 200 --embeddings ";
  const json found = json::parse(attest(arguments + embeddings + " --json -o " + prefix).out);
  for (const auto& [stage, theorem] : {std::pair{"feed_forward", "T12n"}, {"attention", "T10"}}) {
    const json& run = found["training"][stage];
    CHECK(run["steps"] == 200);
    CHECK(run["forever"]["verdict"] == "holds");
    CHECK(run["forever"]["theorem"] == theorem);
    CHECK(run["forever"]["loss_bounds"].size() > 1);
    // The geometric bound is a tangent of the bounds at later steps.
    const json& rate = run["forever"]["loss_rate"];
    const auto number = [](const json& text) { return std::stold(text.get<std::string>()); };
    CHECK(rate["from"] == 200);
    CHECK(number(rate["ratio"]) < 1);
    for (const json& bound : run["forever"]["loss_bounds"]) {
      if (bound["from"] != 2000) continue;
      const long double there = std::log(number(rate["loss_gap"])) + 1800 * std::log(number(rate["ratio"]));
      CHECK(std::log(number(bound["loss_gap"])) <= there + 1e-6L);
      CHECK(std::log(number(bound["loss_gap"])) >= 2 * there);
    }
  }
  // W_ov is frozen at doubles near the last one.
  const json& frozen = found["training"]["feed_forward"]["comparison"]["steps"][0];
  CHECK(std::stod(frozen["distance"]["hi"].get<std::string>()) < 1e-12);
  for (const char* stage : {"-feed-forward-run", "-attention-run"}) {
    const std::string run = prefix + stage;
    CHECK(
        check(std::string(run).append(".npz ").append(run).append(".cert --require forever-from-run")).exit ==
        0);
  }
  for (const json& one : found["shift"]) CHECK(one["predicted"] == one["sentence_ends_in"]);
  std::map<std::string, std::string> verdicts;
  for (const json& row : found["theorems"]) verdicts[row["id"]] = row["verdict"];
  CHECK(verdicts["E.ov"] == "holds");
  CHECK(verdicts["E.kq"] == "holds");
  CHECK(verdicts["E.loss"] == "holds");
  CHECK(verdicts["E.shift"] == "holds");
  // Where embeddings are far from orthogonal the trained attention may select other tokens.
  const std::string plane = scratch.write("plane.npy", npy(5, 2, {1, 0, 2, 1, 0, 3, 1, 1, 0, 1}));
  const json row = theorems_of(arguments + plane + " --attention-step 1/20")["E.kq"];
  CHECK(row["verdict"] == "fails");
  CHECK(contains(row["reason"], "selects other tokens"));
  CHECK(json::parse(
            attest("ntp --tokens ids " + ids + " --steps 0 --json --embeddings " + plane).out)["training"]
            .is_null());
}

TEST_CASE("ntp says what holds where contexts leave attention nothing to select") {
  const Scratch scratch;
  for (const char* text : {"a b\nb c\nc a\n", "a b\nb c\nc a\na a b\n"}) {
    const std::string file = scratch.write("pairs.txt", text);
    const std::string out = attest("ntp " + file).out;
    CHECK(contains(out, "feed-forward training"));
    CHECK(contains(out, "no context has two different tokens"));
    const json found = json::parse(attest("ntp --json " + file).out);
    CHECK(found["training"]["attention"].is_null());
    CHECK(found["training"]["feed_forward"]["steps"] == 1000);
    auto rows = theorems_of("ntp " + file);
    CHECK(rows["E.ov"]["verdict"] == "holds");
    CHECK(contains(rows["E.kq"]["reason"], "not applicable: no context has two different tokens"));
  }
  const std::string file = scratch.write("pairs.txt", "a b\nb c\n");
  const std::string plane = scratch.write("plane.npy", npy(3, 2, {1, 0, 0, 1, 1, 1}));
  const json found = json::parse(attest("ntp --json --steps 20 --embeddings " + plane + " " + file).out);
  CHECK(found["training"]["feed_forward"]["statistics"].is_object());
  CHECK(found["training"]["attention"].is_null());
  CHECK(contains(found["training"]["reason"], "no context has two different embeddings"));
}

TEST_CASE("ntp says that one output leaves nothing to train") {
  const Scratch scratch;
  const std::string file = scratch.write("one.txt", "a a\na a a\n");
  const std::string out = attest("ntp " + file).out;
  CHECK(contains(out, "feed-forward training   there is one output only: W = 0 and L = 0 at every step"));
  auto rows = theorems_of("ntp " + file);
  CHECK(contains(rows["E.ov"]["reason"], "not applicable: there is one output only"));
  CHECK(contains(rows["E.loss"]["reason"], "not applicable: there is one output only"));
}

TEST_CASE("ntp refuses what holds no sentences, with the line") {
  const Scratch scratch;
  const auto refused = [&](const std::string& text, const std::string& why, const std::string& options = "") {
    const Outcome found = attest("ntp " + scratch.write("text", text) + " " + options);
    CAPTURE(found.err);
    CHECK(found.exit == 2);
    CHECK(found.out.empty());
    CHECK(contains(found.err, why));
  };
  refused("", "has no sentences");
  refused("\n \n\t\n", "has no sentences");
  refused("a b\n\nword\n", "line 3 has one token only");
  refused(std::string("a b\nc\0d e\n", 10), "line 2 is not text");
  refused("1 2\n3 x\n", "line 2 has x where a token id", "--tokens ids");
  refused("1 2\n3 4294967296\n", "line 2 has 4294967296", "--tokens ids");
  CHECK(attest("ntp " + scratch.path("missing").string()).exit == 2);
  CHECK(attest("ntp " + scratch.path("").string()).exit == 2);
  CHECK(attest("ntp " + animals + " --embeddings " + animals).exit == 2);
  const Outcome pairs = attest("ntp " + animals + " --collocation " + animals);
  CHECK(pairs.exit == 2);
  CHECK(contains(pairs.err, "line 4 is not a pair of tokens"));
}

TEST_CASE("ntp whose training a limit ends is undecided, whatever its margin problems are") {
  const Outcome found = attest("ntp " + std::string(samples) + "/animals.txt --steps 2000 --time-limit 0.1");
  CHECK(found.exit == 30);
}

TEST_CASE("ntp says where its bits end, why, and the way on") {
  const Outcome found = attest("ntp " + animals + " --attention-step 100 --steps 2000 --json");
  const json training = json::parse(found.out)["training"]["attention"];
  const auto steps = training["steps"].get<long>();
  const std::string reason = training["reason"];
  CAPTURE(reason);
  CHECK(contains(reason, "6144 bits, the most there are, do not prove step " + std::to_string(steps + 1)));
  CHECK(contains(reason, "--steps " + std::to_string(steps) + " ends before it"));
  CHECK(contains(reason, "a smaller --attention-step comes further"));
  const Outcome fewer =
      attest("ntp " + animals + " --attention-step 100 --json --steps " + std::to_string(steps));
  CHECK_FALSE(json::parse(fewer.out)["training"]["attention"].contains("reason"));
  const Outcome smaller =
      attest("ntp " + animals + " --attention-step 10 --json --steps " + std::to_string(steps + 9));
  CHECK_FALSE(json::parse(smaller.out)["training"]["attention"].contains("reason"));
}

// The first 1,800 of its 5,640 words: the checker's work grows faster than they. All with ATTEST_WHOLE_TEXT
// set.
TEST_CASE("ntp decides a text of more than a thousand words") {
  const std::string license = "/usr/share/common-licenses/GPL-3";
  if (!std::filesystem::exists(license)) {
    MESSAGE("no " << license);
    return;
  }
  const Scratch scratch;
  const std::string prefix = scratch.path("out").string();
  const std::string text = scratch.write(
      "text.txt", cut(slurp(license), std::getenv("ATTEST_WHOLE_TEXT") == nullptr ? 1800 : 1000000));
  const Outcome found = attest("ntp " + text + " --steps 20 -o " + prefix);
  MESSAGE(found.out);
  CHECK(found.exit == 0);
  CHECK(found.last_line() == "s FEASIBLE");
  for (const char* stage : {"-feed-forward.cert", "-attention.cert"})
    CHECK(check(std::string(prefix).append(".npz ").append(prefix).append(stage)).exit == 0);
}
