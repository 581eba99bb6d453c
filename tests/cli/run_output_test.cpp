// attest run through the real binary: what it prints, draws and writes, and how it refuses bad input.
#include <algorithm>
#include <cmath>

#include "tests/cli/npz_bytes.hpp"
#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

const std::string normalised = " --optimizer ngd --step 1/10 ";

// Every element closed in order, every attribute quoted, no stray ampersand: enough to be XML.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&' && xml.compare(at, 4, "&lt;") != 0 && xml.compare(at, 4, "&gt;") != 0 &&
        xml.compare(at, 5, "&amp;") != 0) {
      return false;
    }
    if (xml[at] == '>') return false;
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos || std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
    const std::string element = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(element);
    }
    at = end + 1;
  }
  return open.empty();
}

// The points of the drawing's polyline in that hue; empty when there is none.
std::vector<std::pair<double, double>> line_points(const std::string& svg, const std::string& hue) {
  std::vector<std::pair<double, double>> points;
  const std::size_t group = svg.find("<g class=\"" + hue + "\">");
  if (group == std::string::npos) return points;
  const std::size_t start = svg.find("<polyline points=\"", group) + 18;
  std::istringstream text(svg.substr(start, svg.find('"', start) - start));
  double x = 0, y = 0;
  char comma = 0;
  while (text >> x >> comma >> y) points.emplace_back(x, y);
  return points;
}

}  // namespace

TEST_CASE("run: the path inequality at every step, and T9's own constant beside it") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  for (const std::string optimizer : {"ngd --step 1/10", "gd --step 1", "polyak --step 1/2"}) {
    CAPTURE(optimizer);
    const Outcome outcome =
        folder.attest("run i.json --optimizer " + optimizer + " --steps 400 --json -o r.attest");
    REQUIRE(outcome.exit == 0);
    const json answer = json::parse(outcome.out);
    const json& path = answer["path"];
    CHECK(path["to"] == 400);
    const auto [lo, hi] = ends(path["least_constant"]);
    CHECK(lo <= hi);
    double largest = -std::numeric_limits<double>::infinity();
    for (const json& block : path["blocks"]) {
      CHECK(ends(block["least_constant"]).second <= hi);
      largest = std::max(largest, ends(block["least_constant"]).first);
    }
    CHECK(largest == lo);
    // Telescoped between checkpoints.
    const json* before = nullptr;
    for (const json& checkpoint : answer["checkpoints"]) {
      if (checkpoint["t"] < path["from"]) continue;
      const auto square = [](const json& point) { return std::pow(ends(point["across"]).first, 2); };
      const auto along = [](const json& point) { return ends(point["along"]).first; };
      if (before != nullptr) {
        CHECK(along(checkpoint) > along(*before));
        CHECK(square(checkpoint) <= square(*before) + hi * (along(checkpoint) - along(*before)) + 1e-12);
      }
      before = &checkpoint;
    }
    std::size_t applies = 0;
    for (const json& step : path["theorem"]) {
      CHECK(ends(step["needed"]).first <= hi);
      if (step["constant"].is_null()) continue;
      ++applies;
      CHECK(ends(step["needed"]).second <= ends(step["constant"]).first);
    }
    CHECK(applies >= 3);
    const Outcome checked = folder.check("i.json r.attest");
    CHECK(checked.exit == 0);
    CHECK(checked.out.find("path-inequality problem 1 run ") != std::string::npos);
    const std::string text = folder.attest("run i.json --optimizer " + optimizer + " --steps 400").out;
    CHECK(text.find("path inequality ") != std::string::npos);
    CHECK(text.find("T9's own constant ") != std::string::npos);
  }
}

