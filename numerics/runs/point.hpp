// One step of a validated run, seen from a reference direction: enclosures of everything that is reported,
// and of everything the theorems about all later steps (theory.md section 5) start from.
//
// Every ball encloses the value at the exact trajectory's W_t (not merely at the kept iterate).
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/numbers/ball.hpp"
#include "numerics/runs/iteration.hpp"
#include "numerics/runs/reference_direction.hpp"

namespace attest {

struct RunPoint {
  std::uint64_t step = 0;
  Ball norm;           // ||W||_F
  Ball loss_gap;       // L - L*
  Ball gradient_norm;  // ||grad L||_F
  // Meaningful when there is a reference direction u of a selection alpha:
  Ball along;           // y = <W, u>
  Ball across;          // x = ||W - y u||
  Ball one_minus_corr;  // 1 - y/||W||; not finite when W = 0 is possible
  // Per group of the geometry: 1 - s_i,selected; without a direction, 1 - s of the dominating token.
  std::vector<Ball> unselected;
  Ball max_unselected;
};

// Watches one iteration. Keeps the direction in its fixed-point format.
class RunObserver {
 public:
  // `direction` may be null: then along and across stay 0. Both must outlive the observer.
  RunObserver(const Iteration& iteration, const ReferenceDirection* direction);

  // The iteration must be evaluated at its current step. Cheap enough for every step; without `groups`,
  // `unselected` and max_unselected, loss_gap and gradient_norm are left alone too.
  void observe(RunPoint& point, bool groups) const;

  // <a_{i,alpha_i} - a_it, W> at the exact W_t for every row of the geometry (0 for alpha_i itself). Needs a
  // direction.
  std::vector<Ball> margins() const;
  // f_i's deficit g_{i,alpha_i} - f_i, per group. Needs a direction.
  std::vector<Ball> deficits() const;

  // An upper bound of radius / ||W_t|| as a power of two: radius <= 2^-result ||W_t||; 0 when ||W_t|| is not
  // bounded away from 0, a large number when the radius is 0.
  long correct_bits(const RunPoint& point) const;

 private:
  std::size_t selected(std::size_t group) const;

  const Iteration* iteration_;
  const ReferenceDirection* direction_;
  FixedVector coordinates_;  // 2^-scale_ w~'s coordinates, within 1 ulp
  long scale_ = 0;
};

}  // namespace attest
