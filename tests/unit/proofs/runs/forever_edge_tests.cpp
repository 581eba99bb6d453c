// The sharpest claims about all later steps that are accepted: for every constant of every theorem, on
// instances in which every term counts, the value at which the answer turns. A weaker check would turn
// elsewhere.
//
// The numbers (forever_edges.inc) were printed by this test itself with ATTEST_PRINT_EDGES=1. That they are
// not too sharp does not rest on it: with ATTEST_EDGE_FOLDER naming a folder it writes the claims 2^-24
// beyond each, and the verified checker accepts them all but for those with repeated tokens, of which it
// knows nothing yet.
#include <utility>

#include "tests/unit/proofs/runs/edges.hpp"

using namespace checker_tests;
using attest_check::fraction;
using attest_check::Integer;
using attest_check::scale_by_power_of_two;

namespace {

constexpr Edge known[] = {
#include "tests/unit/proofs/runs/forever_edges.inc"
};

// Delta_1 = (1, 1) and Delta_2 = (2, -1) are tight at W* = (2, 1)/3; a second group has other scores, two
// slack constraints and twice the query; a third has one token.
const std::string best_everywhere =
    R"({"X": [[[0, 0], [-1, -1], [-2, 1]], [[1, 0], [0.5, -1], [0, -0.25]], [[3, 3]]], "Y": [1, 1, 1],
        "v": [1, 0], "z": [[1], [2], [1]]})";
// With a better token far along u in the second group, and one of little gap in the first.
const std::string better_elsewhere =
    R"({"X": [[[0, 0], [-1, -1], [-2, 1], [-0.125, -5]], [[1, 0], [0.5, -1], [0, -0.25], [1.5, -4]], [[3, 3]]],
        "Y": [1, 1, 1],
        "v": [1, 0], "z": [[1], [2], [1]]})";

// With a better token in the group of the support, that far along u.
std::string better_in_support(const std::string& token) {
  std::string text = best_everywhere;
  const std::string before = "[-2, 1]";
  return text.insert(text.find(before) + before.size(), ", " + token);
}

// With the last two tokens of the first group, and the second of the second, once more.
std::string repeated(std::string text) {
  const auto behind = [&](const std::string& group, const std::string& more) {
    const std::size_t at = text.find(group);
    if (at == std::string::npos) throw std::logic_error("no tokens " + group);
    text.insert(text.find("]]", at) + 1, more);
  };
  behind("[[0, 0], [-1, -1]", ", [-1, -1], [-2, 1], [-2, 1]");
  behind("[[1, 0], [0.5, -1]", ", [0.5, -1]");
  return text;
}

Lines claim(const std::string& loss, const std::string& theorem, const std::string& dominates,
            const std::string& optimizer, const std::string& start) {
  return problem("3 0 0 0", loss) + Lines{"claim 1 optimal problem 1 norm-squared 5/9",
                                          "vector multipliers 2 over 9",
                                          "0 1 4",
                                          "0 2 1",
                                          "claim 2 forever-from-point problem 1 from 1 theorem " + theorem +
                                              " dominates-from " + dominates,
                                          "optimizer " + optimizer,
                                          "start 2 " + start};
}

std::string conclusion(const std::string& path, const std::string& excess, const std::string& growth) {
  return "path " + path + " excess " + excess + " centre 10 height 1 growth " + growth;
}

// The fields of the conclusion; where the theorem proves more than this evidence gives, `accepted` is
// generous.
std::vector<Field> concluding(const char* first, double generous, const char* growth) {
  return {{"path", first, generous, 0},
          {"path", "centre", 10, 0},
          {"path", "height", 1, 100},
          {"path", growth, 0, 100}};
}

