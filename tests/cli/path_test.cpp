// attest path through the real binaries: what is claimed against minimisers found by brute force, JSON,
// refusals with a way on, certificates that re-check.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "tests/cli/folder.hpp"
#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

using Plane = std::pair<double, double>;

// Groups of tokens in the plane, with scores; the first token of each group is its best one. W is in the
// plane, too.
struct Problem {
  struct Token {
    Plane difference;  // feature of the best token minus that of this one
    double gap;
  };
  struct Group {
    double best;
    std::vector<Token> others;
  };
  std::vector<Group> groups;
  std::string text;  // as an instance
};

Problem random_problem(unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](int least, int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most - least + 1)) + least;
  };
  Problem problem;
  std::string tokens, labels, queries;
  const int count = number(1, 3);
  for (int i = 0; i < count; ++i) {
    Problem::Group group;
    const int size = number(1, 4), query = number(1, 3);
    const Plane top{number(-2, 2), number(-2, 2)};
    // The score of (x, y) is 2 x + y/4.
    const auto score = [](const Plane& x) { return 2 * x.first + x.second / 4; };
    group.best = score(top);
    std::string rows = "[" + std::to_string(int(top.first)) + "," + std::to_string(int(top.second)) + "]";
    for (int t = 1; t < size; ++t) {
      const Plane x{top.first - number(1, 3), top.second + number(-2, 3)};
      if (score(x) >= group.best) continue;
      group.others.push_back(
          {{query * (top.first - x.first), query * (top.second - x.second)}, group.best - score(x)});
      rows += ",[" + std::to_string(int(x.first)) + "," + std::to_string(int(x.second)) + "]";
    }
    const std::string comma = i == 0 ? "" : ",";
    tokens += comma + "[" + rows + "]";
    labels += comma + "1";
    queries += comma + "[" + std::to_string(query) + "]";
    problem.groups.push_back(group);
  }
  problem.text = R"({"X":[)" + tokens + R"(],"Y":[)" + labels + R"(],"v":[2,"1/4"],"z":[)" + queries + "]}";
  return problem;
}

double dot(const Plane& a, const Plane& b) {
  return a.first * b.first + a.second * b.second;
}

Plane on_circle(double radius, double angle) {
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// The loss above that of the best scores; relatively accurate where it is tiny.
double excess(const Problem& problem, const std::string& loss, const Plane& w) {
  double sum = 0;
  for (const Problem::Group& group : problem.groups) {
    double least = 0, lost = 0;
    for (const Problem::Token& token : group.others) least = std::min(least, dot(token.difference, w));
    double total = std::exp(least);
    for (const Problem::Token& token : group.others) total += std::exp(least - dot(token.difference, w));
    for (const Problem::Token& token : group.others)
      lost += std::exp(least - dot(token.difference, w)) / total * token.gap;
    if (loss == "correlation") sum += lost;
    if (loss == "exponential") sum += std::exp(-group.best) * std::expm1(lost);
    if (loss == "logistic") sum += std::log1p(std::expm1(lost) / (1 + std::exp(group.best)));
  }
  return sum;
}

// The point of the disc with the largest value: a grid, then ever smaller steps in radius and angle.
template <class Value>
Plane best_point(double radius, const Value& value) {
  double best = -std::numeric_limits<double>::infinity(), at_radius = 0, at_angle = 0;
  const auto look = [&](double r, double angle) {
    const double found = value(on_circle(r, angle));
    if (!(found > best)) return false;
    best = found, at_radius = r, at_angle = angle;
    return true;
  };
  for (int i = 1; i <= 24; ++i)
    for (int j = 0; j < 300; ++j) look(radius * i / 24, 2 * M_PI * j / 300);
  for (double step = 1; step > 1e-12; step /= 2) {
    bool moved = true;
    while (moved) {
      moved = false;
      for (const double way : {-1.0, 1.0}) {
        moved = look(at_radius, at_angle + way * step) || moved;
        moved = look(std::min(radius, std::max(0.0, at_radius + way * step * radius)), at_angle) || moved;
      }
    }
  }
  return on_circle(at_radius, at_angle);
}

double least_margin(const Problem& problem, const Plane& w) {
  double least = INFINITY;
  for (const Problem::Group& group : problem.groups)
    for (const Problem::Token& token : group.others) least = std::min(least, dot(token.difference, w));
  return least;
}

}  // namespace

