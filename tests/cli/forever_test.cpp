// Certificates about all later steps, as `attest run` writes them: accepted, and rejected once any number of
// a claim is moved to where it is no longer proved.
#include <doctest/doctest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/folder.hpp"

using namespace cli_tests;
using Json = nlohmann::json;

namespace {

using LineWords = std::vector<std::string>;

LineWords words_of(const std::string& line) {
  std::istringstream stream(line);
  LineWords words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string joined(const LineWords& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

// A dyadic number of the grammar, times (1024 + change)/1024: an odd factor keeps an odd numerator odd.
std::string scaled(const std::string& number, int change) {
  const std::size_t star = number.find("*2^");
  boost::multiprecision::cpp_int numerator(number.substr(0, star));
  long exponent = star == std::string::npos ? 0 : std::stol(number.substr(star + 3));
  while (numerator != 0 && numerator % 2 == 0) {
    numerator /= 2;
    ++exponent;
  }
  exponent -= 10;
  numerator *= 1024 + change;
  if (exponent > 0) numerator <<= static_cast<unsigned>(exponent);
  return numerator.str() + (exponent < 0 ? "*2^" + std::to_string(exponent) : "");
}

// The number after `word`, moved a thousandth to where the claim says more (or, for a hypothesis, assumes
// less).
std::string stronger(const std::string& word, const std::string& number) {
  if (word == "dominates-from") return std::to_string(std::stoull(number) - 1);
  const bool wants_more = word == "height" || word == "linear" || word == "logarithmic" || word == "floor";
  return scaled(number, wants_more == (number[0] != '-') ? 1 : -1);
}

struct Case {
  const char* what;
  const char* instance;
  const char* arguments;
  const char* start;                 // W_0; null: zero
  const char* theorem;               // as the certificate calls it
  std::vector<std::string> numbers;  // every word of its claims whose number is tight
};

// Tokens 0, (-1,-1), (-2,1): gaps 1 and 2.
const char* const plane = R"({"X": [[[0,0],[-1,-1],[-2,1]]], "Y": [1], "v": [1,0], "z": [[1]]})";
// A token of higher score that the solution's direction leaves behind: a local optimum.
const char* const local = R"({"X": [[[0,0],[-1,-1],[-3,"1/2"]]], "Y": [1], "v": [0,1], "z": [[1]]})";

// Runs, checks, and checks every strengthened number of every claim about all later steps.
void examine(const Case& c) {
  INFO(c.what);
  const Folder folder;
  folder.write("a.json", c.instance);
  std::string arguments = "run a.json --json -o a.attest ";
  if (c.start != nullptr) {
    folder.write("w.json", c.start);
    arguments += "--init @w.json ";
  }
  const Outcome run = folder.attest(arguments + c.arguments);
  INFO(run.err);
  REQUIRE(run.exit == 0);
  const Json forever = Json::parse(run.out).at("forever");
  CHECK(forever.at("verdict") == "holds");
  REQUIRE(forever.at("dominates_from").is_number());
  CHECK(forever.at("dominates_from") >= forever.at("t0"));
  const Outcome good = folder.check("a.json a.attest");
  INFO(good.err);
  REQUIRE(good.exit == 0);

  std::vector<std::string> lines;
  std::istringstream text(folder.read("a.attest"));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::map<std::string, int> changed;
  const auto reject = [&](std::size_t at, const LineWords& words, std::size_t number,
                          const std::string& value, const std::string& word) {
    std::vector<std::string> mutated = lines;
    LineWords other = words;
    other[number] = value;
    mutated[at] = joined(other);
    std::string bytes;
    for (const std::string& line : mutated) bytes += line + "\n";
    folder.write("b.attest", bytes);
    INFO(lines[at], " -> ", mutated[at]);
    CHECK(folder.check("a.json b.attest").exit == 1);
    ++changed[word];
  };
  bool inside = false;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const LineWords words = words_of(lines[at]);
    if (words[0] == "claim") {
      inside = words[2].starts_with("forever") &&
               lines[at].find(std::string("theorem ") + c.theorem) != std::string::npos;
    }
    if (!inside) continue;
    for (std::size_t k = 0; words[0] != "vector" && k + 1 < words.size(); ++k) {
      if (std::find(c.numbers.begin(), c.numbers.end(), words[k]) == c.numbers.end()) continue;
      if (words[k + 1] == "0" || words[k + 1] == "none") continue;
      if (words[k] == "dominates-from" && lines[at].find(" at " + words[k + 1] + " ") != std::string::npos)
        continue;
      reject(at, words, k + 1, stronger(words[k], words[k + 1]), words[k]);
    }
    // The coordinates of e_0: a thousandth off in either direction is too far.
    if (words[0] == "vector" && words[1] == "pull") {
      for (std::size_t line = at + 1; line <= at + std::stoull(words[2]); ++line) {
        const LineWords entry = words_of(lines[line]);
        for (const int change : {-1, 1}) {
          const boost::multiprecision::cpp_int value(entry[2]);
          reject(line, entry, 2, boost::multiprecision::cpp_int(value + change * value / 1024).str(), "pull");
        }
      }
    }
  }
  for (const std::string& word : c.numbers) {
    INFO(word);
    CHECK(changed[word] > 0);
  }
}

}  // namespace

TEST_CASE("later steps: every tight number of a certificate is needed") {
  examine({"lock-in, gradient descent",
           plane,
           "--optimizer gd --step 1/4 --steps 30",
           "[[40],[21]]",
           "lock-in",
           {"floor", "excess", "logarithmic", "path", "centre", "height"}});
  examine({"lock-in, normalised",
           plane,
           "--optimizer ngd --step 1/20 --steps 20",
           nullptr,
           "lock-in",
           {"floor", "path", "height", "linear", "dominates-from"}});
  examine({"absorbing, normalised",
           plane,
           "--optimizer ngd --step 1/4 --steps 60",
           nullptr,
           "absorbing",
           {"output", "attention", "linear", "path", "centre", "height"}});
  examine({"absorbing, Polyak",
           plane,
           "--optimizer polyak --steps 20",
           nullptr,
           "absorbing",
           {"output", "attention", "linear", "path", "centre", "height"}});
  examine(
      {"residual, long normalised steps",
       plane,
       "--optimizer ngd --step 2 --steps 30",
       nullptr,
       "residual",
       {"lambda-min", "step-bound", "output", "attention", "path", "excess", "centre", "height", "linear"}});
  examine({"residual, gradient descent",
           plane,
           "--optimizer gd --step 5 --steps 5",
           "[[40],[21]]",
           "residual",
           {"step-bound", "output", "attention", "path", "excess", "centre", "height", "logarithmic"}});
  examine({"residual, Polyak",
           plane,
           "--optimizer polyak --steps 20",
           nullptr,
           "residual",
           {"step-bound", "output", "attention", "path", "excess", "centre", "height", "linear"}});
  examine({"residual, a local optimum",
           local,
           "--optimizer ngd --step 1/10 --steps 60",
           "[[20],[20]]",
           "residual",
           {"step-bound", "ratio", "extra", "attention", "path", "excess", "height", "linear"}});
  examine({"bounded, normalised",
           plane,
           "--optimizer ngd --step 1/4 --steps 100",
           nullptr,
           "bounded",
           {"reach", "attention", "step-bound", "excess", "centre", "height", "linear", "pull"}});
  examine({"bounded, gradient descent",
           plane,
           "--optimizer gd --step 1/4 --steps 5",
           "[[40],[21]]",
           "bounded",
           {"reach", "attention", "step-bound", "excess", "height", "logarithmic", "pull"}});
  examine({"bounded, a local optimum",
           local,
           "--optimizer ngd --step 1/10 --steps 200",
           "[[20],[20]]",
           "bounded",
           {"ratio", "reach", "attention", "step-bound", "excess", "height", "linear"}});
  examine({"local, normalised",
           local,
           "--optimizer ngd --step 1/10 --steps 200",
           "[[20],[20]]",
           "local",
           {"attention", "step-bound", "ratio", "extra", "path", "height", "linear"}});
}

TEST_CASE("the residual in the support's span tends to its closed form") {
  const Folder folder;
  folder.write("a.json", plane);
  const auto number = [](const Json& end) { return std::stod(end.get<std::string>()); };
  double length = 0, distance = INFINITY;
  for (const int steps : {10, 30, 100, 300, 1000}) {
    const Outcome run =
        folder.attest("run a.json --json --optimizer ngd --step 1/4 --steps " + std::to_string(steps));
    REQUIRE(run.exit == 0);
    const Json residual = Json::parse(run.out).at("forever").at("residual");
    CHECK(residual.at("t") == steps);
    length = number(residual.at("limit_norm").at("lo"));
    const double now = number(residual.at("distance").at("hi"));
    CHECK(now < distance);
    distance = now;
    CHECK(std::abs(number(residual.at("norm").at("lo")) - length) <= now * (1 + 1e-6));
  }
  CHECK(distance < 1e-6);
  // gaps 1 and 2, |l'| at the score 0: b_inf in the proportion 1 : 2, multipliers 4 : 1. U is spanned by
  // (1,-2)/sqrt 5, on which Delta_1, Delta_2 have the products -1/sqrt 5 and 4/sqrt 5: p_inf =
  // log((2/1)/(1/4)) / sqrt 5.
  CHECK(length == doctest::Approx(std::log(8.0) / std::sqrt(5.0)));
}

TEST_CASE("all steps from an exact W, without a run") {
  const Folder folder;
  folder.write("a.json", plane);
  folder.write("w.json", "[[40],[21]]");
  const std::string run =
      "run a.json --json --optimizer ngd --step 1/10 --steps 0 --init @w.json -o a.attest";
  const Json forever = Json::parse(folder.attest(run).out).at("forever");
  CHECK(forever.at("kind") == "from-point");
  CHECK(forever.at("t0") == 0);
  CHECK(forever.at("dominates_from") == 0);
  CHECK(forever.at("proofs").size() == 4);  // T12n, T10, T14, T15
  CHECK(folder.check("a.json a.attest --require forever-from-point").exit == 0);
  // The same claims of another W.
  std::string text = folder.read("a.attest");
  const std::size_t at = text.rfind("start 2 ") + 8;
  REQUIRE(at > 8);
  text.replace(at, text.find(' ', at) - at, "7");
  folder.write("b.attest", text);
  CHECK(folder.check("a.json b.attest").exit == 1);
}

TEST_CASE("a token of small gap is left out of P where the attention is not yet small against it") {
  const Folder folder;
  // Delta_1 = (1,1) alone is tight. At (1.6, 1.6) the others hold 0.04 of the attention: more than the gap
  // 0.02 of token 2 allows in P. Token 3 is better, and far.
  folder.write(
      "a.json",
      R"({"X": [[[0,0],[-1,-1],[-5,-0.02],[-30,0.5]]], "Y": [1], "v": [0,1], "z": [[1]], "alpha": [0]})");
  folder.write("w.json", "[[1.6],[1.6]]");
  const Outcome run =
      folder.attest("run a.json --json --optimizer ngd --step 1/10 --steps 0 --init @w.json -o a.attest");
  REQUIRE(run.exit == 0);
  CHECK(Json::parse(run.out).at("forever").at("verdict") == "holds");
  std::string text = folder.read("a.attest");
  const std::size_t at = text.find("outside 1\n0 2\n");
  REQUIRE(at != std::string::npos);
  CHECK(folder.check("a.json a.attest").exit == 0);
  text.replace(at, 14, "outside 0\n");
  const std::size_t end = text.rfind("lines ") + 6;
  text.replace(end, std::string::npos, std::to_string(std::count(text.begin(), text.end(), '\n')) + "\n");
  folder.write("b.attest", text);
  CHECK(folder.check("a.json b.attest").exit == 1);
}