std::vector<Field> both(std::vector<Field> a, const std::vector<Field>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const std::string start = "7 1*2^2", later = "33*2^1 35", between = "13*2^1 7*2^1";
const Lines ranges = {"ranges 2", "group 0 output 1*2^-2 attention 1*2^-4",
                      "group 1 output 1*2^-2 attention 1*2^-3"};
const std::vector<Field> ranged = {{"group 0", "output", 0.25, 0},
                                   {"group 0", "attention", 0.0625, 0},
                                   {"group 1", "output", 0.25, 0},
                                   {"group 1", "attention", 0.125, 0}};

// T10 and T14 in its region: a loss, all rules.
void add_absorbing(std::vector<Base>& all, const std::string& loss) {
  const std::vector<Field> step = {{"step-bound", "step-bound", 0.5, 0}};
  all.push_back({"absorbing ngd " + loss, best_everywhere,
                 claim(loss, "absorbing", "0", "ngd schedule invsqrt step 1*2^-1", start) +
                     Lines{"step-bound 1*2^-1"} + ranges + Lines{conclusion("1*2^3", "0", "linear 1*2^-64")},
                 both(concluding("path", 8, "linear"), ranged)});
  all.push_back({"absorbing gd " + loss, best_everywhere,
                 claim(loss, "absorbing", "0", "gd schedule constant step 1*2^-1", start) +
                     Lines{"step-bound 1*2^-1"} + ranges +
                     Lines{conclusion("1*2^3", "0", "logarithmic 1*2^-64")},
                 both(both(concluding("path", 8, "logarithmic"), step), ranged)});
  all.push_back({"absorbing polyak " + loss, best_everywhere,
                 claim(loss, "absorbing", "0", "polyak schedule constant step 1*2^-1", start) +
                     Lines{"step-bound 1*2^-1"} + ranges + Lines{conclusion("1*2^3", "0", "linear 1*2^-64")},
                 both(concluding("path", 8, "linear"), ranged)});
  const Lines spanned = {"region absorbing path 1*2^3", "lambda-min 1 bits 64", "step-bound 3*2^-2"};
  const std::vector<Field> span = {
      {"region", "path", 8, 0}, {"lambda-min", "lambda-min", 1, 2}, {"step-bound", "step-bound", 0.75, 0}};
  for (const auto& [rule, growth] :
       {std::pair("ngd", "linear"), std::pair("gd", "logarithmic"), std::pair("polyak", "linear")}) {
    all.push_back({std::string("residual ") + rule + " " + loss, best_everywhere,
                   claim(loss, "residual", "0", std::string(rule) + " schedule constant step 1*2^-1", start) +
                       spanned + ranges + Lines{conclusion("0", "1*2^21", std::string(growth) + " 1*2^-64")},
                   both(both(concluding("excess", 2097152, growth), span), ranged)});
  }
}

// T12 and T12n.
void add_lock_in(std::vector<Base>& all, const std::string& loss) {
  const Lines floors = {"ranges 2", "group 0 floor -1*2^-2", "group 1 floor 3*2^-2"};
  const std::vector<Field> floored = {{"group 0", "floor", -0.25, 0}, {"group 1", "floor", 0.75, 1}};
  all.push_back({"lock-in gd " + loss, best_everywhere,
                 claim(loss, "lock-in", "0", "gd schedule invsqrt step 1*2^-3", start) + floors +
                     Lines{conclusion("5*2^2", "5*2^2", "logarithmic 1*2^-64")},
                 both(both(concluding("path", 20, "logarithmic"), floored),
                      {{"path", "excess", 20, 0}, {"optimizer", "step", 0.125, 60}})});
  all.push_back({"lock-in ngd " + loss, best_everywhere,
                 claim(loss, "lock-in", "0", "ngd schedule constant step 1*2^-4", start) + floors +
                     Lines{conclusion("5*2^2", "0", "linear 1*2^-64")},
                 both(both(concluding("path", 20, "linear"), floored), {{"optimizer", "step", 0.0625, 60}})});
}

// T11 and T15 with constraints of both kinds outside P.
void add_local(std::vector<Base>& all, const std::string& loss) {
  const Lines outside = {"outside 1", "0 3", "ranges 2", "group 0 attention 1*2^-6",
                         "group 1 attention 1*2^-4"};
  const std::vector<Field> attended = {{"group 0", "attention", 0.015625, 0},
                                       {"group 1", "attention", 0.0625, 0}};
  for (const auto& [rule, growth] : {std::pair("ngd", "linear"), std::pair("gd", "logarithmic")}) {
    const std::string optimizer = std::string(rule) + " schedule invsqrt step 1*2^-2";
    const Lines local = {"step-bound 1*2^-2 ratio 1*2^-10 extra 1*2^-4 theta 1"};
    const std::vector<Field> wide = {{"step-bound", "step-bound", 0.25, 0},
                                     {"step-bound", "ratio", std::ldexp(1.0, -10), 0},
                                     {"step-bound", "extra", 0.0625, 0}};
    all.push_back({std::string("local ") + rule + " " + loss, better_elsewhere,
                   claim(loss, "local", "0", optimizer, later) + local + outside +
                       Lines{conclusion("7", "0", std::string(growth) + " 1*2^-64")},
                   both(both(concluding("path", 7, growth), wide), attended)});
    all.push_back({std::string("residual local ") + rule + " " + loss, better_elsewhere,
                   claim(loss, "residual", "0", optimizer, later) +
                       Lines{"region local path 7", "lambda-min 1 bits 64"} + local + outside +
                       Lines{conclusion("0", "1*2^21", std::string(growth) + " 1*2^-64")},
                   both(both(concluding("excess", 2097152, growth),
                             {{"region", "path", 7, 0}, {"lambda-min", "lambda-min", 1, 2}}),
                        attended)});
    all.push_back({std::string("bounded ") + rule + " " + loss, better_elsewhere,
                   claim(loss, "bounded", "0", optimizer, between) +
                       Lines{"step-bound 1*2^-1 ratio 1*2^-4 reach 9*2^-1", "lambda-min 1 bits 64",
                             "vector pull 2 over 64", "0 1 50", "0 2 -53"} +
                       outside + Lines{conclusion("0", "1*2^21", std::string(growth) + " 1*2^-64")},
                   both(both(concluding("excess", 2097152, growth), attended),
                        {{"step-bound", "step-bound", 0.5, 0},
                         {"step-bound 1*2^-1", "step-bound", 0.5, 100},
                         {"step-bound", "ratio", 0.0625, 0},
                         {"step-bound", "reach", 4.5, 0},
                         {"lambda-min", "lambda-min", 1, 2}})});
  }
}

// Nearer, where what the attention is off by counts; and a last group that is not the widest.
Base near_base() {
  return {"bounded ngd near",
          best_everywhere,
          claim("logistic", "bounded", "0", "ngd schedule invsqrt step 1*2^-2", "9 5") +
              Lines{"step-bound 1*2^-1 ratio 0 reach 1*2^2", "lambda-min 1 bits 64", "vector pull 2 over 64",
                    "0 1 37", "0 2 -40", "outside 0", "ranges 2", "group 0 attention 1*2^-4",
                    "group 1 attention 1*2^-2", conclusion("0", "1*2^21", "linear 1*2^-64")},
          {{"path", "excess", 2097152, 0}}};
}

// Tokens that stand there several times count as often.
void add_repeated(std::vector<Base>& all) {
  for (const char* name : {"absorbing gd logistic", "residual ngd exponential", "lock-in gd logistic",
                           "bounded ngd logistic", "bounded gd exponential"}) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Base& base) { return base.name == name; });
    Base base = *found;
    base.name += " repeated";
    base.instance = repeated(base.instance);
    std::erase_if(base.fields, [](const Field& field) {
      return std::string(field.word) == "centre" || std::string(field.word) == "height";
    });
    all.push_back(std::move(base));
  }
}