TEST_CASE("minimisers found by brute force are as near to the direction as claimed") {
  int held = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Problem problem = random_problem(seed);
    const Folder folder;
    folder.write("i.json", problem.text);
    const Plane u = best_point(1, [&](const Plane& w) { return least_margin(problem, w); });
    const bool separable = std::isfinite(least_margin(problem, {0, 0})) && least_margin(problem, u) > 1e-9;
    for (const std::string loss : {"logistic", "exponential", "correlation"}) {
      CAPTURE(seed);
      CAPTURE(loss);
      const Outcome outcome = folder.attest("path i.json --json --loss " + loss + " --residual -o p.cert");
      REQUIRE(outcome.exit == 0);
      const json answer = json::parse(outcome.out);
      CHECK((answer["verdict"] == "holds") == separable);
      CHECK(folder.check("i.json p.cert").exit == (answer["vacuous"] == true ? 3 : 0));
      if (!separable) continue;
      ++held;
      const double from = ends(answer["from_radius"]).second, rate = ends(answer["rate_constant"]).second;
      for (const double radius : {from, 1.2 * from, 2 * from, 5 * from, 12 * from}) {
        CAPTURE(radius);
        const Plane w =
            best_point(radius, [&](const Plane& x) { return -std::log(excess(problem, loss, x)); });
        CHECK(1 - dot(u, w) / radius <= rate / radius + 1e-6);
      }
      // Not much is given away: the bound says something from a few times the first radius on.
      CHECK(rate <= 3 * from);
    }
  }
  CHECK(held > 30);
}

TEST_CASE("the sample's path: JSON keys, claims, certificate") {
  const Folder folder;
  const std::string digits = std::string(samples) + "/digits01.npz";
  const Outcome outcome = folder.attest("path " + digits + " --json -o p.cert");
  REQUIRE(outcome.exit == 0);
  CHECK(outcome.err.empty());
  const json answer = json::parse(outcome.out);
  for (const char* key : {"verdict", "norm", "loss", "selection", "from_radius", "rate_constant",
                          "norm_value", "vacuous", "claims", "certificate", "statistics"}) {
    CHECK_MESSAGE(answer.contains(key), key);
  }
  CHECK(answer["verdict"] == "holds");
  CHECK(answer["norm"] == "euclidean");
  CHECK(answer["loss"] == "logistic");
  CHECK(answer["claims"].back()["kind"] == "regularisation-path");
  for (const char* key : {"from_radius", "rate_constant"}) {
    const auto [lo, hi] = ends(answer[key]);
    CHECK(0 < lo);
    CHECK(lo <= hi);
    CHECK(hi <= lo * 1.000001);
  }
  const Outcome checked = folder.check(digits + " p.cert --require regularisation-path");
  CHECK(checked.exit == 0);
  CHECK(checked.out.find(" regularisation-path problem 1 from 1 from-radius ") != std::string::npos);
  // gzip, and the same bytes again
  REQUIRE(folder.attest("path " + digits + " -o p.cert.gz").exit == 0);
  CHECK(folder.check(digits + " p.cert.gz").exit == 0);
  const std::string before = folder.read("p.cert");
  CHECK(folder.attest("path " + digits + " --residual -o p.cert").last_line() == "s HOLDS");
  CHECK(folder.read("p.cert") == before);
}

