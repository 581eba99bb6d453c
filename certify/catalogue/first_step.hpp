// The first gradient step from W = 0, exactly up to the loss's slopes.
//
// At W = 0 attention is uniform, f_i is the mean score of group i, and
//   -n grad L(0) = sum_i |l'(mean_i)| C_i z_i',   C_i = (1/T_i) sum_t (g_it - mean_i) x_it.
#pragma once

#include <optional>
#include <vector>

#include "certify/catalogue/loss_enclosure.hpp"
#include "certify/catalogue/optimum_geometry.hpp"
#include "numerics/numbers/ball_matrix.hpp"

namespace attest {

class FirstStep {
 public:
  // `data` and `budget` must outlive it. Throws BudgetReached, as its members do.
  FirstStep(const TokenData& data, const Budget& budget);

  // |l'(mean_i)| for every group, or nothing when a mean is too large to evaluate.
  std::optional<std::vector<Interval>> slopes(Loss loss, long bits) const;

  // Encloses -n grad L(0) entry by entry; `descent` is d x e.
  void enclose(BallMatrix& descent, const std::vector<Interval>& slope, long bits) const;

  // Enclosures of the margins of -n grad L(0) for the constraints wanted.
  std::vector<Interval> margins(const Selection& selection, const std::vector<Constraint>& wanted,
                                const std::vector<Interval>& slope, long bits) const;

  // The margin as an exact linear form in the distinct slopes, evaluated: exact when all slopes are.
  Interval careful_margin(const Selection& selection, const Constraint& c, const std::vector<Interval>& slope,
                          bool all_slopes_equal) const;

 private:
  Integer scaled_score(std::size_t group, std::size_t token) const;
  Integer token_difference(const Selection& selection, const Constraint& c, std::size_t j) const;

  const TokenData& data_;
  const Budget& budget_;
  SharedDenominatorMatrix x_;
  SharedDenominatorMatrix z_;
  Integer score_scale_ = 1;
  std::vector<Integer> direction_;  // n x d
  std::vector<Integer> scale_;      // n
  std::vector<Rational> mean_;      // n
};

}  // namespace attest
