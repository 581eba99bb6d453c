// Validated trajectories: the exact real-number iteration enclosed step by step (theory.md section 5, "exact
// iteration"; proofs/statements/RUNS.md has the derivation).
//
// The iterate kept is W~_t = W_0 + sum_i P_i z_i' with an exact fixed-point P (groups x d). One invariant
// holds at every t: ||W_t - W~_t||_F <= radius, where W_t is the exact trajectory. A step computes F(W~) in
// fixed point with a stated error (the residual), bounds the 2-norm K of the step's Jacobian over the ball,
// and sets radius' = K radius + residual. Gradients use T1 with the currently dominating token as reference,
// scaled by the largest exp(-margin), so that nothing cancels or underflows however far the softmax
// saturates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numerics/numbers/exact_array.hpp"
#include "numerics/runs/geometry.hpp"
#include "numerics/runs/jacobian_bound.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

// What became of the last evaluate() or advance().
enum class TrajectoryStatus {
  ok,
  stationary,  // the gradient is exactly zero at the exact start: the trajectory stays there
  precision,   // the working precision or the radius no longer proves a step: retry with more fraction bits
  range,       // a number left the fixed-point range: retry with more integer bits
};

class Trajectory {
 public:
  // Starts at W_0 (d x e exact entries, row-major; empty: zero). `geometry` and `budget` (may be null) must
  // outlive the trajectory. The constructor, evaluate(), advance() and restore() throw BudgetReached; the
  // trajectory is then good for nothing but step().
  Trajectory(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
             FixedFormat format, const Budget* budget = nullptr);

  // The gradient at W~_t. Must be called once at every t before advance().
  TrajectoryStatus evaluate();
  // t -> t + 1.
  TrajectoryStatus advance();

  std::uint64_t step() const { return step_; }
  const RunGeometry& geometry() const { return *geometry_; }
  const OptimizerSpec& spec() const { return spec_; }
  const FixedFormat& format() const { return format_; }
  slong precision() const { return precision_; }

  // Bound of ||W_t - W~_t||_F.
  mag_srcptr radius() const { return radius_; }
  // Product of all Jacobian bounds so far, as a power of two (a guess, for statistics).
  double amplification_bits() const { return amplification_bits_; }

  // The exact iterate's coordinates P (groups x d), ulp 2^-fraction_bits.
  const FixedVector& coordinates() const { return position_; }
  // W~_t z_i (groups x d): each entry within image_error() ulps.
  const FixedVector& image() const { return image_; }
  double image_error() const { return image_error_; }
  // W_0 z_i, within 1 ulp.
  const FixedVector& start_image() const { return start_image_; }
  arb_srcptr start_norm_squared() const { return start_norm_squared_; }

  // -- after evaluate() --
  // The token of each group whose logit is largest at W~_t.
  const std::vector<std::size_t>& reference() const { return reference_; }
  // Is reference()[group] strictly dominating for the exact W_t (logit above every other's)?
  bool dominates(std::size_t group) const;
  // Encloses the exact trajectory's margin <a_{i,reference} - a_it, W_t>; row is of RunGeometry.
  void margin(arb_ptr value, std::size_t group, std::size_t row) const;
  // Encloses 1 - s_{i,reference}, f_i's deficit g_{i,reference} - f_i, and the loss gap L - L* at W_t.
  void unselected(arb_ptr value, std::size_t group) const;
  void deficit(arb_ptr value, std::size_t group) const;
  void loss_gap(arb_ptr value) const;
  // Encloses ||grad L(W_t)||.
  void gradient_norm(arb_ptr value) const;

  // -- interruption --
  // The exact state: step, P, radius. restore() continues as if never interrupted, when saved at
  // refresh_period steps.
  struct State {
    std::uint64_t step = 0;
    std::vector<Limb> coordinates;
    Magnitude radius;
  };
  static constexpr std::uint64_t refresh_period = 8;
  State save() const;
  TrajectoryStatus restore(const State& state);

 private:
  struct GroupFacts {
    WorkingBall total;       // 1 + sum exp(-margin) at W~
    WorkingBall deficit;     // g_ref - f
    WorkingBall slope;       // wt |l'(f)|
    WorkingBall ratio;       // l''/|l'|
    WorkingBall unselected;  // 1 - s_ref
  };

  // Called every few groups or columns: a step of a large instance takes seconds.
  void poll() const {
    if (budget_ != nullptr) budget_->poll();
  }
  bool refresh_image();
  bool compute_margins();
  bool compute_attention();
  bool compute_facts();
  bool compute_velocity();
  bool exactly_stationary() const;
  void enclose_step_factor(arb_ptr factor) const;
  double jacobian_norm(arb_srcptr factor);
  void enclose_loss_gap(arb_ptr value, bool over_ball) const;
  void perturbed_deficit(arb_ptr value, std::size_t group, bool over_ball) const;
  void logit_slack(mag_ptr slack, std::size_t group) const;

  const RunGeometry* geometry_;
  const Budget* budget_;
  OptimizerSpec spec_;
  FixedFormat format_;
  slong precision_;
  std::uint64_t step_ = 0;
  ExactArray start_;

  FixedVector position_, image_, start_image_;
  double image_error_ = 1;
  WorkingBall start_norm_squared_;
  Magnitude radius_;
  double amplification_bits_ = 0;

  // Constants of the data.
  FixedVector gap_scores_;  // rows: g_it 2^-score_shift, within 1 ulp
  long score_shift_ = 0;
  std::vector<WorkingBall> score_balls_;
  WorkingBall weight_;

  // The evaluated point; all `scaled` quantities carry the factor unit_ (see evaluate).
  std::vector<std::size_t> reference_;
  FixedVector margin_;        // rows: margins against reference, >= 0
  double margin_error_ = 0;   // ulps
  FixedVector least_margin_;  // 1: the smallest margin of all, taken as exact shift
  WorkingBall least_factor_;  // exp(-least margin)
  FixedVector weight_fixed_;  // rows: exp(-(margin - least margin)), 0 for the reference
  double weight_error_ = 0;   // ulps
  std::vector<GroupFacts> facts_;
  FixedVector omega_;       // rows: scaled omega, the reference's is minus the sum of the others
  double omega_error_ = 0;  // ulps, for tokens other than the reference
  long omega_shift_ = 0;    // omega = omega_ * 2^-fraction_bits * least_factor * 2^omega_shift
  FixedVector velocity_;    // groups x d: scaled V_i
  FixedVector velocity_z_;  // groups x d: scaled V z_i
  double velocity_z_error_ = 0;
  double velocity_slack_ = 0;         // ||V scaled exact at W~ - V scaled|| in ulps, Frobenius
  WorkingBall velocity_norm_;         // encloses the scaled ||V(W~)||, velocity_slack_ included
  WorkingBall velocity_norm_stored_;  // encloses the norm of the stored (rounded) scaled velocity

  JacobianBound jacobian_bound_;
  JacobianPoint point_;
  FixedOperand operand_;
  FixedVector transposed_;
  WorkingBall scratch_;
};

}  // namespace attest
