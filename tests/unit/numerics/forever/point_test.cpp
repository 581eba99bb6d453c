// One point at a time: which points prove something, which must not, and that no constant can be made
// smaller.
#include <doctest/doctest.h>

#include <cmath>

#include "numerics/forever/absorbing_region.hpp"
#include "numerics/forever/forever.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using attest_test::gaussian_instance;

namespace {

// scale * w* of the selection, rounded to doubles.
ExactArray along_optimum(const TokenData& data, const Selection& selection, double scale) {
  MarginOptions options;
  options.form = Form::exact;
  const MarginSolution solution = solve_margin_problem(data, selection, options);
  REQUIRE(solution.exact);
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  std::vector<Rational> entries(d * e, Rational(0));
  for (std::size_t k = 0; k < solution.exact->multipliers.size(); ++k) {
    const Constraint& c = solution.exact->multipliers.constraint[k];
    const Rational value = solution.exact->multipliers.value(k);
    for (std::size_t j = 0; j < d; ++j) {
      const Rational token = data.token_factor.exact(data.row(c.group, selection[c.group]) * d + j) -
                             data.token_factor.exact(data.row(c.group, c.token) * d + j);
      for (std::size_t q = 0; q < e; ++q)
        entries[j * e + q] += value * token * data.query_factor.exact(c.group * e + q);
    }
  }
  std::vector<double> rounded;
  for (const Rational& entry : entries) rounded.push_back(scale * entry.convert_to<double>());
  return ExactArray::from_binary64(rounded);
}

ForeverFromPoint prove(const TokenData& data, const Selection& selection, const OptimizerSpec& spec,
                       const ExactArray& entries, const Rational& radius = 0) {
  const RunGeometry geometry(data, 6);
  return forever_from_point(geometry, spec, selection, entries, radius);
}

template <typename Theorem>
bool has(const ForeverFromPoint& result) {
  for (const ForeverProof& proof : result.proofs) {
    if (proof.by<Theorem>() != nullptr) return true;
  }
  return false;
}

const OptimizerSpec normalised{update_rule("ngd"), Schedule::constant, Rational(1, 20), Loss::logistic};

}  // namespace

TEST_CASE("far along the optimum every theorem of normalised descent is proved") {
  const TokenData data = gaussian_instance({3, 4, 2}, 4, 3, 1);
  const Selection best = best_selection(data);
  const auto result = prove(data, best, normalised, along_optimum(data, best, 200));
  CHECK(has<NormalisedLockIn>(result));
  CHECK(has<Absorbing>(result));
  CHECK(has<SpanResidual>(result));
  CHECK(has<BoundedResidual>(result));
  CHECK(result.reason.empty());
  for (const ForeverProof& proof : result.proofs) {
    const bool bounded = proof.by<SpanResidual>() != nullptr || proof.by<BoundedResidual>() != nullptr;
    CHECK(proof.rate() == (bounded ? "1/t^2" : "1/t"));
    // Later bounds are no worse.
    CHECK(at_most(proof.one_minus_cos_at(2000), proof.one_minus_cos_at(1000)));
    CHECK_FALSE(
        positive(proof.unselected_at(*result.facts, 0, 2000) - proof.unselected_at(*result.facts, 0, 0)));
    // T14's constant is large.
    const std::uint64_t later = proof.by<SpanResidual>() != nullptr ? 1000000000000000 : 1000000;
    CHECK(at_most(proof.one_minus_cos_at(later), BallNumber(0.01)));
  }
}

TEST_CASE("points that prove nothing") {
  const TokenData data = gaussian_instance({3, 4, 2}, 4, 3, 1);
  const Selection best = best_selection(data);
  const ExactArray far = along_optimum(data, best, 60);
  SUBCASE("the origin") {
    const auto result =
        prove(data, best, normalised, ExactArray::from_binary64(std::vector<double>(12, 0.0)));
    CHECK(result.proofs.empty());
    CHECK(!result.reason.empty());
  }
  SUBCASE("the opposite direction") {
    CHECK(prove(data, best, normalised, along_optimum(data, best, -60)).proofs.empty());
  }
  SUBCASE("another selection than the one the point saturates") {
    for (std::size_t t = 0; t < 4; ++t) {
      if (t == best[1]) continue;
      CHECK(prove(data, {best[0], t, best[2]}, normalised, far).proofs.empty());
    }
  }
  SUBCASE("a step of 1000") {
    CHECK(prove(data, best, {update_rule("ngd"), Schedule::constant, 1000, Loss::logistic}, far)
              .proofs.empty());
  }
  SUBCASE("an uncertain point") {
    CHECK(prove(data, best, normalised, far, 100).proofs.empty());
  }
  SUBCASE("a point uncertain by little still proves, with weaker constants") {
    const auto exact = prove(data, best, normalised, far),
               near = prove(data, best, normalised, far, Rational(1, 1000));
    REQUIRE(has<Absorbing>(exact));
    REQUIRE(has<NormalisedLockIn>(near));
    CHECK(near.proofs[0].path_rate.ball().contains(exact.proofs[0].path_rate.ball()));
  }
}

