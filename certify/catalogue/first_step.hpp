// The first gradient step from W = 0, exactly up to the loss's slopes.
//
// At W = 0 attention is uniform, f_i is the mean score of group i, and
//   -n grad L(0) = sum_i |l'(mean_i)| C_i z_i',   C_i = (1/T_i) sum_t (g_it - mean_i) x_it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "certify/catalogue/loss_enclosure.hpp"
#include "certify/catalogue/optimum_geometry.hpp"
#include "numerics/numbers/ball_matrix.hpp"

namespace attest {

// Of the data it looks at some groups at a time and holds nothing.
class FirstStep {
 public:
  // `data` and `budget` must outlive it. Throws BudgetReached, as its members do.
  FirstStep(const TokenData& data, const Budget& budget);

  // Encloses -n grad L(0) entry by entry; `descent` is d x e. False when a mean is too large for its slope to
  // be evaluated.
  bool enclose(BallMatrix& descent, Loss loss, long bits) const;

  // Tells an enclosure of the margin of the matrix, which is not changed, for each constraint of the
  // selection, in their order, until `seen` says that it has seen enough.
  void margins(BallMatrix& descent, const Selection& selection, long bits,
               const std::function<bool(const Constraint&, const Interval&)>& seen) const;

  // The margin of -n grad L(0) as an exact linear form in the distinct slopes, evaluated: exact when all
  // slopes are. Nothing when a slope is not evaluated.
  std::optional<Interval> careful_margin(const Selection& selection, const Constraint& c, Loss loss,
                                         long bits) const;

 private:
  struct Group {
    std::vector<Integer> direction;  // C_i = direction / scale
    Integer scale;
    Rational mean;
  };
  Group group(std::size_t i) const;
  Integer scaled_score(std::size_t group, std::size_t token) const;
  Integer token_difference(const Selection& selection, const Constraint& c, std::size_t j) const;

  const TokenData& data_;
  const Budget& budget_;
  WholeNumbers x_;
  WholeNumbers z_;
  Integer score_scale_ = 1;
};

}  // namespace attest
