// T17 on one piece of heights (MIRROR.md sections 5 to 7): how fast E may grow there, and what margins and
// the weight of better tokens are as long as it does not grow faster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/mirror/region_data.hpp"
#include "numerics/mirror/step_curvature.hpp"
#include "numerics/mirror/whole_entry.hpp"

namespace attest {

// A piece's ends are known up to this share of their heights.
inline constexpr double margin_of_height = 1e-6;

// Where a piece begins: y, x = zeta^r there, and the bound of E.
struct Place {
  double height = 0, clock = 0, energy = 0;
};

// What holds on one piece of heights: upper bounds, but of margins.
struct Piece {
  double energy = 0;        // of E/y^P
  double need = 0;          // of what (2) asks of Phi'
  double outside = 0;       // of rho
  std::vector<double> low;  // of margins
};

template <typename Number>
class PieceBounds {
 public:
  PieceBounds(const RegionData<Number>& data, const MirrorSpec& spec, const Reach<Number>& reach);

  // From here on margins are taken to be at least `low`. False where some weight might be 0 then.
  bool assume(const std::vector<double>& low);

  // From one place to another, which may be infinite, while E rises with the clock by `slope`; nothing, with
  // the reason, where there is no bound.
  std::optional<Piece> operator()(const Place& begin, const Place& end, double slope, std::string& reason);

  // E at the clock, an upper bound, where it rises by the slope from a place on.
  double energy_at(const Place& from, double clock, double slope) const;
  // Of zeta in one step, an upper bound: tau <V,u>.
  double longest_step(double outside) const;

  double concentration() const { return concentration_; }
  // max_i of 1 - s_i.
  double unselected() const;
  // Of the loss above that of the selected tokens alone.
  double loss() const;

 private:
  double curvature(const RaySpan& ray, const PoweredRay<Number>& powers, double from, double to,
                   double energy);
  double whole_curvature(const RaySpan& ray, const PoweredRay<Number>& powers, std::vector<double>& slope,
                         double from, double to, double energy);
  void margins(const PoweredRay<Number>& powers, double from, double to, Piece& piece,
               std::vector<double>& reach) const;
  double weight_outside(double from, double to, double curved, const std::vector<double>& reach) const;
  double step_cost(double zeta_from, double zeta_to, double from, double height, const RaySpan& ray,
                   const Piece& piece, double speed);
  double smooth_cost(double zeta, double height, const Piece& piece, bool tail) const;
  double most_weight(const std::vector<double>& low) const;

  const RegionData<Number>& data_;
  const Exponents& exponents_;
  const Reach<Number>& reach_;
  double eta_;
  bool normalised_;
  double remainder_;
  std::optional<StepCurvature<Number>> curvature_;
  std::optional<WholeEntry<Number>> whole_;
  double share_ = 0.1;  // of E in whole_curvature
  double concentration_ = 0, weight_ = 0;
  std::optional<WeightRanges<Number>> ranges_;
};
extern template class PieceBounds<double>;
extern template class PieceBounds<DoubleInterval>;

}  // namespace attest
