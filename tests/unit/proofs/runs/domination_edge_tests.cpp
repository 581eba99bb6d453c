// When the selected tokens dominate for ever: the sharpest claims accepted, from points at which they do not
// dominate yet, or not at all margins that the theorem allows later; at positive steps of every schedule.
//
// Numbers as in forever_edge_tests.cpp (domination_edges.inc).
#include "tests/unit/proofs/runs/edges.hpp"

using namespace checker_tests;

namespace {

constexpr Edge domination_known[] = {
#include "tests/unit/proofs/runs/domination_edges.inc"
};

// Delta = (1, 1/4) and (1, -1/4), tight at W* = (1, 0), and (2, 1/2); a second group with one Delta = (6,
// 3/4) whose score gap is 2; a third with one token.
const std::string narrow_enough =
    R"({"X": [[[0, 0], [-1, -0.25], [-1, 0.25], [-2, -0.5]], [[0, 0], [-2, -0.25]], [[3, 3]]], "Y": [1, 1, 1],
        "v": [1, 0],
        "z": [[1], [3], [1]]})";

Lines solved() {
  return problem("3 0 0 0", "logistic") +
         Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 2 over 2", "0 1 1", "0 2 1"};
}

// From W_0 itself, or from checkpoint `at` of a run.
Lines claim(const std::string& theorem, const std::string& from, const std::string& optimizer,
            const std::string& start, int at) {
  const std::string about = " theorem " + theorem + " dominates-from " + from;
  if (at == 0)
    return solved() +
           Lines{"claim 2 forever-from-point problem 1 from 1" + about, "optimizer " + optimizer, start};
  const std::string step = std::to_string(at);
  return solved() +
         Lines{"claim 2 run problem 1 from 1 steps " + step,
               "optimizer " + optimizer + " fraction-bits 64",
               start,
               "checkpoints 1",
               "at " + step +
                   " norm -99 99 along -99 99 one-minus-corr -99 99 loss-gap -99 99 gradient -99 99 "
                   "unselected -99 99",
               "loss-decreases-until 0",
               "rates 0",
               "claim 3 forever-from-run problem 1 from 1 run 2 at " + step + about};
}

std::string domination_conclusion(const std::string& path, const std::string& excess,
                                  const std::string& growth) {
  return "path " + path + " excess " + excess + " centre 10 height 1*2^-1 growth " + growth;
}

// The support of `narrow_enough`, and a second group with one Delta = (2, 0, -6), whose score gap is 2^-29
// and which is listed outside: its margin is negative at the start, and rises.
const std::string rising =
    R"({"X": [[[0, 0, 0], [-1, -0.25, 0], [-1, 0.25, 0]], [[0, 0, 0], [-2, 0, 6]], [[3, 3, 3]]], "Y": [1, 1, 1],
        "v": [1, 0, "357913941/1073741824"], "z": [[1], [1], [1]]})";

Base bounded(const std::string& rule, const std::string& from, const char* law, const std::string& growth,
             double fastest) {
  return {"bounded " + rule,
          rising,
          claim("bounded", from, rule + " schedule constant step 1*2^-6", "start 3 6 0 9*2^-2", 0) +
              Lines{"step-bound 1*2^-6 ratio 1*2^-7 reach 3*2^-2", "lambda-min 1*2^-4 bits 64",
                    "vector pull 0 over 1", "outside 1", "1 1", "ranges 2", "group 0 attention 1*2^-3",
                    "group 1 attention 1023*2^-10",
                    domination_conclusion("0", "1*2^20", std::string(law) + " " + growth)},
          {{"path", law, fastest, 0}}};
}

