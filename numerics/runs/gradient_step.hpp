// One step of a rule from an evaluated point over fixed features: tau V in fixed point with its error, and
// the derivative of W -> tau V(W) over the ball. What iterations that move W by gradients have in common.
#pragma once

#include <cstdint>
#include <optional>

#include "numerics/runs/feature_point.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

class GradientStep {
 public:
  // `geometry` and `budget` (may be null) must outlive the step.
  GradientStep(const RunGeometry& geometry, const OptimizerSpec& spec, FixedFormat format,
               const Budget* budget);

  // Encloses tau at step t: precision where it is not proved positive, range where no number is as long as
  // the step, which the point's obstacle() then says.
  IterationStatus prepare(FeaturePoint& point, std::uint64_t t);
  // Bounds of the derivative of the step's tau V over the point's ball; nothing when the ball is too large
  // for any. Where s (-lmin D) is at most `most_fall`, its bound is not sharpened. Throws BudgetReached.
  std::optional<StepDerivative> derivative(const FeaturePoint& point, double most_fall);
  // tau V in fixed point.
  IterationStatus multiply(const FeaturePoint& point);

  // Its coordinates and images (groups x d).
  const FixedVector& coordinates() const { return coordinates_; }
  const FixedVector& image() const { return image_; }
  // A bound of its distance to tau V(W~) as a matrix, in the Frobenius norm; and of that of any entry of
  // image() to the images of coordinates(), in ulps.
  mag_srcptr error() const { return error_; }
  double image_error() const { return image_error_; }

 private:
  const RunGeometry* geometry_;
  OptimizerSpec spec_;
  FixedFormat format_;
  std::uint64_t t_ = 0;
  WorkingBall factor_;  // tau unit
  FixedVector coordinates_, image_;
  Magnitude error_;
  double image_error_ = 0;
  JacobianBound jacobian_bound_;
  WorkingBall scratch_;
};

}  // namespace attest
