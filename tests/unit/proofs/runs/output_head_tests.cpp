// Heads of several outputs as the theorems about all later steps use them: ranges, gaps and limits against
// b_c at points of the region, written down from the definition in many digits.
#include <doctest/doctest.h>

#include "proofs/checker/problem/smoothness.hpp"
#include "proofs/checker/runs/head.hpp"
#include "tests/unit/proofs/runs/reference_iteration.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

struct Case {
  Case(const std::string& text, Loss loss, std::vector<std::size_t> selection)
      : instance(read_instance(TemporaryFile(text).path())), features(instance) {
    problem.features = &features;
    problem.loss = loss;
    problem.selection = std::move(selection);
  }
  const Instance instance;
  const Features features;
  Problem problem;
};

const Real tiny = pow(Real(10), -60);

// n b_c/s_alpha at this attention: slope (phibar - phi_t) of the definition.
std::vector<Real> factors(const ReferenceIteration& reference, std::size_t group,
                          const std::vector<Real>& share) {
  const ReferenceIteration::Head head = reference.head(group, share);
  Real mean;
  for (std::size_t t = 0; t < share.size(); ++t) mean += share[t] * head.score[t];
  std::vector<Real> result;
  for (const Real& score : head.score) result.push_back(head.slope * (mean - score));
  return result;
}

struct Counts {
  int ranges = 0, limits = 0, open = 0;
};

// L - L* = sum theta_c omega_c with theta from the least steadiness to 1/kept, all gaps being positive.
void check_theta(const Head& head, const Constraint& selected, const AttentionRange& range,
                 const std::vector<Real>& share, const std::vector<Real>& factor, const Real& more) {
  Real sum, least = 1;
  for (std::size_t t = 0; t < share.size(); ++t) {
    if (t == selected.token) continue;
    const WeightBounds bounds = head.bounds({selected.group, t}, range);
    if (!bounds.lower.positive()) return;
    least = std::min(least, real(bounds.steadiness.lower()));
    sum += share[t] * factor[t];
  }
  CHECK(least * sum <= more + tiny);
  CHECK(more <= sum / real(range.kept) + tiny);
}

// All groups of a case; `lost` is what the region leaves to other tokens.
void compare(const Case& of, const Rational& lost, std::mt19937& random, Counts& counts) {
  Specification specification;
  const ReferenceIteration reference(of.problem, specification);
  const auto head = make_head(of.problem, 128);
  const Real n = of.features.groups();
  for (std::size_t i = 0; i < of.features.groups(); ++i) {
    const std::size_t tokens = of.features.tokens_of(i), selected = of.problem.selection[i];
    std::vector<Real> vertex(tokens);
    vertex[selected] = 1;
    if (head->open_unit(i, 1 - lost)) {
      ++counts.open;
      continue;
    }
    const std::vector<Real> limit = factors(reference, i, vertex);
    const ReferenceIteration::Head at_vertex = reference.head(i, vertex);
    Rational above, below, widest;
    for (std::size_t t = 0; t < tokens; ++t) {
      if (t == selected) continue;
      const Rational gap = head->gap({i, t});
      above = std::max(above, gap);
      below = std::max(below, Rational(-gap));
      widest = std::max(widest, Rational(abs(gap)));
      // Of units the gap leaves out the slope.
      const Real exact = head->bounded_by_attention() ? limit[t] : Real(limit[t] / at_vertex.slope);
      CHECK(real(gap) <= exact + tiny);
      CHECK(real(gap) > exact - pow(Real(2), -80) * (1 + abs(exact)));
      CHECK(sgn(gap) == of.problem.gap_sign({i, t}));
      CHECK(abs(real(head->limit({i, t}).upper()) - limit[t] / n) < pow(Real(2), -80) * (1 + abs(limit[t])));
    }
    const AttentionRange range{1 - lost, lost * above, lost * below};
    for (int round = 0; round < 12; ++round) {
      // A point of the region, in its corners now and then.
      std::vector<Real> share(tokens);
      Real total, rest = real(lost) * (round % 3 == 0 ? Real(1) : Real(random() % 1000) / 1000);
      const std::size_t only = random() % tokens;
      for (std::size_t t = 0; t < tokens; ++t) {
        if (t != selected)
          total += share[t] = round % 2 == 0 && t != only ? Real(0) : Real(1 + random() % 50);
      }
      if (total == 0) rest = 0;
      for (Real& s : share) s = total == 0 ? Real(0) : Real(s * rest / total);
      share[selected] = 1 - rest;
      const std::vector<Real> factor = factors(reference, i, share);
      for (std::size_t t = 0; t < tokens; ++t) {
        if (t == selected) continue;
        const Constraint c{i, t};
        const Real b = share[selected] * factor[t] / n;
        CHECK(abs(b) <= real(head->most_magnitude(c, range).upper()) + tiny);
        const Rational gap = head->gap(c);
        if (gap <= 0 || (!head->bounded_by_attention() && gap <= range.down)) continue;
        const WeightBounds bounds = head->bounds(c, range);
        if (!bounds.lower.positive()) continue;
        ++counts.ranges;
        CHECK(real(bounds.lower.lower()) <= b + tiny);
        CHECK(b <= real(bounds.upper.upper()) + tiny);
        if (!head->settled(c, lost, widest)) continue;
        ++counts.limits;
        const Real odds = rest / share[selected];
        CHECK(abs(log(b / (limit[t] / n))) <= real(head->limit_rate(i, widest, gap).upper()) * odds + tiny);
      }
      // What the selected token's loss is exceeded by, where all gaps are positive.
      if (of.problem.loss != Loss::classifier || below > 0 || above == 0) continue;
      Rational least = above;
      for (std::size_t t = 0; t < tokens; ++t) {
        if (t != selected) least = std::min(least, head->gap({i, t}));
      }
      const Real more = reference.head(i, share).loss - at_vertex.loss;
      if (least > 0) CHECK(rest * real(least) <= more + tiny);
      check_theta(*head, {i, selected}, range, share, factor, more);
    }
  }
}

}  // namespace

