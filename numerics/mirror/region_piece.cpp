#include "numerics/mirror/region_piece.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/mirror/sizes.hpp"

namespace attest {
namespace {

constexpr double whole_farthest = 60;  // of |a_j/u_j|

}  // namespace

template <typename Number>
PieceBounds<Number>::PieceBounds(const RegionData<Number>& data, const MirrorSpec& spec,
                                 const Reach<Number>& reach)
    : data_(data),
      exponents_(data.exponents),
      reach_(reach),
      eta_(high(number<Number>(spec.steps.step))),
      normalised_(spec.normalised),
      remainder_(remainder_constant<Number>(data.exponents)) {
  if (exponents_.side <= 0) return;
  curvature_.emplace(data, normalised_ ? eta_ : 0);
  whole_.emplace(exponents_);
}

template <typename Number>
bool PieceBounds<Number>::assume(const std::vector<double>& low) {
  ranges_ = data_.ranges(low);
  if (!ranges_) return false;
  concentration_ = data_.concentration(*ranges_);
  weight_ = most_weight(low);
  return true;
}

template <typename Number>
double PieceBounds<Number>::energy_at(const Place& from, double clock, double slope) const {
  return high(Number(from.energy) + Number(slope) * (Number(clock) - Number(from.clock)));
}

template <typename Number>
double PieceBounds<Number>::longest_step(double outside) const {
  if (normalised_) return high(Number(eta_));
  double along = 0;
  for (const Number& x : data_.along) along = std::max(along, high(x));
  return high(Number(weight_) * Number(eta_) * Number(along) * (Number(1.0) + Number(outside)));
}

template <typename Number>
std::optional<Piece> PieceBounds<Number>::operator()(const Place& begin, const Place& end, double slope,
                                                     std::string& reason) {
  Piece piece;
  const bool tail = !std::isfinite(end.height);
  const double from = begin.height * (1 - margin_of_height), to = end.height * (1 + margin_of_height);
  const RaySpan ray = data_.ray(from, to);
  const PoweredRay<Number> powers(ray, exponents_);
  double zeta_from = low(pow(Number(begin.clock), exponents_.one_over_clock)), zeta_to = infinity;
  const Number scale = pow(Number(from), exponents_.p);
  if (tail) {
    if (!(ray.zeta_low > 0)) {
      reason = "the ray is too far from the limit";
      return std::nullopt;
    }
    // E <= slope x beyond, with the slope here or what all of E is of x.
    const Number most(std::max(slope, high(Number(begin.energy) / Number(begin.clock))));
    const Number rise = pow(Number(from), exponents_.p_minus_1);
    zeta_from = low(rise * Number(ray.zeta_low));
    piece.energy = high(most * pow(rise * Number(ray.zeta_high), exponents_.clock) / scale);
  } else {
    zeta_to = high(pow(Number(end.clock), exponents_.one_over_clock));
    piece.energy = high(Number(energy_at(begin, end.clock, slope)) / scale);
  }
  piece.energy += 1e-14;
  const double curved = curvature(ray, powers, from, to, piece.energy);
  std::vector<double> reach;
  margins(powers, from, to, piece, reach);
  piece.outside = weight_outside(from, to, curved, reach);
  const double speed = low(data_.gamma - Number(piece.outside) * Number(data_.along_outside));
  if (!(speed > 0)) {
    reason = "better tokens still have weight";
    return std::nullopt;
  }
  double most_reach = 0;
  for (std::size_t c = 0; c < reach.size(); ++c) {
    if (data_.outside[c]) most_reach = std::max(most_reach, reach[c]);
  }
  // Where reach * outside would have to be bounded at every later height, both fall: weight_outside.
  const double last = tail ? from : to;
  const double gathered = std::max(0.0, high(Number(concentration_) + data_.gamma * Number(curved)));
  const Number stepping(step_cost(zeta_from, zeta_to, from, last, ray, piece, speed));
  Number added = Number(gathered) + stepping;
  if (data_.local) added += Number(piece.outside) * Number(last) * Number(most_reach);
  const Number rate = ratio<Number>(exponents_.clock) * pow(Number(zeta_from), exponents_.clock_minus_1);
  piece.need = high(added / (Number(speed) * rate));
  return piece;
}

// kappa = <n, W - a(y)>, an upper bound (MIRROR.md section 5).
template <typename Number>
double PieceBounds<Number>::curvature(const RaySpan& ray, const PoweredRay<Number>& powers, double from,
                                      double to, double energy) {
  const bool tail = !std::isfinite(to);
  const Number height(tail ? from : to);
  std::vector<double> slope = data_.ray_slopes(ray, from, energy, reach_.floor());
  if (whole_ && !tail) return high(height * Number(whole_curvature(ray, powers, slope, from, to, energy)));
  const Number linear(reach_(slope, powers, energy));
  double relative = 0;
  Number rest(0.0);
  const double share =
      std::sqrt(approx_reach_quadratic(slope, powers, exponents_.p.value()) / (2 * energy)) + 1e-12;
  for (std::size_t j = 0; j < slope.size(); ++j) {
    const double u = size_above(data_.direction[j]);
    if (ray.near[j]) {
      relative = std::max(relative, high(Number(u) / Number(ray.low[j])));
    } else if (exponents_.side < 0 && data_.moves[j]) {
      rest += Number(rough_remainder<Number>(exponents_, u, ray.high[j], energy, share));
    }
  }
  if (high(rest) > 0) rest += Number(share) * Number(energy);
  return high(height * (linear + Number(remainder_) * Number(relative) * Number(energy) + rest));
}

// P > 2, divided by y: with one share for all entries, each as a whole; where u_j is or may be 0 beside a_j
// by its slope, and by Lemma 4 where that is of a near entry.
template <typename Number>
double PieceBounds<Number>::whole_curvature(const RaySpan& ray, const PoweredRay<Number>& powers,
                                            std::vector<double>& slope, double from, double to,
                                            double energy) {
  struct Whole {
    double from, to;
    Number scale;
  };
  std::vector<Whole> wholes;
  double relative = 0;
  for (std::size_t j = 0; j < slope.size(); ++j) {
    const Number& u = data_.direction[j];
    if (!data_.moves[j] || (low(u) <= 0 && high(u) >= 0)) continue;
    const Number one = Number(1.0) + data_.offset[j] / (Number(from) * u);
    const Number other = Number(1.0) + data_.offset[j] / (Number(to) * u);
    const double least = std::min(low(one), low(other)), most = std::max(high(one), high(other));
    if (!(std::max(-least, most) < whole_farthest)) {
      if (ray.near[j]) relative = std::max(relative, high(Number(size_above(u)) / Number(ray.low[j])));
      continue;
    }
    slope[j] = 0;
    wholes.push_back({least, most, pow(Number(size_above(u)), exponents_.p)});
  }
  const auto at = [&](double share) {
    Number sum = (Number(share) + Number(remainder_) * Number(relative)) * Number(energy);
    for (std::size_t j = 0; j < slope.size(); ++j) {
      if (slope[j] > 0) sum += Number(reach_.conjugate(slope[j], share, powers.edge[j], powers.power[j]));
    }
    for (const Whole& entry : wholes) sum += entry.scale * Number((*whole_)(entry.from, entry.to, share));
    return high(sum);
  };
  // Any share will do; from piece to piece the best one changes little.
  double best = at(share_);
  for (const double step : {1.3, 1 / 1.3}) {
    for (double next = at(share_ * step); next < best; next = at(share_ * step)) {
      share_ *= step;
      best = next;
    }
  }
  return best;
}

// m_c >= y (gamma_c - S_c) + r_c with |<Delta_c, W - a>| <= y S_c: gamma_c y + r_c = m_c(W_0) + gamma_c (y
// - y_0).
template <typename Number>
void PieceBounds<Number>::margins(const PoweredRay<Number>& powers, double from, double to, Piece& piece,
                                  std::vector<double>& reach) const {
  const std::size_t count = data_.size.size();
  piece.low.resize(count);
  reach.resize(count);
  for (std::size_t c = 0; c < count; ++c) {
    reach[c] = reach_(data_.size[c], powers, piece.energy);
    const auto at = [&](double y) {
      const Number rise = data_.along[c] * (Number(y) - data_.height);
      return low(data_.margin[c] + rise - Number(reach[c]) * Number(y));
    };
    piece.low[c] = at(from);
    if (std::isfinite(to)) {
      piece.low[c] = std::min(piece.low[c], at(to));
    } else if (!(low(data_.along[c] - Number(reach[c])) >= 0)) {
      piece.low[c] = -infinity;
    }
  }
}

// rho = sum_N |omega| / Om <= e^-K sum_N B_c e^(gamma <n,W> - m_c), <n,W> = y + kappa.
template <typename Number>
double PieceBounds<Number>::weight_outside(double from, double to, double curved,
                                           const std::vector<double>& reach) const {
  using std::exp;
  if (!data_.local) return 0;
  Number sum(0.0);
  const Number bend = data_.gamma * Number(std::max(0.0, curved));
  for (std::size_t c = 0; c < reach.size(); ++c) {
    if (!data_.outside[c]) continue;
    const Number steeper = data_.along[c] - data_.gamma;
    // gamma y_0 - m_c(w_0) + gamma kappa - (gamma_c - gamma)(y - y_0) + y S_c.
    const auto at = [&](double y) {
      const Number rise = steeper * (Number(y) - data_.height);
      return high(data_.excess[c] + bend - rise + Number(reach[c]) * Number(y));
    };
    double exponent = at(from);
    if (std::isfinite(to)) {
      exponent = std::max(exponent, at(to));
    } else if (!(low((steeper - Number(reach[c])) * Number(from) - bend) > 1)) {
      return infinity;  // else the exponent and y e^exponent fall from here on
    }
    sum += Number(high(ranges_->outside[c])) * exp(Number(exponent));
  }
  return high(sum * exp(-ranges_->multiplier_level));
}

// What the step's own curvature adds to E, divided by tau Om (MIRROR.md section 6).
template <typename Number>
double PieceBounds<Number>::step_cost(double zeta_from, double zeta_to, double from, double height,
                                      const RaySpan& ray, const Piece& piece, double speed) {
  const bool tail = !std::isfinite(zeta_to);
  if (exponents_.side <= 0) return smooth_cost(tail ? zeta_from : zeta_to, height, piece, tail);
  const Number eta(eta_), longest = Number(data_.longest) * (Number(1.0) + Number(piece.outside));
  const Number constant(hoelder_constant<Number>(exponents_)), weight(weight_);
  StepFacts facts;
  for (std::size_t j = 0; j < ray.low.size(); ++j)
    facts.entries.push_back(std::max(0.0, low(Number(from) * Number(ray.low[j]))));
  facts.energy = high(Number(piece.energy) * pow(Number(from), exponents_.p));
  facts.length = high(normalised_ ? eta / Number(speed) : eta * weight);
  facts.speed = speed;
  facts.outside = piece.outside;
  const double fine = (*curvature_)(facts);
  if (!normalised_) {
    const Number length = weight * eta;
    return std::min(fine, high(constant * pow(length, exponents_.q_minus_1) * pow(longest, exponents_.q)));
  }
  const Number share = constant * pow(eta, exponents_.q_minus_1);
  const Number spread = share * Number(data_.diameter);
  const Number mean = data_.gamma + Number(piece.outside) * Number(data_.longest);
  const double coarse = std::min(high(share * longest), high(share * mean + spread * spread / Number(8.0)));
  return std::min(fine, coarse);
}

// P <= 2.
template <typename Number>
double PieceBounds<Number>::smooth_cost(double zeta, double height, const Piece& piece, bool tail) const {
  const Number eta(eta_), weight(weight_), half(0.5);
  const Number longest = Number(data_.longest) * (Number(1.0) + Number(piece.outside));
  const Number spare = Number(2.0) * data_.q * Number(piece.energy) * pow(Number(height), exponents_.p) +
                       data_.q * Number(data_.ray_cost(height));
  const Number norm = pow(pow(Number(zeta), exponents_.q) + spare, exponents_.one_over_q) +
                      (normalised_ ? eta : eta * longest * weight);
  const Number curve = ratio<Number>(exponents_.q_minus_1) * pow(norm, exponents_.q_minus_2);
  if (!normalised_) return high(half * curve * weight * eta * longest * longest);
  const double plain = high(half * curve * eta * longest);
  if (tail) return plain;
  const Number spread = curve * eta * Number(data_.diameter);
  const Number mean = data_.gamma + Number(piece.outside) * Number(data_.longest);
  return std::min(plain, high(half * curve * eta * mean + spread * spread / Number(32.0)));
}

// Om at all later steps.
template <typename Number>
double PieceBounds<Number>::most_weight(const std::vector<double>& low) const {
  using std::exp;
  Number sum(0.0);
  for (std::size_t c = 0; c < low.size(); ++c) {
    if (!data_.outside[c]) sum += Number(high(ranges_->high[c])) * exp(Number(-low[c]));
  }
  return high(sum);
}

template <typename Number>
double PieceBounds<Number>::unselected() const {
  return *std::max_element(ranges_->unselected.begin(), ranges_->unselected.end());
}

template <typename Number>
double PieceBounds<Number>::loss() const {
  return high(ranges_->loss);
}

template class PieceBounds<double>;
template class PieceBounds<DoubleInterval>;

}  // namespace attest
