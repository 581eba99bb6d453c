// Scans of validated runs: earliest steps, stability under the next steps, and agreement with the run's own
// bands.
#include <doctest/doctest.h>

#include "numerics/forever/listener.hpp"
#include "numerics/runs/validated_run.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using attest_test::gaussian_instance;

namespace {

// The run itself must obey what has been proved about it.
class CheckedListener : public ForeverListener {
 public:
  using ForeverListener::ForeverListener;
  int violations = 0;

  void watch(const EnclosedPoint& enclosed, const RunObserver& observer, const RunPoint& point) override {
    ForeverListener::watch(enclosed, observer, point);
    if (point.step % 50 != 0) return;
    for (const ForeverProof* proof : scan().proofs()) {
      if (certainly_less(proof->one_minus_cos_at(point.step).ball(), point.one_minus_corr)) ++violations;
      if (certainly_less(point.along, proof->height_at(point.step).ball())) ++violations;
      const bool dominates = proof->dominates_after(scan().prover()->facts(), point.step);
      if (dominates && !certainly_less(point.max_unselected, Ball(Rational(1, 2), 64))) ++violations;
    }
  }
};

}  // namespace

TEST_CASE("normalised descent of the S1 kind is proved for ever within a few hundred steps" *
          doctest::test_suite("long")) {
  int global = 0, local = 0;
  for (unsigned seed = 0; seed < 4; ++seed) {
    const TokenData data = gaussian_instance(std::vector<std::size_t>(6, 8), 10, 10, seed);
    const RunGeometry geometry(data, 6);
    const OptimizerSpec spec{update_rule("ngd"), Schedule::constant, Rational(1, 10), Loss::logistic};
    RunOptions options;
    options.steps = 1200;
    CheckedListener listener(geometry, spec, options.steps);
    const ForeverScan& scan = listener.scan();
    const RunOutcome outcome = validated_run(geometry, spec, ExactArray{}, options, &listener);
    REQUIRE(outcome.verdict == RunVerdict::complete);
    CHECK(listener.violations == 0);
    const ForeverProof* const region = scan.first(TheoremFamily::region);
    REQUIRE(region != nullptr);
    CHECK(region->t0 < 800);
    CHECK(scan.earliest()->t0 <= region->t0);
    // Some proof has its tokens hold half of the attention from its own step on.
    bool dominating = false;
    for (const ForeverProof* proof : scan.proofs())
      dominating |= proof->dominates_after(scan.prover()->facts(), proof->t0);
    CHECK(dominating);
    CHECK(scan.reason().empty());
    const bool is_global = scan.prover()->facts().globally_optimal;
    CHECK((scan.first(TheoremFamily::lock_in) != nullptr) == is_global);
    CHECK((region->by<Absorbing>() != nullptr) == is_global);
    ++(is_global ? global : local);
  }
  CHECK(global > 0);
  CHECK(local > 0);
}

TEST_CASE("too few steps: undecided, with a reason") {
  const TokenData data = gaussian_instance(std::vector<std::size_t>(6, 8), 10, 10, 1);
  const RunGeometry geometry(data, 6);
  const OptimizerSpec spec{update_rule("ngd"), Schedule::constant, Rational(1, 10), Loss::logistic};
  RunOptions options;
  options.steps = 20;
  ForeverListener listener(geometry, spec, options.steps);
  validated_run(geometry, spec, ExactArray{}, options, &listener);
  CHECK(listener.scan().earliest() == nullptr);
  CHECK(!listener.scan().reason().empty());
}