TEST_CASE("ranges, gaps and limits of heads of several outputs contain what they bound" *
          doctest::test_suite("long")) {
  std::mt19937 random(7);
  Counts classifier, units;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const std::string base = random_instance(seed, seed % 2 == 0);
    for (const Rational& lost : {Rational(0), Rational(1, 1000), Rational(1, 30), Rational(1, 4)}) {
      compare(
          {with_outputs(base, true, seed, 2 + seed % 5), Loss::classifier, {seed % 3, 0, seed % 4, seed % 2}},
          lost, random, classifier);
      compare({with_outputs(base, false, seed, 1 + seed % 4),
               std::array{Loss::relu_logistic, Loss::relu_exponential, Loss::relu_correlation}[seed % 3],
               {seed % 3, 0, seed % 4, seed % 2}},
              lost, random, units);
    }
  }
  CHECK(classifier.ranges > 1000);
  CHECK(classifier.limits > 200);
  CHECK(units.ranges > 1000);
  CHECK(units.limits > 200);
  CHECK(units.open > 10);
}

TEST_CASE("a classifier's gap that cancels is 0") {
  const Case of({R"({"X": [[[1, 0], [0, 1]]], "head": "classifier", "y": [0], "U": [[0, 0], [1, 1]],
                     "z": [[1]]})"},
                Loss::classifier, {0});
  CHECK(make_head(of.problem, 128)->gap({0, 1}) == 0);
}

// One output c besides the own class's: at the selected token 0, so p = 1/2, and c = x elsewhere.
TEST_CASE("what T15 and T12n ask of a classifier, and its rate, at their edges") {
  const auto with_tokens = [](const std::string& others) {
    return Case(
        R"({"X": [[[0], )" + others + R"(]], "head": "classifier", "y": [0], "U": [[0], [1]], "z": [[1]]})",
        Loss::classifier, {0});
  };
  const auto settled = [](const Case& of, const Rational& lost) {
    return make_head(of.problem, 128)->settled({0, 1}, lost, 1000);
  };
  // W = 1 and A = gap = 1/2: sway is 2.6 gap.
  const Case one = with_tokens(R"([1], ["1/2"])");
  CHECK(settled(one, Rational(19, 100)));
  CHECK(!settled(one, Rational(1, 5)));
  const Rational rate = make_head(one.problem, 128)->limit_rate(0, 1000, Rational(1, 2)).upper();
  CHECK(rate > Rational(4604, 1000));
  CHECK(rate < Rational(4605, 1000));
  // W = 100: 4 lost W <= 1 is more than the other condition asks.
  const Case wide = with_tokens("[100]");
  CHECK(settled(wide, Rational(1, 400)));
  CHECK(!settled(wide, Rational(1, 399)));
  CHECK(!settled(wide, Rational(1, 300)));
  // gap = 1/4, A = 1/2 by a token that is better, W = 3/2: sway is 3.25/2.
  const Case better = with_tokens(R"(["1/2"], [-1])");
  CHECK(settled(better, Rational(7, 100)));
  CHECK(!settled(better, Rational(1, 10)));
  const auto head = make_head(one.problem, 128);
  CHECK(head->excess(0, Rational(1, 10)).lower() <= Rational(1, 10));
  CHECK(head->excess(0, Rational(1, 10)).upper() < Rational(1, 10) + Rational(1, 1000000));
  // p <= e^0.1/(1 + e^0.1) where a tenth may be elsewhere, against 1/2: phi = 0.1/0.9 x 1.049958.
  const Interval bend = head->bend(0, {Rational(9, 10), 0, 0});
  CHECK(bend.lower() > Rational(116662, 1000000));
  CHECK(bend.upper() < Rational(116663, 1000000));
}

TEST_CASE("ReLU units do not lock in, and one on its kink is open") {
  const Case of(
      R"({"X": [[[1], [2]]], "head": "relu", "Y": [1], "A": [[1], [1]], "bias": [0, -1], "r": [3, 1],
                    "z": [[1]]})",
      Loss::relu_logistic, {0});
  const auto head = make_head(of.problem, 128);
  CHECK(!head->locks_in());
  CHECK(head->best(0) == 3);
  CHECK(head->open_unit(0, 1) == 1);
}

// |grad L(w) - grad L(w')| <= beta |w - w'|.
TEST_CASE("a classifier's smoothness constant bounds how fast its gradient changes") {
  std::mt19937 random(3);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const Case of(with_outputs(random_instance(seed, false), true, seed, 2 + seed % 4), Loss::classifier,
                  {0, 0, 0, 0});
    const ReferenceIteration reference(of.problem, {});
    const Real beta = real(smoothness_bound(of.problem));
    for (int round = 0; round < 10; ++round) {
      std::vector<Real> w, v, off;
      for (std::size_t k = 0; k < reference.left() * reference.right(); ++k) {
        w.push_back(Real(static_cast<int>(random() % 41) - 20) / 20);
        off.push_back(Real(static_cast<int>(random() % 41) - 20) / (round % 2 == 0 ? 20 : 2000));
        v.push_back(w.back() + off.back());
      }
      std::vector<Real> change = reference.at(v).velocity;
      const std::vector<Real> before = reference.at(w).velocity;
      for (std::size_t k = 0; k < change.size(); ++k) change[k] -= before[k];
      CHECK(ReferenceIteration::norm(change) <= beta * ReferenceIteration::norm(off) + tiny);
    }
  }
}