TEST_CASE("run: checkpoints, enclosures and verdicts in JSON, and a certificate that re-checks") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const Outcome outcome = folder.attest("run i.json" + normalised + "--steps 333 --json -o r.attest");
  REQUIRE(outcome.exit == 0);
  const json answer = json::parse(outcome.out);
  CHECK(checkpoint_steps(answer) == std::vector<std::uint64_t>{0, 1, 2, 5, 10, 20, 50, 100, 200, 333});
  CHECK(answer["optimizer"] == "ngd");
  CHECK(answer["steps"] == 333);
  CHECK(answer["selection"] == json::array({0, 2, 1}));
  CHECK(answer["correct_bits"].get<int>() >= 100);
  CHECK(answer["checkpoints"][0]["one_minus_corr"].is_null());
  for (const json& checkpoint : answer["checkpoints"]) {
    for (const char* key :
         {"loss_gap", "norm", "one_minus_corr", "max_one_minus_s", "along", "across", "gradient_norm"}) {
      if (checkpoint[key].is_null()) continue;
      CHECK(ends(checkpoint[key]).first <= ends(checkpoint[key]).second);
      CHECK(checkpoint[key]["lo"].get<std::string>().find('e') == std::string::npos);
    }
    CHECK(checkpoint["one_minus_s"].size() == 3);
  }
  CHECK(ends(answer["checkpoints"][1]["norm"]).second == doctest::Approx(0.1));
  const json& forever = answer["forever"];
  CHECK(forever["verdict"] == "holds");
  CHECK(forever["kind"] == "from-run");
  CHECK(forever["t0"].get<int>() < 200);
  CHECK(forever["selection"] == answer["selection"]);
  for (const json& shape : answer["shapes"]) {
    CHECK(shape["valid_from"].get<int>() <= 2);
    CHECK(ends(shape["least_constant"]).first <= ends(shape["least_constant"]).second);
    CHECK(shape["blocks"].back()["from"] == 256);
  }
  CHECK(folder.names() == std::vector<std::string>{"i.json", "r.attest"});
  const Outcome checked = folder.check("i.json r.attest");
  CHECK(checked.exit == 0);
  CHECK(checked.out.find("run problem 1") != std::string::npos);
  CHECK(checked.out.find("forever-from-run") != std::string::npos);
}

TEST_CASE("run: the text names every quantity, and where each theorem first holds") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const Outcome outcome = folder.attest("run i.json" + normalised + "--steps 300");
  CHECK(outcome.exit == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.last_line() == "s COMPLETE");
  for (const char* part :
       {"1 - corr", "its band", "||W||", "L - L*", "||grad L||", "group 2", "selected at last step   0 2 1",
        "correct bits", "by T12n: W tends", "by T10: W tends", "by T15: W tends", "; by blocks ",
        "path inequality ", "fraction bits"}) {
    CHECK_MESSAGE(outcome.out.find(part) != std::string::npos, part);
  }
  CHECK(outcome.out.find("\n1         0.14399 ") == std::string::npos);  // six digits, not five
  CHECK(outcome.out.find("\n1         0.143991 ") != std::string::npos);
}

TEST_CASE("run: --bits is met, --precision is taken as given, other arithmetic is labelled computed") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const std::string run = "run i.json" + normalised + "--steps 60 --json ";
  const json sharp = json::parse(folder.attest(run + "--bits 400").out);
  CHECK(sharp["correct_bits"].get<int>() >= 400);
  CHECK(sharp["checkpoints"][3]["norm"]["lo"].get<std::string>().size() > 100);
  const json coarse = json::parse(folder.attest(run + "--precision 90").out);
  CHECK(coarse["statistics"]["fraction_bits"].get<int>() < 150);
  CHECK(coarse["correct_bits"].get<int>() < 130);
  for (const char* arithmetic : {"double", "mpfr"}) {
    const json computed = json::parse(folder.attest(run + "-o c.attest --arithmetic " + arithmetic).out);
    CHECK(computed["level"] == "computed");
    CHECK(computed["verdict"] == "computed");
    CHECK(computed["correct_bits"].is_null());
    CHECK(computed["forever"]["verdict"] == "undecided");
    CHECK(std::stod(computed["checkpoints"].back()["norm"]["lo"].get<std::string>()) ==
          doctest::Approx(ends(sharp["checkpoints"].back()["norm"]).first).epsilon(1e-9));
  }
  CHECK_FALSE(folder.has("c.attest"));
}