// A better token in the group of the support: the head's slope is less there, and the widest gap is its.
void add_better(std::vector<Base>& all) {
  all.push_back({"local gd better",
                 better_in_support("[0.5, -10]"),
                 claim("logistic", "local", "0", "gd schedule invsqrt step 1*2^-2", later) +
                     Lines{"step-bound 1*2^-2 ratio 1*2^-10 extra 1*2^-4 theta 1", "outside 0", "ranges 2",
                           "group 0 attention 1*2^-6", "group 1 attention 1*2^-4",
                           conclusion("7", "0", "logarithmic 1*2^-64")},
                 {{"path", "path", 7, 0}, {"path", "logarithmic", 0, 100}}});
  all.push_back(
      {"bounded ngd better",
       better_in_support("[2.5, -20]"),
       claim("logistic", "bounded", "0", "ngd schedule invsqrt step 1*2^-2", later) +
           Lines{"step-bound 1*2^-1 ratio 1*2^-8 reach 9", "lambda-min 1 bits 64", "vector pull 2 over 64",
                 "0 1 37", "0 2 -40", "outside 0", "ranges 2", "group 0 attention 1*2^-4",
                 "group 1 attention 1*2^-4", conclusion("0", "1*2^21", "linear 1*2^-64")},
       {{"path", "excess", 2097152, 0}, {"group 0", "attention", 0.0625, 0.5}}});
  std::string shorter = best_everywhere;
  shorter.replace(shorter.find("[2], [1]]"), 3, "[1.75]");
  all.push_back({"lock-in ngd shorter",
                 shorter,
                 claim("correlation", "lock-in", "0", "ngd schedule constant step 1*2^-4", start) +
                     Lines{"ranges 2", "group 0 floor -1*2^-2", "group 1 floor 3*2^-2",
                           conclusion("5*2^2", "0", "linear 1*2^-64")},
                 {{"optimizer", "step", 0.0625, 60}}});
  // One constraint alone in the support: its multiplier is more than a half.
  all.push_back({"residual ngd single",
                 one_constraint,
                 problem("1 0", "correlation") +
                     Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1",
                           "claim 2 forever-from-point problem 1 from 1 theorem residual dominates-from none",
                           "optimizer ngd schedule constant step 1*2^-3", "start 1 5",
                           "region absorbing path 1*2^-3", "lambda-min 1*2^-1 bits 64", "step-bound 1*2^-3",
                           "ranges 1", "group 0 output 1*2^-6 attention 1*2^-6",
                           "path 0 excess 1*2^10 centre 0 height 5 growth linear 1"},
                 {{"path", "excess", 1024, 0}, {"lambda-min", "lambda-min", 0.5, 2}}});
}

