// What a row saw of one training run, and what is proved about all its later steps (theory.md section 5).
//
// The numbers are enclosures and outer bounds for the exact iteration W(t+1) = W(t) - tau_t grad L(W(t)), t =
// 0, 1, ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certify/catalogue/row.hpp"
#include "numerics/forever/forever.hpp"
#include "numerics/runs/validated_run.hpp"

namespace attest {

struct Observation {
  OptimizerSpec spec;
  std::string start;                   // "W(0) = 0", ...
  std::optional<Rational> first_step;  // of gradient descent at t = 0, when it is not the spec's
  Rational start_radius = 0;           // the limit is proved from every W(0) within this distance of that one
  std::uint64_t step = 0;              // the last step seen
  std::optional<Selection>
      selection;  // the next three and all that follows speak of its max-margin direction
  std::optional<Interval> one_minus_corr, max_one_minus_s, norm;  // at that step

  // Theorems that prove, from step t0 on, that W(t)/||W(t)|| tends to that direction; the earliest first.
  struct Proof {
    std::string theorem, rate;
    std::uint64_t t0 = 0;
  };
  std::vector<Proof> proofs;
  // Upper bounds at all steps t >= from that those theorems give.
  struct Later {
    std::uint64_t from = 0;
    std::optional<Rational> one_minus_corr, max_one_minus_s;
  };
  std::vector<Later> later;

  std::vector<RateShape> shapes;  // least constants along the run
  // 1 - s_{i,selected} <= exp(-c ||W(t)||) for every i and every t in [from, to].
  struct Sparsity {
    std::uint64_t from = 0, to = 0;
    std::optional<Interval> c;  // the largest such c, enclosed
  };
  std::optional<Sparsity> sparsity, late_sparsity;  // of all steps from 1 on, and of the last dyadic block

  bool stays_at_zero = false;  // W(0) = 0 is a stationary point
  std::string reason;          // why there is no proof; empty when there is one
};

// Limits of a run. `until_proof`: it ends at the first step from which a theorem speaks about all later ones.
struct RunLimits {
  std::uint64_t steps = 0;
  const Budget* budget = nullptr;  // may be null
  bool until_proof = true;
};

// A validated run from W(0) (d x e exact entries; empty: zero), seen from the max-margin direction of the
// tokens that it seems to select.
Observation observe_run(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                        std::string start_name, const RunLimits& limits);

// The theorems about all later steps, tried at single points without a run. For one selection with its
// solution.
class PointObserver {
 public:
  // `geometry` and `budget` must outlive the observer. Throws BudgetReached, as observe() does.
  PointObserver(const RunGeometry& geometry, const Selection& selection, const MarginSolution& solution,
                const OptimizerSpec& spec, const Budget& budget);

  // Why no theorem applies anywhere; empty when one may.
  const std::string& obstacle() const { return obstacle_; }

  // Step `step` being every W with ||W - entries||_F <= radius; nothing when no theorem's hypotheses hold
  // there.
  std::optional<Observation> observe(const ExactArray& entries, const Rational& radius, std::uint64_t step,
                                     const std::string& start_name) const;

 private:
  const RunGeometry& geometry_;
  const Budget& budget_;
  OptimizerSpec spec_;
  std::optional<ReferenceDirection> direction_;
  std::optional<ForeverProver> prover_;
  std::string obstacle_;
};

// Exactly: like show(x), long numbers in canonical form, such as 493*2^-62.
std::string show_short(const Rational& x);

// "gradient descent, step 1/8, from W(0) = 0: ...": what was seen and proved, in one sentence.
std::string describe(const Observation& seen);

// Does the run tend to the direction of W_mm(claimed), `which` being its name? holds when that is proved,
// fails when another limit is (or the run stays at 0), else undecided.
Hypothesis limit_of(const Observation& seen, const Selection& claimed, const std::string& which);

}  // namespace attest
