// A point over fixed features, W~ = W_0 + sum_i P_i z_i' with an exact fixed-point P (groups x d), and the
// gradient there with stated errors (proofs/statements/RUNS.md has the derivation).
//
// Gradients use T1 with the currently dominating token as reference, scaled by the largest exp(-margin), so
// that nothing cancels or underflows however far the softmax saturates: V = unit V' with V' stored. A token
// counts by its share k' = k 2^-p in (0, 1], k its multiplicity and p RunGeometry::multiplicity_bits; those
// that another one stands for have k' = 0. Where the data have offsets the logits here are <a_it, W~> + log
// k_it, and all k' = 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/exact_array.hpp"
#include "numerics/numbers/parallel.hpp"
#include "numerics/problem/loss.hpp"
#include "numerics/runs/enclosed_point.hpp"
#include "numerics/runs/jacobian_bound.hpp"

namespace attest {

class FeaturePoint final : public EnclosedPoint {
 public:
  // W_0 has d x e exact entries, row-major (empty: zero). `geometry` and `budget` (may be null) must outlive
  // the point. The constructor, evaluate(), move() and place() throw BudgetReached.
  FeaturePoint(const RunGeometry& geometry, Loss loss, const ExactArray& start, FixedFormat format,
               const Budget* budget);

  // The gradient at W~.
  IterationStatus evaluate();

  // P += step, for a step whose images, step z_i, are given with errors of at most image_error ulps. False
  // when the sum leaves the range.
  bool move(const FixedVector& step, const FixedVector& step_image, double image_error);
  // P = P - step, whether or not P + step was in range. The images stay as they are.
  void take_back(const FixedVector& step);
  // P = these limbs; false when they are not as many, or out of range.
  bool place(const std::vector<Limb>& coordinates, bool at_start);
  // The images are computed afresh, exactly but for one rounding: what restores their accuracy, and makes
  // them a function of P alone.
  bool refresh_image();
  // Bound of ||W_t - W~||_F, by whoever moves the point.
  Magnitude& error() { return radius_; }
  // Why it cannot be moved, whatever the bits: obstacle() until the next evaluation.
  void stop(std::string obstacle) { obstacle_ = std::move(obstacle); }

  // -- the point (enclosed_point.hpp); all but the first seven after evaluate() --
  const RunGeometry& geometry() const override { return *geometry_; }
  const FixedFormat& format() const override { return format_; }
  mag_srcptr radius() const override { return radius_; }
  const FixedVector& image() const override { return image_; }
  double image_error() const override { return image_error_; }
  void norm(arb_ptr value) const override;
  void distance(arb_ptr value, const ExactArray& matrix) const override;
  const std::vector<std::size_t>& reference() const override { return reference_; }
  bool dominates(std::size_t group) const override;
  void margin(arb_ptr value, std::size_t group, std::size_t row) const override;
  void unselected(arb_ptr value, std::size_t group) const override;
  void deficit(arb_ptr value, std::size_t group) const override;
  void loss_gap(arb_ptr value, const std::vector<std::size_t>* limit) const override;
  const std::string& obstacle() const override { return obstacle_; }
  void gradient_norm(arb_ptr value) const override;

  // P, ulp 2^-fraction_bits.
  const FixedVector& coordinates() const { return position_; }

  // Images of other coordinates v (groups x d): out_i = (sum_k v_k z_k') z_i, each entry within `error` ulps,
  // which is set. False when out of range.
  bool images_of(const FixedVector& vector, FixedVector& out, double& error);

  // -- the gradient at W~, after evaluate() --
  // V'_i and V' z_i (groups x d): the stored V' is off by at most velocity_slack() ulps (Frobenius norm of
  // the matrix), the images of the stored one by velocity_image_error() ulps each.
  const FixedVector& velocity() const { return velocity_; }
  const FixedVector& velocity_image() const { return velocity_z_; }
  double velocity_slack() const { return velocity_slack_; }
  double velocity_image_error() const { return velocity_z_error_; }
  // Enclose ||V'|| for the exact V(W~) = unit V', and the norm of the stored V'.
  arb_srcptr speed() const { return velocity_norm_; }
  arb_srcptr stored_speed() const { return velocity_norm_stored_; }
  // Encloses unit.
  void unit(arb_ptr value) const;
  // Encloses L - L* at W~ itself.
  void loss_gap_kept(arb_ptr value) const;
  // What the Jacobian bound needs to know of W~.
  const JacobianPoint& derivative_data() const { return point_; }
  // An upper bound of how far any difference of two logits of a group is off over the ball.
  double logit_radius() const;

