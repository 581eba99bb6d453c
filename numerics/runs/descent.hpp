// The iteration whose state is W itself: W_{t+1} = W_t + tau_t V(W_t) over fixed features.
//
// A step computes F(W~) in fixed point with a stated error (the residual), bounds the 2-norm K of the step's
// Jacobian over the ball, and sets radius' = K radius + residual.
#pragma once

#include "numerics/runs/feature_point.hpp"
#include "numerics/runs/gradient_step.hpp"
#include "numerics/runs/iteration.hpp"

namespace attest {

class Descent final : public Iteration {
 public:
  explicit Descent(const IterationStart& start);

  IterationStatus evaluate() override { return point_.evaluate(); }
  IterationStatus advance() override;
  std::uint64_t step() const override { return step_; }
  const FeaturePoint& point() const override { return point_; }
  double amplification_bits() const override { return amplification_bits_; }
  State save() const override;
  IterationStatus restore(const State& state) override;
  std::optional<State> state_in(FixedFormat format) const override;

 private:
  OptimizerSpec spec_;
  FeaturePoint point_;
  GradientStep gradient_step_;
  std::uint64_t step_ = 0;
  double amplification_bits_ = 0;
};

}  // namespace attest