TEST_CASE("run: the plot is XML with the band, the fitted shape, the bound of a proof and the plain run") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  for (const std::string ending : {"--steps 400", "--steps 400 --until-forever"}) {
    CAPTURE(ending);
    const json answer =
        json::parse(folder.attest("run i.json" + normalised + ending + " --json --plot p.svg").out);
    REQUIRE(answer["forever"]["verdict"] == "holds");
    const std::string svg = folder.read("p.svg");
    CHECK(well_formed(svg));
    for (const char* part :
         {"certified band", "fitted shape", "explicit bound for ever", "plain double precision", "step t"}) {
      CHECK_MESSAGE(svg.find(part) != std::string::npos, part);
    }
    const auto certified = line_points(svg, "blue"), bound = line_points(svg, "vermillion"),
               plain = line_points(svg, "purple");
    REQUIRE(certified.size() > 20);
    REQUIRE(bound.size() > 20);
    CHECK(plain.size() > 20);
    CHECK(bound.back().first > certified.back().first + 50);  // it goes on beyond the run
    for (const auto& [x, y] : bound) {                        // and lies above the run (downwards is smaller)
      for (const auto& [certified_x, certified_y] : certified) {
        if (std::abs(certified_x - x) < 0.3) CHECK(y <= certified_y + 0.5);
      }
    }
  }
  const json undecided =
      json::parse(folder.attest("run i.json" + normalised + "--steps 5 --json --plot p.svg").out);
  REQUIRE(undecided["forever"]["verdict"] == "undecided");
  CHECK(well_formed(folder.read("p.svg")));
  CHECK(folder.read("p.svg").find("explicit bound") == std::string::npos);
}

TEST_CASE("run: the trace holds one row a step in arrays of one length") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  CHECK(folder.attest("run i.json" + normalised + "--steps 77 --trace t.npz").exit == 0);
  const std::string npz = folder.read("t.npz");
  for (const char* name : {"t", "norm", "along", "across", "one_minus_corr_lo", "one_minus_corr_hi",
                           "loss_gap", "gradient_norm", "max_one_minus_s", "log2_radius"}) {
    CHECK_MESSAGE(npz.find(std::string(name) + ".npy") != std::string::npos, name);
  }
  CHECK(
      run("/usr/bin/env python3 -c",
          "\"import zipfile,sys; z=zipfile.ZipFile('" + folder.path("t.npz") +
              "'); sys.exit(not all(b'(78,)' in z.read(n) and z.testzip() is None for n in z.namelist()))\"")
          .exit == 0);
}

TEST_CASE("run: random starts are determined by their seed, given ones are exact") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  const auto certificate = [&](const std::string& init) {
    const Outcome outcome =
        folder.attest("run i.json" + normalised + "--steps 20 -o r.attest --init " + init);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 0);
    CHECK(folder.check("i.json r.attest").exit == 0);
    return folder.read("r.attest");
  };
  const std::string seven = certificate("random:7");
  CHECK(seven == certificate("random:7"));
  CHECK(seven != certificate("random:8"));
  // The Mersenne twister's first number for its default seed is 14514284786278117030 in the C++ standard
  // library and elsewhere.
  const std::uint64_t first = 14514284786278117030U >> 11;
  const auto entry = static_cast<std::int64_t>(first) - (std::int64_t{1} << 52);
  std::int64_t odd = entry;
  int shift = 52;
  while (odd % 2 == 0) odd /= 2, --shift;
  CHECK(certificate("random:5489")
            .find("start 9 " + std::to_string(odd) + "*2^-" + std::to_string(shift) + " ") !=
        std::string::npos);

  const std::vector<double> values{0.5, -1, 0, 2, 0.25, 1, -0.75, 3, 1};
  folder.write("w.npy", npy(values, {3, 3}));
  folder.write("fortran.npy", npy(values, {3, 3}, Type::float32, true, true));
  folder.write("bare.json", R"([[0.5,-1,0],["2","1/4",1],[-0.75,"3*2^0",1]])");
  folder.write("keyed.json", R"({"W0":[[0.5,-1,0],[2,0.25,1],[-0.75,3,1]]})");
  const std::string given = certificate("@w.npy");
  CHECK(given.find("start 9 1*2^-1 -1 0 2 1*2^-2 1 -3*2^-2 3 1") != std::string::npos);
  for (const char* file : {"@fortran.npy", "@bare.json", "@keyed.json"}) CHECK(certificate(file) == given);
}

