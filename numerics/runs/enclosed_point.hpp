// A point W_t of an exact trajectory as it is known: a kept W~ with ||W_t - W~||_F <= radius, and enclosures
// at W_t of whatever is observed there. Observers and theorems see points; what the iteration keeps beside W
// (a velocity, factors of W) is its own affair.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "numerics/numbers/exact_array.hpp"
#include "numerics/numbers/fixed_point.hpp"
#include "numerics/runs/geometry.hpp"

namespace attest {

// What became of an evaluation or a step.
enum class IterationStatus {
  ok,
  stationary,  // the gradient is exactly zero at the exact start: the iteration stays there
  precision,   // the working precision or the radius no longer proves a step: retry with more fraction bits
  range,       // a number left the fixed-point range: retry with more integer bits, unless obstacle() says
               // that none help
};

class EnclosedPoint {
 public:
  virtual ~EnclosedPoint() = default;

  virtual const RunGeometry& geometry() const = 0;
  virtual const FixedFormat& format() const = 0;
  // Of balls, enough for numbers of that format.
  slong precision() const { return format().fraction_bits + 32; }

  // Bound of ||W_t - W~||_F.
  virtual mag_srcptr radius() const = 0;
  // W~ z_i (groups x d): each entry within image_error() ulps.
  virtual const FixedVector& image() const = 0;
  virtual double image_error() const = 0;
  // Encloses ||W_t||.
  virtual void norm(arb_ptr value) const = 0;

  // Encloses ||W_t - V||_F for an exact V: d x e entries, row-major. Throws BudgetReached.
  virtual void distance(arb_ptr value, const ExactArray& matrix) const = 0;

  // The token of each group whose logit is largest at W~.
  virtual const std::vector<std::size_t>& reference() const = 0;
  // Is reference()[group] strictly dominating for the exact W_t (logit above every other's)?
  virtual bool dominates(std::size_t group) const = 0;
  // Encloses the margin <a_{i,reference} - a_it, W_t>, with offsets that of logits with log multiplicities
  // added; row is of RunGeometry.
  virtual void margin(arb_ptr value, std::size_t group, std::size_t row) const = 0;
  // Enclose 1 - s_{i,reference}, f_i's deficit g_{i,reference} - f_i (of scores), and the loss gap L - L*. Of
  // several outputs L* is the loss of all attention on the tokens of `limit`, a token for each group of the
  // data; null: on each group's best_token.
  virtual void unselected(arb_ptr value, std::size_t group) const = 0;
  virtual void deficit(arb_ptr value, std::size_t group) const = 0;
  virtual void loss_gap(arb_ptr value, const std::vector<std::size_t>* limit) const = 0;
  // Why the last evaluation or step failed, where more bits may not help (precision) or do not (range).
  virtual const std::string& obstacle() const = 0;
  // Encloses ||grad L(W_t)||.
  virtual void gradient_norm(arb_ptr value) const = 0;
};

}  // namespace attest