 private:
  struct GroupFacts {
    WorkingBall total;       // k'_ref + sum k' exp(-margin) at W~
    WorkingBall deficit;     // g_ref - f
    WorkingBall slope;       // wt |l'(f)|
    WorkingBall factor;      // slope/total
    WorkingBall ratio;       // l''/|l'|
    WorkingBall unselected;  // 1 - s_ref
    // Of several outputs: the means less the reference's own outputs, m_u - c_ref,u.
    std::vector<WorkingBall> shift;
    std::vector<double> share;             // pi_u, of a classifier
    double gap_error = 1;                  // ulps, of a difference of two of gap_scores_
    std::optional<std::size_t> open_unit;  // whose sign may be either over the ball
  };

  // Called every few groups or columns: a step of a large instance takes seconds.
  void poll() const {
    if (budget_ != nullptr && !on_helper_thread()) budget_->poll();
  }
  void prepare_offsets();
  bool has_offsets() const { return log_multiplicity_.size() > 0; }
  bool compute_margins();
  double margins_of(std::size_t group, const FixedOperand& image);
  bool follows_margins();
  bool compute_attention();
  double weights_of(std::size_t group, WorkingBall& scratch);
  bool compute_facts();
  bool facts_of(std::size_t group);
  // Of several outputs (feature_outputs.cpp).
  void prepare_outputs();
  bool score_by_outputs(std::size_t group);
  bool shift_of_outputs(std::size_t group);
  void widened_shift(std::vector<WorkingBall>& shift, std::size_t group, bool over_ball) const;
  double left_out(std::size_t group) const;
  void enclose_output_gap(arb_ptr value, const std::vector<std::size_t>* limit, bool over_ball) const;
  bool compute_velocity();
  bool weigh_tokens(std::size_t group, slong exponent, double& error);
  bool combine_tokens(std::size_t group, FixedOperand& weights, double& rounding);
  void describe_group(std::size_t group);
  bool compute_velocity_image();
  bool exactly_stationary() const;
  void enclose_loss_gap(arb_ptr value, bool over_ball) const;
  void perturbed_deficit(arb_ptr value, std::size_t group, bool over_ball) const;
  void logit_slack(mag_ptr slack, std::size_t group) const;

  const RunGeometry* geometry_;
  const Budget* budget_;
  Loss loss_;
  FixedFormat format_;
  slong precision_;
  ExactArray start_;
  bool at_start_ = true;  // W~ is W_0

  FixedVector position_, image_, start_image_;
  double image_error_ = 1;
  WorkingBall start_norm_squared_;
  Magnitude radius_;

  // Constants of the data.
  FixedVector log_multiplicity_;  // rows: what is added to the logits; empty where there are no offsets
  double shift_error_ = 0;        // ulps, of one of these
  FixedVector gap_scores_;        // rows: g_it 2^-score_shift, within 1 ulp
  FixedVector outputs_;  // of several: rows x width, c_tu less that of the group's first token, likewise
  std::vector<WorkingBall> output_balls_;  // rows x width: c_tu
  std::vector<double> output_values_;      // likewise: less that of the first token, relative error 2^-52
  std::string obstacle_;
  long score_shift_ = 0;
  std::vector<WorkingBall> score_balls_;
  WorkingBall weight_;

  // The evaluated point; all `scaled` quantities carry the factor 1/unit.
  std::vector<std::size_t> reference_;
  FixedVector margin_;        // rows: margins against reference, >= 0
  double margin_error_ = 0;   // ulps
  FixedVector least_margin_;  // 1: the smallest margin of all, taken as exact shift
  WorkingBall least_factor_;  // exp(-least margin)
  FixedVector weight_fixed_;  // rows: k' exp(-(margin - least margin)), 0 for the reference
  double weight_error_ = 0;   // ulps
  std::vector<GroupFacts> facts_;
  FixedVector omega_;       // rows: scaled omega, the reference's is minus the sum of the others
  double omega_error_ = 0;  // ulps, for tokens other than the reference
  long omega_shift_ = 0;    // unit = least_factor * 2^omega_shift, omega = unit omega_
  FixedVector velocity_;    // groups x d: scaled V_i
  FixedVector velocity_z_;  // groups x d: scaled V z_i
  double velocity_z_error_ = 0;
  double velocity_slack_ = 0;         // ||V scaled exact at W~ - V scaled|| in ulps, Frobenius
  WorkingBall velocity_norm_;         // encloses the scaled ||V(W~)||, velocity_slack_ included
  WorkingBall velocity_norm_stored_;  // encloses the norm of the stored (rounded) scaled velocity

  JacobianPoint point_;
};

// The numbers in another format, with as many fraction bits or fewer: rounded down. Nothing where one does
// not fit.
std::optional<FixedVector> in_format(const FixedVector& numbers, FixedFormat format);

}  // namespace attest
