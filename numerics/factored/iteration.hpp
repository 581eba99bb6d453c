// Training of the factors of W = K Q' (papers.md B), enclosed step by step: with V = -grad L(W),
//
//   K_{t+1} = K_t + tau_K V Q_t,   Q_{t+1} = Q_t + tau_Q V' K_t,
//
// tau_K = tau_Q = eta_t (gd), or eta_t over the norm of each factor's own gradient (ngd), as paper B's
// experiments train them. What is kept are exact dyadic factors and a bound of their joint distance to K_t
// and Q_t in the Frobenius norm: radius' = bound radius + residual (step_derivative.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/factored/step_derivative.hpp"
#include "numerics/mirror/features.hpp"
#include "numerics/numbers/exact_array.hpp"
#include "numerics/runs/enclosed_point.hpp"
#include "numerics/runs/iteration_progress.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

struct FactoredSpec {
  std::size_t rank = 1;     // m, columns of K and Q
  bool normalised = false;  // ngd; else gd
  OptimizerSpec steps;      // schedule, step and loss
};

// K_0 (d x m) and Q_0 (e x m), row-major.
struct FactoredStart {
  ExactArray left, right;
};

// Balls column by column: K_t or Q_t.
using FactorColumns = std::vector<std::vector<Ball>>;

class FactoredIteration : public IterationProgress {
 public:
  // References must outlive the iteration.
  FactoredIteration(const Features& features, const FactoredSpec& spec, const FactoredStart& start);

  // The step at the kept factors, with so many bits: once at every t, before advance().
  IterationStatus evaluate(long bits);
  IterationStatus advance();
  // The same without a radius: where a run leads and how errors grow, measured at every `stride`-th step. A
  // guess.
  IterationStatus advance_unproved(std::uint64_t stride);

  // Instead of the radius every entry as a ball by itself, as a checker may keep them (entrywise_bits.hpp):
  // from the start on, and one step further.
  void enclose_entries();
  IterationStatus advance_entries();
  // log2 of the largest radius of an entry, and of the largest size.
  double log2_entry_radius() const;
  double log2_entry_size() const;
  // All entries exact, or widened by 2^-60 of the largest size: errors whose growth a pilot measures.
  void drop_radii();
  void widen_entries();

  // Enclose K_t and Q_t, entries rounded to so many bits.
  FactorColumns left(long bits) const { return enclosed(left_, bits); }
  FactorColumns right(long bits) const { return enclosed(right_, bits); }
  // The distance of (K_t, Q_t) to what is kept is at most 2^-correct_bits() times the norm of that.
  long correct_bits() const;
  // The token with the largest logit of every group of Features, at the kept factors; after evaluate().
  std::vector<std::size_t> dominant() const;

 private:
  FactorColumns enclosed(const FactorColumns& columns, long bits) const;
  std::vector<std::vector<Ball>> images();
  bool describe(FactoredPoint& point) const;
  bool move(bool entries = false);
  std::vector<std::vector<Ball>*> all_columns();

  const Features& features_;
  const FactoredSpec& spec_;
  StepDerivativeBound bound_;
  FactorColumns left_, right_;  // exact
  Ball radius_;                 // of middle 0: its radius
  // At the kept factors.
  FactorColumns left_gradient_, right_gradient_;  // V Q and V' K
  std::vector<Ball> query_image_;                 // m x groups: Q'z_i
  std::vector<std::vector<Ball>> token_image_;    // per group, m x tokens: K'x_t
  std::vector<FeatureWeights> weights_;
  Ball eta_, left_norm_, right_norm_, left_factor_, right_factor_;
  Ball noise_;  // of middle 0: what the last move rounded
};

}  // namespace attest
