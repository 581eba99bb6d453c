// Instances made by hand on which each row holds, fails or stays undecided, with values known in closed form.
#include <doctest/doctest.h>

#include "tests/unit/certify/catalogue/bridge.hpp"

using attest::Verdict;
using reference::Dataset;
using reference::Kind;

namespace {

// One sequence of self-attention, query token 0: x_0 = (1,0), x_1 = (0,1), scores v = (1, 0). W* = (x_0 -
// x_1) x_0'/2,
// ||W*||^2 = 1/2, the constraint is tight.
Dataset handmade() {
  Dataset data;
  data.X = {{{1, 0}, {0, 1}}};
  data.Y = {1};
  data.v = {1, 0};
  return data;
}

// Three tokens on a line, features 0, 1, 3, with scores 0, -1, -3.
Dataset line() {
  Dataset data;
  data.kind = Kind::cross;
  data.X = {{{0}, {1}, {3}}};
  data.Y = {-1};
  data.v = {1};
  data.z = {{1}};
  return data;
}

// Three tokens (position, score) seen by z = 1.
Dataset plane(const std::vector<int>& position, const std::vector<int>& scores) {
  Dataset data;
  data.kind = Kind::cross;
  data.X.emplace_back();
  for (std::size_t t = 0; t < position.size(); ++t) data.X[0].push_back({position[t], scores[t]});
  data.Y = {1};
  data.v = {0, 1};
  data.z = {{1}};
  return data;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const attest::Hypothesis& hypothesis(const attest::Row& row, const std::string& name) {
  for (const attest::Hypothesis& h : row.hypotheses) {
    if (h.name == name) return h;
  }
  FAIL("no hypothesis " << name);
  return row.hypotheses.front();
}

}  // namespace

TEST_CASE("two tokens: everything about them holds") {
  const auto rows = rows_of(handmade(), {0}, attest::Loss::logistic, 100000, 20);
  for (const char* id :
       {"A.svm", "B.A",  "B.T1", "B.L1", "B.L2",   "B.L4", "B.B1",     "B.B2",  "B.C",      "B.D",     "B.T3",
        "B.T4",  "B.T5", "B.T6", "B.T7", "B.Def3", "B.L5", "C.global", "C.ngd", "C.polyak", "C.sparse"}) {
    CAPTURE(id);
    CHECK(rows.at(id).verdict == Verdict::holds);
    CHECK(rows.at(id).reason.empty());
  }
  CHECK(says(rows.at("B.L1").conclusion, "rank W* = 1 exactly"));
  CHECK(says(rows.at("A.svm").conclusion, "0.70710678118"));
  // delta is infinite, A = sqrt(1/2), mu = (1/8) (1/2)^2 / (1/2) = 1/16.
  CHECK(says(rows.at("B.T7").conclusion, "delta = infinity"));
  CHECK(says(rows.at("B.T7").conclusion, "0.0625"));
}

TEST_CASE("the other selection of two tokens: feasible, not locally optimal") {
  const auto rows = rows_of(handmade(), {1});
  CHECK(rows.at("A.svm").verdict == Verdict::holds);
  CHECK(rows.at("B.T7").verdict == Verdict::fails);
  CHECK(says(rows.at("B.T7").reason, "(0, 0)"));
  CHECK(rows.at("B.Def3").verdict == Verdict::fails);
  CHECK(rows.at("B.L5").verdict == Verdict::holds);  // both sides of the equivalence are false
}

TEST_CASE("infeasible selections come with a Farkas witness") {
  const attest::Row between = rows_of(line(), {1}).at("A.svm");
  CHECK(between.verdict == Verdict::fails);
  CHECK(says(between.reason, "contradict"));
  // The same tokens under z = 1 and z = -1: no W wins both.
  Dataset opposed = line();
  opposed.X.push_back(opposed.X[0]);
  opposed.Y.push_back(-1);
  opposed.z.push_back({-1});
  const auto rows = rows_of(opposed, {0, 0});
  for (const char* id :
       {"A.svm", "B.T1", "B.L1", "B.L2", "B.B1", "B.T3", "B.T4", "B.T5", "B.T7", "B.Def3", "B.L5"}) {
    CAPTURE(id);
    CHECK(rows.at(id).verdict == Verdict::fails);
  }
}

TEST_CASE("B.B1 fails with the token that is not tight") {
  // alpha = 0: margins -w and -3w >= 1, so w = -1: token 1 tight, token 2 at margin 3.
  const auto rows = rows_of(line(), {0});
  CHECK(rows.at("B.B1").verdict == Verdict::fails);
  CHECK(says(rows.at("B.B1").reason, "(0, 2)"));
  CHECK(says(rows.at("B.B1").reason, "its margin is in 3"));
  CHECK(rows.at("B.B2").verdict == Verdict::fails);
  CHECK(rows.at("B.T3").verdict == Verdict::fails);
  CHECK(rows.at("B.T5").verdict == Verdict::undecided);
  CHECK(says(rows.at("B.T5").reason, "not-finite"));
  // delta = (3 - 1)/2 = 1, A = 3, mu = (1/8)(1/2/3)^2 = 1/288; R = 2 log(64 * 3 * 3 * 3 / 1) = 14.909...
  CHECK(says(rows.at("B.T7").conclusion, "delta in 1,"));
  CHECK(says(rows.at("B.T7").conclusion, "mu in 1/288"));
  CHECK(says(rows.at("B.T7").conclusion, "R in [14.909"));
}

TEST_CASE("the supremum of eps is exact") {
  // alpha = 0, token 1 low and tight, token 2 high: W* = (-1/2, 1/2)', margins 1 and 2, sup eps = (2 -
  // 1)/sqrt(1/2).
  const auto rows = rows_of(plane({0, 1, 5}, {1, 0, 2}), {0});
  CHECK(rows.at("B.Def3").verdict == Verdict::holds);
  CHECK(says(rows.at("B.Def3").conclusion, "value in 1 at sequence 0"));
  CHECK(says(rows.at("B.Def3").conclusion, "in [1.4142135623"));
  CHECK(rows.at("B.T7").verdict == Verdict::undecided);  // no runs here: its hypotheses hold
  CHECK(rows.at("B.L5").verdict == Verdict::holds);
  // Token 1 high and tight, token 2 low: W* = (-1/2, -1/2)', margins 1 and 2, sup eps = (1 - 2)/sqrt(1/2).
  const auto other = rows_of(plane({0, 1, 5}, {1, 2, 0}), {0});
  CHECK(other.at("B.Def3").verdict == Verdict::fails);
  CHECK(says(other.at("B.Def3").conclusion, "value in -1 at sequence 0"));
  CHECK(other.at("B.T7").verdict == Verdict::fails);
  CHECK(other.at("B.L5").verdict == Verdict::holds);
}

TEST_CASE("B.L5's equivalence needs a support token in every sequence") {
  // Two sequences with z = 1. Sequence 0 alone has W* = (-1/2, 1/2)', and its token 1 scores less. In
  // sequence 1 alpha = 0 is the worst token, but the other one has margin 2 at that W*: no support token
  // there. So alpha is locally optimal, yet sequence 1 has no low-score token and the cone is empty.
  Dataset data;
  data.kind = Kind::cross;
  data.X = {{{0, 1}, {1, 0}}, {{0, 0}, {5, 1}}};
  data.Y = {1, 1};
  data.v = {0, 1};
  data.z = {{1}, {1}};
  const auto rows = rows_of(data, {0, 0});
  CHECK(hypothesis(rows.at("B.T7"), "alpha locally optimal").verdict == Verdict::holds);
  CHECK(rows.at("B.Def3").verdict == Verdict::fails);
  CHECK(rows.at("B.L5").verdict == Verdict::fails);
  CHECK(says(rows.at("B.L5").reason, "sequence 1"));
}

TEST_CASE("ties and single tokens") {
  const auto tie = rows_of(plane({0, 1, 3}, {2, 2, 0}), {0});
  for (const char* id : {"B.L2", "B.B1", "B.B2", "B.C", "B.D", "B.T3", "B.T4", "B.T5", "B.T6"}) {
    CAPTURE(id);
    CHECK(tie.at(id).verdict == Verdict::fails);
    CHECK(says(tie.at(id).reason, "tokens 0 and 1 share the best score 2"));
  }
  Dataset single;
  single.X = {{{1, 0}}, {{0, 1}}};
  single.Y = {1, -1};
  single.v = {1, 1};
  const auto rows = rows_of(single, {0, 0});
  CHECK(rows.at("A.svm").verdict == Verdict::holds);
  CHECK(says(rows.at("A.svm").conclusion, "vacuous"));
  CHECK(rows.at("B.L1").verdict == Verdict::holds);
  for (const char* id : {"B.L2", "B.C", "B.T3", "B.T4", "B.T5", "B.T6", "B.T7", "B.Def3", "B.L5"}) {
    CAPTURE(id);
    CHECK(rows.at(id).verdict == Verdict::fails);
    CHECK(says(rows.at(id).reason, "no constraints"));
  }
}

TEST_CASE("dimensions too small for B.T1") {
  Dataset data;
  data.X = {{{0}, {1}}, {{0}, {1}}};
  data.X[0][0] = {2};
  data.X[1][0] = {3};
  data.Y = {1, 1};
  data.v = {1};
  const attest::Row row = rows_of(data, {0, 0}).at("B.T1");
  CHECK(row.verdict == Verdict::fails);
  CHECK(hypothesis(row, "d >= max(T - 1, n)").verdict == Verdict::fails);
  CHECK(says(row.conclusion, "is feasible on this instance"));
}

TEST_CASE("A.global for prompts: one sequence, equal scores, neither") {
  Dataset data;
  data.kind = Kind::prompt;
  data.X = {{{3}, {1}, {2}}};
  data.K = {{{0, 0}, {1, 0}, {0, 1}}};
  data.Y = {1};
  data.v = {1};
  const auto with_runs = [&](const reference::Choice& choice) {
    return rows_of(data, choice, attest::Loss::logistic, 0, 500).at("A.global");
  };
  CHECK(with_runs({0}).verdict == Verdict::holds);
  data.X.push_back({{3}, {1}, {2}});
  data.K.push_back({{0, 0}, {1, 0}, {0, 1}});
  data.Y.push_back(1);
  const attest::Row fails = rows_of(data, {0, 0}).at("A.global");
  CHECK(fails.verdict == Verdict::fails);
  CHECK(says(fails.reason, "tokens 1 and 2 differ by 1"));
  data.X[0][2] = {1};
  data.X[1][2] = {1};
  const attest::Row holds = with_runs({0, 0});
  CHECK(holds.verdict == Verdict::holds);
  CHECK(holds.mark == attest::Mark::recalled);
}

TEST_CASE("B.C: a tie of exactly 0 fails, for every loss") {
  // Both sequences have mean score 1, hence equal slopes, and C_0 = 1, C_1 = -1 cancel.
  Dataset data;
  data.kind = Kind::cross;
  data.X = {{{2}, {0}}, {{-2}, {0}}};
  data.Y = {1, -1};
  data.v = {1};
  data.z = {{1}, {1}};
  for (const attest::Loss loss :
       {attest::Loss::logistic, attest::Loss::exponential, attest::Loss::correlation}) {
    const attest::Row row = rows_of(data, {0, 0}, loss).at("B.C");
    CHECK(row.verdict == Verdict::fails);
    CHECK(says(row.reason, "grad L(0) z in 0"));
  }
}

TEST_CASE("losses are not evaluated at enormous scores: undecided, never a verdict") {
  Dataset data = handmade();
  data.v = {-mpq_class(mpz_class(1) << 30), 0};
  const auto rows = rows_of(data, {1}, attest::Loss::exponential);
  for (const char* id : {"B.A", "B.C", "B.L4", "B.T3", "B.T4", "B.T6", "B.T7"}) {
    CAPTURE(id);
    CHECK(rows.at(id).verdict == Verdict::undecided);
    CHECK(says(rows.at(id).reason, "precision"));
  }
  CHECK(rows_of(data, {1}, attest::Loss::correlation).at("B.C").verdict == Verdict::holds);
}

TEST_CASE("no time: rows about the solution are undecided with that reason") {
  const attest::Instance instance = instance_of(line());
  attest::CatalogueOptions options;
  options.margin.time_limit_seconds = 1e-9;
  options.margin.memory_limit_bytes = 1;
  attest::CatalogueContext context(instance, {0}, options);
  const attest::Row row = attest::check_row("A.svm", context);
  if (row.verdict == Verdict::undecided) {
    CHECK((says(row.reason, "time") || says(row.reason, "memory")));
  } else {
    CHECK(row.verdict == Verdict::holds);  // decided before the limits were looked at, still correct
  }
}