std::vector<Base> dominated_bases() {
  std::vector<Base> all;
  const Lines floors = {"ranges 2", "group 0 floor -3*2^-2", "group 1 floor -3*2^-2"};
  const std::string start = "start 2 27*2^-5 1*2^-1";
  // The lower edge of the growth, and the upper edges of path and excess, are those of domination.
  struct Case {
    const char *rule, *schedule, *from, *path, *growth;
    double fastest;
  };
  for (const Case& one : {Case{"ngd", "constant", "200", "8", "linear 3*2^-2", 0.75},
                          Case{"ngd", "inverse", "999999999999999999", "7", "linear 15*2^-4", 0.9375},
                          Case{"ngd", "invsqrt", "20000", "8", "linear 3*2^-2", 0.75},
                          Case{"gd", "constant", "200000", "8", "logarithmic 1*2^-6", 0.015625},
                          Case{"gd", "invsqrt", "3000000000", "8", "logarithmic 1*2^-6", 0.015625}}) {
    for (const int at : {0, 7}) {
      const bool gd = std::string(one.rule) == "gd";
      const char* const growth = gd ? "logarithmic" : "linear";
      std::vector<Field> fields = {{"path", growth, one.fastest, 0},
                                   {"path", "path", static_cast<double>(one.path[0] - '0'), 4096}};
      if (gd) fields.push_back({"path", "excess", 0.25, 4096});
      const std::string optimizer = std::string(one.rule) + " schedule " + one.schedule + " step 1*2^-6";
      all.push_back({std::string("lock-in ") + one.rule + " " + one.schedule + " at " + std::to_string(at),
                     narrow_enough,
                     claim("lock-in", one.from, optimizer, start, at) + floors +
                         Lines{domination_conclusion(one.path, gd ? "1*2^-2" : "0", one.growth)},
                     fields});
    }
  }
  // From the point on: with a path so long that a later margin is below the one at the point.
  all.push_back({"lock-in ngd at once",
                 narrow_enough,
                 claim("lock-in", "0", "ngd schedule constant step 1*2^-6", "start 2 1 1*2^-1", 0) + floors +
                     Lines{domination_conclusion("8", "0", "linear 3*2^-2")},
                 {{"path", "path", 8, 4096}}});
  // The second group's other token three times, which is more than the first group's tokens together.
  Base thrice = all.front();
  thrice.name += " repeated";
  thrice.instance.replace(thrice.instance.find("[-2, -0.25]"), 11, "[-2, -0.25], [-2, -0.25], [-2, -0.25]");
  thrice.instance.replace(thrice.instance.find("[-1, 0.25]"), 10, "[-1, 0.25], [-1, 0.25]");
  all.push_back(std::move(thrice));
  all.push_back(bounded("ngd", "2000", "linear", "1*2^-3", 0.125));
  all.push_back(bounded("gd", "100000000", "logarithmic", "1*2^-6", 0.015625));
  return all;
}

}  // namespace

TEST_CASE("every constant that domination needs turns where it is known to") {
  check_edges(dominated_bases(), domination_known);
}

TEST_CASE("domination is not claimed of steps before the point") {
  for (const char* from : {"8", "7", "6", "0"}) {
    CAPTURE(from);
    const Lines body = claim("lock-in", from, "ngd schedule constant step 1*2^-6", "start 2 1 1*2^-1", 7) +
                       Lines{"ranges 2", "group 0 floor -3*2^-2", "group 1 floor -3*2^-2",
                             domination_conclusion("8", "0", "linear 3*2^-2")};
    CHECK(check_body(narrow_enough, body).status == (std::atoi(from) >= 7 ? 0 : 1));
  }
}

TEST_CASE("a floor that keeps exactly half of the attention does not keep more than half") {
  const auto status = [](const std::string& floor) {
    const Lines body = claim("lock-in", "0", "ngd schedule constant step 1*2^-6", "start 2 5*2^-2 0", 0) +
                       Lines{"ranges 2", "group 0 floor " + floor, "group 1 floor -3*2^-2",
                             domination_conclusion("1*2^7", "0", "linear 3*2^-2")};
    return check_body(narrow_enough, body).status;
  };
  CHECK(status("-1*2^-1") == 1);
  CHECK(status("-4095*2^-13") == 0);
}

// The second group of `rising` has a margin of -1500 or 1500 at the start, and offsets that nearly make up
// for it: what decides is their sum, neither of them.
TEST_CASE("offsets beyond e^1024 and margins that make up for them are added before they are compared") {
  const auto status = [](const std::string& offset, const std::string& last, const std::string& from) {
    std::string instance = rising;
    instance.insert(instance.size() - 1, R"(, "offsets": [[0, 0, 0], [)" + offset + ", 0], [0]]");
    return check_body(instance,
                      claim("bounded", from, "ngd schedule constant step 1*2^-6", "start 3 6 0 " + last, 0) +
                          Lines{"step-bound 1*2^-6 ratio 1*2^-7 reach 3*2^-2", "lambda-min 1*2^-4 bits 64",
                                "vector pull 0 over 1", "outside 1", "1 1", "ranges 2",
                                "group 0 attention 1*2^-3", "group 1 attention 1023*2^-10",
                                "path 0 excess 1*2^20 centre 1000 height 1*2^-1 growth linear 1*2^-3"})
        .status;
  };
  CHECK(status("1600", "252", "0") == 0);
  CHECK(status("1498.5", "252", "0") == 1);
  CHECK(status("1498.5", "252", "2000") == 0);
  CHECK(status("-1480", "-248", "0") == 0);
  CHECK(status("-1501.5", "-248", "0") == 1);
  CHECK(status("-1501.5", "-248", "2000") == 0);
}