TEST_CASE("a tie of the best score proves nothing globally") {
  TokenData data = gaussian_instance({3, 4, 2}, 4, 3, 1);
  const Selection best = best_selection(data);
  const ExactArray far = along_optimum(data, best, 60);
  for (std::size_t t = 0; t < 4; ++t) {
    if (t == best[1]) continue;
    TokenData tied = data;
    tied.scores.set(tied.row(1, t), tied.score(1, best[1]));
    const auto result = prove(tied, best, normalised, far);
    CHECK(!has<Absorbing>(result));
    CHECK(!has<NormalisedLockIn>(result));
  }
}

TEST_CASE("a support constraint with a better token is an obstacle, and says so") {
  TokenData data = gaussian_instance({3, 2, 2}, 4, 3, 2);
  const Selection best = best_selection(data);
  const ExactArray far = along_optimum(data, best, 60);
  const RunGeometry geometry(data, 6);
  const auto before = forever_from_point(geometry, normalised, best, far, 0);
  REQUIRE(!before.proofs.empty());
  for (std::size_t c = 0; c < before.facts->constraints.size(); ++c) {
    const auto& k = before.facts->constraints[c];
    if (!k.active) continue;
    TokenData worse = data;
    worse.scores.set(k.row, worse.score(k.group, best[k.group]) + 1);
    const auto result = prove(worse, best, normalised, far);
    CHECK(result.proofs.empty());
    CHECK(result.reason == "the selection is not locally optimal: of its support (" +
                               std::to_string(before.facts->groups[k.group].original) + "," +
                               std::to_string(k.row - data.row(k.group, 0)) +
                               ") is no worse than the selected token");
  }
}

TEST_CASE("groups of one token and single groups") {
  const TokenData data = gaussian_instance({1, 3, 1}, 4, 3, 3);
  const Selection best = best_selection(data);
  const auto result = prove(data, best, normalised, along_optimum(data, best, 200));
  CHECK(has<Absorbing>(result));
  CHECK(result.facts->groups.size() == 1);
  const TokenData lonely = gaussian_instance({1, 1}, 4, 3, 3);
  const auto none =
      prove(lonely, {0, 0}, normalised, ExactArray::from_binary64(std::vector<double>(12, 1.0)));
  CHECK(none.proofs.empty());
  CHECK(!none.reason.empty());
}

TEST_CASE("logits of 10^4 neither overflow nor weaken a proof") {
  const TokenData data = gaussian_instance({3, 4, 2}, 4, 3, 1);
  const Selection best = best_selection(data);
  for (const UpdateRule* rule : {update_rule("ngd"), update_rule("gd"), update_rule("polyak")}) {
    const OptimizerSpec spec{rule, Schedule::constant, Rational(1, 20), Loss::exponential};
    const auto result = prove(data, best, spec, along_optimum(data, best, 1e4));
    REQUIRE(has<Absorbing>(result));
    for (const ForeverProof& proof : result.proofs) {
      CHECK(proof.one_minus_cos_at(100).ball().is_finite());
      CHECK(at_most(proof.one_minus_cos_at(100), BallNumber(0.01)));
    }
  }
}

TEST_CASE(
    "no constant of a region can be made 1% smaller; larger phi or eps within the domain change nothing") {
  const TokenData data = gaussian_instance({3, 4, 2}, 4, 3, 1);
  const Selection best = best_selection(data);
  const RunGeometry geometry(data, 6);
  const MarginSolution solution = solve_margin_problem(data, best);
  const auto direction = reference_direction(geometry, best, solution, 224);
  REQUIRE(direction);
  const ForeverProver prover(geometry, *direction, solution, normalised);
  REQUIRE(prover.ready());
  const auto start = start_point(prover.facts(), geometry, *direction, along_optimum(data, best, 30), 0, 0);
  const LaterSteps steps(normalised, 0);
  const auto proof = prover.prove(TheoremFamily::region, start);
  REQUIRE(proof);
  const auto holds = [&](const RegionConstants& tried) {
    return prove_region(prover.facts(), start, steps, tried, true).has_value();
  };
  const RegionConstants& constants = proof->by<Absorbing>()->constants;
  CHECK(holds(constants));
  RegionConstants smaller = constants;
  smaller.path *= 0.99;
  CHECK(!holds(smaller));
  smaller = constants;
  smaller.step *= 0.99;
  CHECK(!holds(smaller));
  for (std::size_t i = 0; i < constants.attention.size(); ++i) {
    smaller = constants;
    smaller.attention[i] *= 0.99;
    CHECK(!holds(smaller));
    smaller = constants;
    smaller.output[i] *= 0.99;
    CHECK(!holds(smaller));
  }
  RegionConstants nonsense = constants;
  nonsense.attention[0] = 2;
  CHECK(!holds(nonsense));
  nonsense = constants;
  nonsense.output[0] = std::nan("");
  CHECK(!holds(nonsense));
  nonsense = constants;
  nonsense.path = -1;
  CHECK(!holds(nonsense));
  nonsense = constants;
  nonsense.inside[0] = false;
  CHECK(!holds(nonsense));
}
