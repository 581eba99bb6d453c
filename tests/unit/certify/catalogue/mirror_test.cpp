// Rows about mirror descent and about ranks and paths in other norms.
#include <doctest/doctest.h>

#include "tests/unit/certify/catalogue/bridge.hpp"

using attest::Loss;
using attest::Rational;
using attest::Verdict;
using reference::Dataset;
using reference::Kind;
using Rows = std::map<std::string, attest::Row>;

namespace {

// Two sequences, the first tokens best, whose solutions differ from norm to norm: Delta = (2, 1) and (1, 4).
Dataset skew() {
  Dataset data;
  data.kind = Kind::cross;
  data.X = {{{2, 1}, {0, 0}}, {{1, 4}, {0, 0}}};
  data.Y = {1, 1};
  data.v = {1, 1};
  data.z = {{1}, {1}};
  return data;
}

Rows rows_with(const Dataset& data, const attest::Selection& selection,
               const attest::CatalogueOptions& options) {
  const attest::Instance instance = instance_of(data);
  attest::CatalogueContext context(instance, selection, options);
  Rows rows;
  for (attest::Row& row : attest::check_catalogue(context)) rows.emplace(row.id, row);
  return rows;
}

bool mentions(const attest::Row& row, const std::string& part) {
  return row.conclusion.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every statement about mirror descent is decided where a run is short" *
          doctest::test_suite("long")) {
  for (const Rational& exponent : {Rational(7, 4), Rational(2), Rational(3)}) {
    attest::CatalogueOptions options;
    options.enumeration_budget = 0;
    options.potential = exponent;
    options.mirror_steps = 300;
    const Rows rows = rows_with(skew(), {0, 0}, options);
    for (const char* id : {"D.md", "D.svm", "D.local", "D.rate", "D.rp", "B.T2", "B.L1", "B.L3"}) {
      CAPTURE(id);
      CAPTURE(rows.at(id).reason);
      CHECK(rows.at(id).verdict == Verdict::holds);
      CHECK_FALSE(rows.at(id).conclusion.empty());
    }
    CHECK(mentions(rows.at("D.local"), "T17"));
    CHECK(mentions(rows.at("D.rate"), exponent == 7 / Rational(4) ? "log(t)^(-3/4)" : "1/log(t)"));
    CHECK(mentions(rows.at("D.cross"), "Bregman"));
    CHECK(rows.at("D.cross").verdict != Verdict::fails);
  }
}

TEST_CASE("a selection that is not locally optimal, no run, no separating matrix") {
  attest::CatalogueOptions options;
  options.enumeration_budget = 0;
  options.mirror_steps = 20;
  const Rows other = rows_with(skew(), {1, 1}, options);
  CHECK(other.at("D.svm").verdict == Verdict::holds);
  CHECK(other.at("D.local").verdict == Verdict::fails);
  CHECK(other.at("D.rate").verdict == Verdict::fails);
  options.mirror_steps = 0;
  const Rows still = rows_with(skew(), {0, 0}, options);
  CHECK(still.at("D.svm").verdict == Verdict::holds);
  for (const char* id : {"D.md", "D.local", "D.rate", "D.cross"}) {
    CHECK(still.at(id).verdict == Verdict::undecided);
    CHECK(still.at(id).reason.starts_with("budget"));
  }
  Dataset opposite = skew();
  opposite.X[1] = {{-2, -1}, {0, 0}};
  opposite.v = {-1, 5};
  const Rows none = rows_with(opposite, {0, 0}, options);
  for (const char* id : {"D.svm", "D.local", "D.rate", "B.L3"}) CHECK(none.at(id).verdict == Verdict::fails);
}

TEST_CASE("matrices of a smaller rank: both sides are said") {
  Dataset data;
  data.kind = Kind::cross;
  data.X = {{{1, 0}, {0, 0}}, {{0, 1}, {0, 0}}};
  data.Y = {1, 1};
  data.v = {1, 1};
  data.z = {{1, 0}, {0, 1}};
  attest::CatalogueOptions options;
  options.enumeration_budget = 0;
  options.rank = 1;  // the solution is the identity, of norm 2; so is a matrix of ones
  const attest::Row one = rows_with(data, {0, 0}, options).at("B.L3");
  CHECK(one.verdict == Verdict::undecided);
  CHECK(mentions(one, "rank <= 1"));
  options.rank = 2;
  CHECK(rows_with(data, {0, 0}, options).at("B.L3").verdict == Verdict::holds);
}