TEST_CASE("where nothing is bounded: the reason and a way on") {
  const Folder folder;
  const auto answer_to = [&](const std::string& text, const std::string& options = {}) {
    folder.write("i.json", text);
    const Outcome outcome = folder.attest("path i.json --json -o r.cert" + options);
    CHECK(outcome.exit == 0);
    json answer = json::parse(outcome.out);
    CHECK(answer["verdict"] == "fails");
    CHECK(answer["from_radius"].is_null());
    CHECK(folder.attest("path i.json" + options).last_line() == "s FAILS");
    return answer;
  };
  const json tie = answer_to(tied_text);
  CHECK(tie["tie"] == json::array({0, json::array({0, 1})}));
  CHECK(tie["reason"].get<std::string>().find("tokens 0 and 1 of sequence 0") != std::string::npos);
  CHECK(!tie["way_on"].get<std::string>().empty());
  CHECK(folder.read("r.cert").find(" score-tie ") != std::string::npos);
  const json infeasible = answer_to(infeasible_text);
  CHECK(infeasible["reason"].get<std::string>().rfind("infeasible", 0) == 0);
  CHECK(!infeasible["way_on"].get<std::string>().empty());
  CHECK(folder.read("r.cert").find(" infeasible ") != std::string::npos);
  const json vacuous = answer_to(vacuous_text);
  CHECK(vacuous["vacuous"] == true);
  CHECK(vacuous["reason"].get<std::string>().rfind("vacuous", 0) == 0);
}

TEST_CASE("limits, outputs and wrong options") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  CHECK(folder.attest("path i.json --loss hinge").exit == 2);
  CHECK(folder.attest("path i.json -o i.json").exit == 2);
  folder.write("notes.txt", "mine");
  CHECK(folder.attest("path i.json -o notes.txt").exit == 2);
  CHECK(folder.read("notes.txt") == "mine");
  CHECK(folder.attest("path i.json -o notes.txt --force").exit == 0);
  CHECK(folder.attest("path missing.json").exit == 2);
  CHECK(folder.attest("path i.json --memory-limit 100").exit == 5);
  // alpha does not change where the path goes
  std::string other = run_cross_text;
  other.insert(1, R"("alpha":[1,0,2],)");
  folder.write("other.json", other);
  CHECK(json::parse(folder.attest("path other.json --json").out)["selection"] ==
        json::parse(folder.attest("path i.json --json").out)["selection"]);
}

namespace {

// A head of several outputs over tokens in the plane; the first token of each group is selected.
struct LayeredGroup {
  double query;
  std::vector<Plane> tokens;
};
const std::vector<LayeredGroup> layered_groups{{1, {{0, 0}, {-1, -1}, {-2, 1}}}, {0.5, {{2, 0}, {1, 0.25}}}};
const std::string layered_data = R"("X":[[[0,0],[-1,-1],[-2,1]],[[2,0],[1,"1/4"]]],"z":[[1],["1/2"]])";
constexpr std::array<Plane, 2> layer{Plane{1, 0.125}, {-1, 0}};

// Of the first token's loss, relatively accurate where it is tiny. The classifier has a third class with
// output 0, which is none's; units have inputs + 1 and - 1/2, the second counts against the first.
double layered_excess(bool classifier, const Plane& w) {
  double sum = 0;
  for (const LayeredGroup& group : layered_groups) {
    std::vector<double> logit;
    for (const Plane& x : group.tokens) logit.push_back(group.query * dot(x, w));
    const double most = *std::max_element(logit.begin(), logit.end());
    double total = 0;
    for (double& s : logit) total += s = std::exp(s - most);
    const auto moved = [&](std::size_t u) {
      double by = 0;
      for (std::size_t t = 1; t < logit.size(); ++t)
        by += logit[t] / total * (dot(layer[u], group.tokens[t]) - dot(layer[u], group.tokens[0]));
      return by;
    };
    const double first = dot(layer[0], group.tokens[0]), second = dot(layer[1], group.tokens[0]);
    if (classifier) {  // class 0 of outputs first, 0, second
      const double none = std::exp(-first), other = std::exp(second - first);
      sum += std::log1p((none * std::expm1(-moved(0)) + other * std::expm1(moved(1) - moved(0))) /
                        (1 + none + other));
      continue;
    }
    // The first unit is active at the selected tokens, the second is not.
    const double lost = first + 1 - std::max(0.0, first + 1 + moved(0)),
                 exact = first + 1 + moved(0) > 0 ? -moved(0) : lost;
    const double deficit = exact + std::max(0.0, second - 0.5 + moved(1));
    sum += std::log1p(std::expm1(deficit) / (1 + std::exp(first + 1)));
  }
  return sum;
}

}  // namespace

