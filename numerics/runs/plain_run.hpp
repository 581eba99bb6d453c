// The same iterations in ordinary floating point, double or MPFR of any precision: guesses, comparisons,
// speed without proof. Nothing here is rigorous; results are `computed`, never `checked`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "numerics/numbers/exact_array.hpp"
#include "numerics/runs/geometry.hpp"
#include "numerics/runs/optimizer.hpp"
#include "numerics/runs/reference_direction.hpp"

namespace attest {

// How the gradient is evaluated: T1's cancellation-free form with the dominating token as reference, or the
// textbook softmax backward pass of deep-learning libraries, whose noise takes over once exp(-margin) is
// below the precision.
enum class GradientForm { cancellation_free, textbook };

struct PlainObservation {
  std::uint64_t step = 0;
  double norm = 0, along = 0, across = 0, one_minus_corr = 0, loss_gap = 0, gradient_norm = 0,
         max_unselected = 0;
};

// Real is double or a Boost.Multiprecision mpfr_float (plain_run.cpp instantiates both).
template <typename Real>
class PlainRun {
 public:
  // `start`: W_0, d x e exact entries, row-major; empty: zero. For MPFR the thread's default precision at
  // construction is used throughout.
  PlainRun(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
           GradientForm form);
  ~PlainRun();
  PlainRun(const PlainRun&) = delete;
  PlainRun& operator=(const PlainRun&) = delete;

  // One step; false when the gradient is not finite or is zero (the run cannot go on).
  bool advance();
  std::uint64_t step() const { return step_; }
  // The P_i of W = W_0 + sum_i P_i z_i': groups x d.
  const std::vector<Real>& coordinates() const { return position_; }

  // Per group of the geometry, the token with the largest logit.
  std::vector<std::size_t> dominating();
  // Relative to the direction, or without along, across and one_minus_corr when null.
  PlainObservation observe(const ReferenceDirection* direction);

 private:
  void evaluate();
  // Margins of all tokens below the reference of their group; the least one.
  Real take_margins();
  // Adds a group's part of loss and largest unselected attention, from its attentions times exp(least).
  void attend(std::size_t i, const Real& least);
  // The slopes of the loss at all outputs, over the exponential of what is returned: 0 unless the largest is
  // beyond the range of doubles.
  Real take_slopes();
  // Leaves a group's velocity.
  void push(std::size_t i);
  Real score_by_outputs(std::size_t group, const Real& total);
  void query_images(const std::vector<Real>& v, std::vector<Real>& result) const;

  const RunGeometry* geometry_;
  OptimizerSpec spec_;
  GradientForm form_;
  std::uint64_t step_ = 0;
  bool evaluated_ = false;
  std::vector<Real> tokens_, queries_, gram_, scores_, outputs_, start_image_;
  std::vector<Real> log_multiplicity_;  // rows; empty where there are no offsets
  Real start_norm_squared_ = 0;
  std::vector<Real> position_, image_, margin_, attention_, velocity_, velocity_z_;
  std::vector<Real> moving_,
      moving_image_;  // U of optimizer.hpp, as coordinates, and its images; empty at first
  std::vector<std::size_t> reference_;
  std::vector<Real> total_, deficit_, slope_;  // by group: of the attention, of its score, of the loss
  // The gradient is unit_ times the velocities, attention_ that of the tokens over scale_.
  Real velocity_norm_ = 0, loss_gap_ = 0, scale_ = 0, unit_ = 0, max_unselected_ = 0;
};

}  // namespace attest
