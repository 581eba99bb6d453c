// Every conclusion of every theorem, followed along simulated runs that start barely inside its hypotheses.
#include "tests/unit/numerics/forever/simulation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "numerics/forever/forever.hpp"
#include "tests/unit/numerics/forever/random_outputs.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using namespace attest_test;

namespace {

struct Case {
  TokenData data;
  Selection selection;
  MarginSolution solution;
  Direction direction;
};

MarginSolution solve_exactly(const TokenData& data, const Selection& selection) {
  MarginOptions options;
  options.form = Form::exact;
  return solve_margin_problem(data, selection, options);
}

// The best tokens, or the first locally optimal selection that is not globally optimal. `counted`: tokens
// have multiplicities. Of cross-entropy the best tokens are the targets.
std::optional<Case> make_case(unsigned seed, bool global, bool counted, Loss loss) {
  Case result;
  result.data = gaussian_instance({3, 4, 2}, 4, 3, seed);
  if (loss == Loss::cross_entropy) set_targets(result.data, best_selection(result.data), {});
  if (several_outputs(loss)) set_outputs(result.data, random_outputs(result.data, seed, loss), {});
  std::mt19937_64 random(seed);
  for (std::size_t row = 0; counted && row < result.data.scores.size(); ++row)
    result.data.multiplicities.push_back(1 + random() % 9);
  std::vector<Selection> candidates{best_selection(result.data)};
  if (!global || several_outputs(loss)) {
    candidates.clear();
    for (std::size_t k = 0; k < 24; ++k) candidates.push_back({k % 3, k / 3 % 4, k / 12});
  }
  for (const Selection& selection : candidates) {
    if (candidates.size() > 1 && global == global_optimality_witness(result.data, selection).has_value())
      continue;
    result.solution = solve_exactly(result.data, selection);
    if (!result.solution.exact || !result.solution.locally_optimal.value_or(false)) continue;
    result.selection = selection;
    result.direction = direction_of(result.data, selection, *result.solution.exact);
    return result;
  }
  return std::nullopt;
}

Real low(const BallNumber& value) {
  return real(value.ball().lower());
}
Real high(const BallNumber& value) {
  return real(value.ball().upper());
}

// W_0 = scale u + noise, rounded to doubles.
ExactArray point_at(const Case& c, double scale, const std::vector<double>& noise) {
  std::vector<double> entries;
  for (std::size_t k = 0; k < noise.size(); ++k)
    entries.push_back(scale * double(c.direction.unit[k]) + noise[k]);
  return ExactArray::from_binary64(entries);
}

// The constants of the region that the proof is about, if it has one.
const RegionConstants* region_of(const ForeverProof& proof) {
  if (const auto* by = proof.by<Absorbing>()) return &by->constants;
  if (const auto* by = proof.by<LocalAbsorbing>()) return &by->constants;
  if (const auto* by = proof.by<SpanResidual>()) return &by->constants();
  if (const auto* by = proof.by<BoundedResidual>()) return &by->constants;
  return nullptr;
}

// Follows the run and compares with every bound of the proof. Returns the closest approach of the residual to
// its bound, as a ratio.
Real check_conclusions(const Case& c, const OptimizerSpec& spec, const ForeverProof& proof,
                       const SelectionFacts<BallNumber>& facts, const ExactArray& start, int steps) {
  std::vector<Real> entries;
  for (std::size_t k = 0; k < start.size(); ++k) entries.push_back(real(start.exact(k)));
  Simulation run(c.data, c.selection, spec, entries);
  const Real slack("1e-45");
  const Real first_height = run.along(c.direction);
  std::vector<Real> centre;
  for (std::size_t k = 0; k < entries.size(); ++k)
    centre.push_back(entries[k] - first_height * c.direction.unit[k]);
  const std::vector<Real> first_margins = run.margins();
  Real closest = 0;
  const std::optional<std::uint64_t> dominates_from = proof.dominates_from(facts);
  const RegionConstants* const region = region_of(proof);
  for (int t = 0; t <= steps; ++t) {
    const Real height = run.along(c.direction), norm = run.norm();
    const bool often = t < 20 || t % 25 == 0;
    Real residual = 0, around_zero = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const Real across = run.weights()[k] - height * c.direction.unit[k];
      residual += (across - centre[k]) * (across - centre[k]);
      around_zero += across * across;
    }
    residual = sqrt(residual);
    around_zero = sqrt(around_zero);
    const Real allowed =
        proof.by<BoundedResidual>() != nullptr
            ? high(proof.residual_at_height(proof.start_height))
            : sqrt(high(proof.path_offset) + high(proof.path_rate) * (height - first_height + slack));
    if (proof.by<BoundedResidual>() != nullptr) {
      REQUIRE(around_zero <= allowed + high(proof.centre_norm) + slack);
      closest = std::max(closest, Real(around_zero / (allowed + high(proof.centre_norm))));
    } else {
      REQUIRE(residual <= allowed + slack);
      if (t > 0) closest = std::max(closest, Real(residual / allowed));
    }
    const std::vector<Real> margins = run.margins();
    for (std::size_t k = 0; k < margins.size(); ++k) {
      const ConstraintFacts<BallNumber>& facts_k = facts.constraints[k];
      REQUIRE(margins[k] >= first_margins[k] + low(facts_k.margin_rate) * (height - first_height) -
                                high(facts_k.spread) * (high(proof.start_distance) + allowed) - slack);
      if (often) REQUIRE(margins[k] >= low(proof.margin_at(facts, k, run.step())) - slack);
    }
    const std::vector<Real> unselected = run.unselected();
    for (std::size_t i = 0; i < facts.groups.size(); ++i) {
      const Real& rest = unselected[facts.groups[i].original];
      if (region != nullptr) REQUIRE(rest <= Real(region->attention[i]) + slack);
      if (often) REQUIRE(rest <= high(proof.unselected_at(facts, i, run.step())) + slack);
      if (dominates_from && run.step() >= *dominates_from) REQUIRE(2 * rest < 1);
    }
    if (often) {
      REQUIRE(height >= low(proof.height_at(run.step())) - slack);
      if (norm > 0) REQUIRE(1 - height / norm <= high(proof.one_minus_cos_at(run.step())) + slack);
    }
    run.advance();
  }
  return closest;
}