TEST_CASE("run: a bad start is named with file, key and index") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  std::vector<double> values(9, 0.5);
  folder.write("shape.npy", npy(values, {9}));
  folder.write("transposed.json", "[[1,2,3],[1,2,3]]");
  values[5] = std::nan("");
  folder.write("nan.npy", npy(values, {3, 3}));
  values[5] = INFINITY;
  folder.write("infinite.npy", npy(values, {3, 3}));
  folder.write("word.json", R"([[1,2,3],[1,"x",3],[1,2,3]])");
  folder.write("other.json", R"({"X":[[[1,2]]]})");
  folder.write("empty.npy", "");
  const std::vector<std::string> before = folder.names();
  const std::vector<std::pair<std::string, std::vector<const char*>>> cases = {
      {"shape.npy", {"W0", "3 x 3"}},
      {"transposed.json", {"W0", "3 x 3"}},
      {"nan.npy", {"W0", "[1,2]"}},
      {"infinite.npy", {"W0", "[1,2]"}},
      {"word.json", {"W0", "[1,1]"}},
      {"other.json", {"W0"}},
      {"empty.npy", {}},
      {"absent.npy", {}}};
  for (const auto& one : cases) {
    const std::string& file = one.first;
    const Outcome outcome = folder.attest("run i.json" + normalised +
                                          "--steps 9 -o r.attest --trace t.npz --plot p.svg --init @" + file);
    CAPTURE(file);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(outcome.err.find(file) != std::string::npos);
    for (const char* word : one.second) CHECK_MESSAGE(outcome.err.find(word) != std::string::npos, word);
    CHECK(folder.names() == before);
  }
}

TEST_CASE("run: bad usage is one line and exit 2; with --json one value too; nothing is written") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  folder.write("folder/keep", "");
  const std::vector<std::string> before = folder.names();
  for (const std::string arguments : {"i.json --optimizer adam --step 1 --steps 9",
                                      "i.json --optimizer ngd --steps 9",
                                      "i.json --step 1 --steps 9",
                                      "i.json --optimizer ngd --step 0 --steps 9",
                                      "i.json --optimizer ngd --step -1/2 --steps 9",
                                      "i.json --optimizer ngd --step 1/0 --steps 9",
                                      "i.json --optimizer ngd --step nan --steps 9",
                                      "i.json --optimizer ngd --step 1 --steps -5",
                                      "i.json --optimizer ngd --step 1 --steps 1.5",
                                      "i.json --optimizer ngd --step 1 --steps 9 --loss hinge",
                                      "i.json --optimizer ngd --step 1 --steps 9 --schedule cosine",
                                      "i.json --optimizer ngd --step 1 --steps 9 --precision 12",
                                      "i.json --optimizer ngd --step 1 --steps 9 --precision many",
                                      "i.json --optimizer ngd --step 1 --steps 9 --bits 0",
                                      "i.json --optimizer ngd --step 1 --steps 9 --init one",
                                      "i.json --optimizer ngd --step 1 --steps 9 --init random:",
                                      "i.json --optimizer ngd --step 1 --steps 9 --init random:-1",
                                      "i.json --optimizer ngd --step 1 --steps 9 --init instance",
                                      "i.json --optimizer ngd --step 1 --steps 9 --resume",
                                      "i.json --optimizer ngd --step 1 --steps 9 --plot absent/p.svg",
                                      "i.json --optimizer ngd --step 1 --steps 9 --trace folder",
                                      "absent.json --optimizer ngd --step 1 --steps 9",
                                      "i.json --optimizer ngd --step 1 --steps 9 --unknown"}) {
    CAPTURE(arguments);
    const Outcome plain = folder.attest("run " + arguments + " -o r.attest");
    CHECK(plain.exit == 2);
    CHECK(plain.out.empty());
    CHECK(std::count(plain.err.begin(), plain.err.end(), '\n') == 1);
    const Outcome outcome = folder.attest("run " + arguments + " -o r.attest --json");
    CHECK(outcome.exit == 2);
    CHECK_FALSE(json::parse(outcome.out)["error"]["message"].get<std::string>().empty());
    CHECK(folder.names() == before);
  }
}