std::vector<Base> bases() {
  std::vector<Base> all;
  for (const char* loss : {"logistic", "exponential", "correlation"}) {
    add_absorbing(all, loss);
    add_lock_in(all, loss);
    add_local(all, loss);
  }
  all.push_back(near_base());
  add_repeated(all);
  add_better(all);
  return all;
}

}  // namespace

TEST_CASE("every constant of the theorems turns where it is known to") {
  check_edges(bases(), known);
}

namespace {

// The answer with these lines in place of others; and the claim itself holds.
int with(const Base& base, const std::vector<std::pair<std::string, std::string>>& lines) {
  Lines body = base.body;
  for (const auto& [from, to] : lines) {
    const auto found = std::find_if(body.begin(), body.end(), [&, start = from](const std::string& line) {
      return line.starts_with(start);
    });
    REQUIRE(found != body.end());
    *found = to;
  }
  return check_body(base.instance, body).status;
}

Base base_of(const std::string& name) {
  for (Base& base : bases()) {
    if (base.name == name) return base;
  }
  throw std::logic_error("no base " + name);
}

}  // namespace

namespace {

// The multiple of 2^-bits at or below the root of x.
Rational root_below(const Rational& x, unsigned long bits) {
  const Integer square = (x.get_num() << (2 * bits)) / x.get_den();
  return fraction(sqrt(square), Integer(1) << bits);
}

}  // namespace

// The start (7, 4) has the height 18/sqrt 5 and the residual 1/sqrt 5.
TEST_CASE("a centre or a height a hair beyond the point's is refused") {
  const Base base = base_of("absorbing ngd logistic");
  const auto status = [&](const std::string& word, const Rational& value) {
    Lines body = base.body;
    body.back() = with_value(body.back(), word, value);
    return check_body(base.instance, body).status;
  };
  const Rational centre(1, 5), height(324, 5), clear = scale_by_power_of_two(1, -360);
  for (const unsigned long bits : {384UL, 390UL, 500UL}) {
    const Rational hair(1, Integer(1) << bits);
    CHECK(status("centre", root_below(centre, bits)) == 1);
    CHECK(status("height", root_below(height, bits) + hair) == 1);
  }
  CHECK(status("centre", root_below(centre, 500) + clear) == 0);
  CHECK(status("height", root_below(height, 500) - clear) == 0);
}