// The smallest scale (to 1%) at which the theorem is proved from point_at(scale), and what is proved at that
// scale times `beyond`; nothing when it never is.
struct Found {
  ExactArray start;
  ForeverFromPoint result;
};
std::optional<Found> barely_inside(const Case& c, const OptimizerSpec& spec, const std::string& theorem,
                                   const std::vector<double>& noise, double beyond) {
  const RunGeometry geometry(c.data, 6);
  const auto direction = reference_direction(geometry, c.selection, c.solution, 224);
  const ForeverProver prover(geometry, *direction, c.solution, spec);
  REQUIRE(prover.ready());
  const auto attempt = [&](double scale) {
    Found found{point_at(c, scale, noise), {}};
    const auto start = start_point(prover.facts(), geometry, *direction, found.start, 0, 0);
    const bool lock = theorem == "T12" || theorem == "T12n";
    auto proof = prover.prove(lock               ? TheoremFamily::lock_in
                              : theorem == "T15" ? TheoremFamily::sharp
                                                 : TheoremFamily::region,
                              start);
    if (theorem == "T14" && proof) {
      const ForeverProof around = *proof;
      proof = prover.prove(TheoremFamily::inner_region, start, false, &around);
    }
    if (proof && proof->name() == theorem) found.result.proofs.push_back(std::move(*proof));
    found.result.facts = prover.facts();
    return found;
  };
  double outside = 0, inside = 1;
  while (attempt(inside).result.proofs.empty()) {
    outside = inside;
    inside *= 2;
    if (inside > 5000) return std::nullopt;
  }
  while (inside - outside > 0.01 * inside) {
    const double middle = (inside + outside) / 2;
    (attempt(middle).result.proofs.empty() ? outside : inside) = middle;
  }
  auto found = attempt(beyond * inside);
  REQUIRE(!found.result.proofs.empty());
  return found;
}

struct Setup {
  std::string theorem;
  const UpdateRule* rule;
  Rational step;
  bool global;
  int least;  // proofs that must be found among the seeds
  Schedule schedule = Schedule::constant;
  double beyond = 1;  // the starts are this many times as far out as the nearest that prove the theorem
};

// Is anything proved for this loss? Cross-entropy has no selection but its targets; ReLU units have no L*
// that Polyak's steps, T12 or T12n could use.
bool covered(const Setup& setup, Loss loss) {
  if (loss == Loss::cross_entropy) return setup.global;
  if (!several_outputs(loss)) return true;
  const bool by_loss =
      setup.rule == update_rule("polyak") || setup.theorem == "T12" || setup.theorem == "T12n";
  return !by_loss || loss == Loss::classifier;
}