TEST_CASE("heads of several outputs: minimisers found by brute force are as near as claimed") {
  const Folder folder;
  folder.write("classes.json",
               "{" + layered_data + R"(,"head":"classifier","y":[0,0],"U":[[1,"1/8"],[0,0],[-1,0]]})");
  folder.write("units.json", "{" + layered_data + R"(,"head":"relu","Y":[1,1],"A":[[1,"1/8"],[-1,0]],)" +
                                 R"("bias":[1,"-1/2"],"r":[1,-1]})");
  const Plane u = best_point(1, [](const Plane& w) {
    double least = INFINITY;
    for (const LayeredGroup& group : layered_groups) {
      for (std::size_t t = 1; t < group.tokens.size(); ++t)
        least = std::min(least, group.query * (dot(group.tokens[0], w) - dot(group.tokens[t], w)));
    }
    return least;
  });
  for (const bool classifier : {true, false}) {
    CAPTURE(classifier);
    const std::string name = classifier ? "classes.json" : "units.json";
    const json answer = json::parse(folder.attest("path " + name + " --json -o h.cert").out);
    REQUIRE(answer["verdict"] == "holds");
    CHECK(answer["selection"] == json::array({0, 0}));
    CHECK(folder.check(name + " h.cert --require regularisation-path").exit == 0);
    const double from = ends(answer["from_radius"]).second, rate = ends(answer["rate_constant"]).second;
    for (const double radius : {from, 1.2 * from, 2 * from, 5 * from}) {
      CAPTURE(radius);
      const Plane w =
          best_point(radius, [&](const Plane& x) { return -std::log(layered_excess(classifier, x)); });
      CHECK(1 - dot(u, w) / radius <= rate / radius + 1e-6);
    }
    CHECK(rate <= 3 * from);
    for (const char* norm : {"nuc", "l3"})
      CHECK(json::parse(folder.attest("path " + name + " --json --norm " + norm).out)["verdict"] == "holds");
    for (const json& row : json::parse(folder.attest("verify " + name + " --json --no-runs").out)) {
      if (row["id"] == "B.T2" || row["id"] == "B.T9" || row["id"] == "D.rp") CHECK(row["verdict"] == "holds");
    }
  }
}

TEST_CASE("heads of several outputs: tokens that may be better together end the path with them") {
  const Folder folder;
  // Between classes 0 and 1 on both sides of the right one: the mean of both tokens has the least loss.
  folder.write("mixed.json",
               R"({"X":[[[1,0],[-1,1]]],"z":[[1]],"head":"classifier","y":[1],"U":[[3,0],[0,1],[-3,0]]})");
  const json mixed = json::parse(folder.attest("path mixed.json --json").out);
  CHECK(mixed["verdict"] == "fails");
  CHECK(mixed["reason"].get<std::string>().rfind("rival: ", 0) == 0);
  CHECK(mixed["rival"][0] == 0);
  // Two equal units of opposite signs: a quarter of one, but each is bounded alone.
  folder.write("open.json", R"({"X":[[[2],[1]]],"z":[[1]],"head":"relu","Y":[1],"A":[[9],[9]],)"
                            R"("bias":[-17,-17],"r":[1,"-3/4"]})");
  const Outcome open = folder.attest("path open.json --json");
  CHECK(open.exit == 30);
  CHECK(json::parse(open.out)["verdict"] == "undecided");
  CHECK(json::parse(open.out)["reason"].get<std::string>().find("tokens 0 and 1 of sequence 0") !=
        std::string::npos);
}