TEST_CASE("theorems that do not cover Polyak steps refuse them") {
  for (const char* theorem : {"lock-in", "local", "bounded"}) {
    CAPTURE(std::string(theorem));
    const Base base = base_of(std::string(theorem) + " ngd logistic");
    for (const char* schedule : {"constant", "invsqrt"}) {
      for (const char* step : {"1*2^-4", "1*2^-10"}) {
        const std::string rest = std::string(" schedule ") + schedule + " step " + step;
        CHECK(with(base, {{"optimizer", "optimizer ngd" + rest}}) == 0);
        CHECK(with(base, {{"optimizer", "optimizer polyak" + rest}}) == 1);
      }
    }
  }
}

TEST_CASE("a floor, or an attention range, as low as a gap off the support") {
  // The second group has nothing in the support; its least gap is 1/2, its best score 1.
  const Base lock_in = base_of("lock-in ngd logistic");
  CHECK(with(lock_in, {{"group 1", "group 1 floor 9*2^-4"}}) == 0);
  CHECK(with(lock_in, {{"group 1", "group 1 floor 1*2^-1"}}) == 1);
  CHECK(with(lock_in, {{"group 1", "group 1 floor 0"}}) == 1);
  // The last token of the first group has a gap of 1/8, the farthest one of 2.
  const Base local = base_of("local ngd logistic");
  const auto range = [&](const std::string& attention) {
    Lines body;
    for (const std::string& line : local.body) {
      if (line == "0 3") continue;
      body.push_back(line == "outside 1"           ? "outside 0"
                     : line.starts_with("group 0") ? "group 0 attention " + attention
                                                   : line);
    }
    return check_body(local.instance, body).status;
  };
  CHECK(range("1*2^-5") == 0);
  CHECK(range("1*2^-4") == 1);
  CHECK(range("1*2^-3") == 1);
}

TEST_CASE("lock-in counts every gap, those of slack tokens listed first too") {
  // W* = (1, 0) from the last two tokens; the first is far along it, with a small gap or none.
  const auto status = [](const std::string& first, const std::string& score, const std::string& floor) {
    return check_body(
               R"({"X": [[[0, 0], )" + first +
                   R"(, [-1, -0.25], [-1, 0.25]], [[3, 3]]], "Y": [1, 1], "v": [1, )" + score +
                   R"(], "z": [[1], [1]]})",
               problem("2 0 0", "logistic") +
                   Lines{"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 2 over 2", "0 2 1",
                         "0 3 1",
                         "claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from none",
                         "optimizer ngd schedule constant step 1*2^-10", "start 2 1*2^3 0", "ranges 1",
                         "group 0 floor " + floor,
                         "path 1*2^10 excess 0 centre 1 height 1 growth linear 1*2^-8"})
        .status;
  };
  CHECK(status("[-3, 3]", "0.875", "-1*2^-2") == 0);  // gap 3/8, the others' 39/32 and 25/32
  CHECK(status("[-3, 3]", "0.875", "-3*2^-3") == 1);
  CHECK(status("[-3, 3]", "0.875", "-1*2^-1") == 1);
  CHECK(status("[-3, 3]", "1", "-1*2^-2") == 1);
}

TEST_CASE("the centre of the bounded residual is in the span of the support") {
  const Base base = base_of("bounded ngd logistic");
  CHECK(with(base, {{"vector pull", "vector pull 2 over 64"}}) == 0);
  Lines body = base.body;
  const auto last = std::find(body.begin(), body.end(), "0 2 -53");
  REQUIRE(last != body.end());
  *std::find(body.begin(), body.end(), "vector pull 2 over 64") = "vector pull 3 over 64";
  body.insert(last + 1, "1 1 1");
  CHECK(check_body(base.instance, body).status == 1);
}