void follow(const Setup& setup, int steps) {
  int found = 0, with_counts = 0, with_others = 0;
  Real closest = 0;
  unsigned seed = 0;
  for (const Loss loss : {Loss::logistic, Loss::exponential, Loss::correlation, Loss::cross_entropy,
                          Loss::classifier, Loss::relu_logistic, Loss::relu_correlation}) {
    if (!covered(setup, loss)) continue;
    const bool other = loss == Loss::cross_entropy || several_outputs(loss);
    int with_other = 0;
    for (int k = 0; k < 6; ++k) {
      const bool counted = k % 2 == 1;  // the same data with multiplicities
      const auto c = make_case(seed, setup.global, counted, loss);
      OptimizerSpec spec{setup.rule, setup.schedule, setup.step, loss};
      std::mt19937_64 random(counted ? seed++ : seed);
      if (!c) continue;
      std::normal_distribution<double> normal;
      std::vector<double> noise(c->direction.unit.size());
      for (double& value : noise) value = 0.3 * normal(random);
      const auto start = barely_inside(*c, spec, setup.theorem, noise, setup.beyond);
      if (!start) continue;
      ++(other ? with_other : counted ? with_counts : found);
      INFO("seed ", seed, ", loss ", name(loss));
      closest = std::max(closest, check_conclusions(*c, spec, start->result.proofs.front(),
                                                    *start->result.facts, start->start, steps));
    }
    if (other && setup.global) {
      INFO("loss ", std::string(name(loss)));
      CHECK(with_other >= 1);
    }
    with_others += with_other;
  }
  CHECK(found >= setup.least);
  CHECK(with_counts >= 1);
  CHECK(with_others >= 1);
  CHECK(closest <= 1);
  MESSAGE(setup.theorem, ": ", found, " runs, residual reaches ", double(closest), " of its bound");
}

}  // namespace

TEST_CASE("T12: lock-in by loss, gradient descent" * doctest::test_suite("long")) {
  follow({"T12", update_rule("gd"), Rational(1, 4), true, 4}, 300);
}
TEST_CASE("T12n: lock-in by loss, normalised gradient descent" * doctest::test_suite("long")) {
  follow({"T12n", update_rule("ngd"), Rational(1, 20), true, 4}, 300);
}
TEST_CASE("T10: absorbing region, normalised gradient descent" * doctest::test_suite("long")) {
  follow({"T10", update_rule("ngd"), Rational(1, 5), true, 4}, 300);
}
TEST_CASE("T10: absorbing region, decreasing steps" * doctest::test_suite("long")) {
  follow({"T10", update_rule("ngd"), Rational(1, 2), true, 4, Schedule::inverse_sqrt}, 300);
}
TEST_CASE("T10: absorbing region, gradient descent" * doctest::test_suite("long")) {
  follow({"T10", update_rule("gd"), Rational(20), true, 4}, 300);
}
TEST_CASE("T10 with T9p: absorbing region, Polyak steps") {
  follow({"T10", update_rule("polyak"), Rational(1, 2), true, 4}, 60);
}
TEST_CASE("T11: locally optimal, normalised gradient descent") {
  follow({"T11", update_rule("ngd"), Rational(1, 5), false, 3}, 300);
}
TEST_CASE("T11: locally optimal, gradient descent") {
  follow({"T11", update_rule("gd"), Rational(20), false, 3}, 300);
}
TEST_CASE("T14: bounded residual in a region" * doctest::test_suite("long")) {
  follow({"T14", update_rule("ngd"), Rational(3), true, 4}, 100);
  follow({"T14", update_rule("ngd"), Rational(1), false, 2, Schedule::constant, 10}, 100);
  follow({"T14", update_rule("gd"), Rational(20), true, 4}, 100);
  follow({"T14", update_rule("polyak"), Rational(1, 2), true, 4}, 40);
}
TEST_CASE("T15: bounded residual, globally and locally optimal" * doctest::test_suite("long")) {
  follow({"T15", update_rule("ngd"), Rational(1, 10), true, 3}, 300);
  follow({"T15", update_rule("ngd"), Rational(1, 10), false, 2}, 300);
  follow({"T15", update_rule("gd"), Rational(1), true, 3}, 300);
}
