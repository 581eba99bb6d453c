#include "numerics/mirror/mirror_region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/mirror/divergence.hpp"
#include "numerics/mirror/region_data.hpp"

namespace attest {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_rounds = 12;  // of the ranges of weights
constexpr double most_slope = 1e3;
constexpr double margin_of_height = 1e-6;
constexpr std::size_t most_pieces = 400;  // of heights
constexpr double far = 40;                // times y_0: where the last piece may begin

// What holds on one piece of heights.
struct Piece {
  double energy = 0;        // bound of E/y^P
  double need = 0;          // of M
  double outside = 0;       // bound of rho
  std::vector<double> low;  // of margins
};

class RegionProof {
 public:
  RegionProof(const RegionData& data, const MirrorSpec& spec, const Reach& reach)
      : data_(data),
        reach_(reach),
        p_(data.p),
        q_(data.q),
        power_(std::max(1.0, data.q - 1)),
        eta_(mpq_get_d(spec.steps.step.backend().data()) * slack_up),
        normalised_(spec.normalised) {}

  std::optional<MirrorRegion> run(std::string& reason) {
    low_ = data_.margin;
    for (double& x : low_) x -= 0.5;
    for (int round = 0; round < most_rounds; ++round) {
      ranges_ = data_.ranges(low_);
      if (!ranges_) return fail(reason, "the attention left over is too large");
      concentration_ = data_.concentration(*ranges_);
      Piece all;
      if (!all_heights(all, reason)) return std::nullopt;
      bool inside = true;
      for (std::size_t c = 0; c < low_.size(); ++c) inside = inside && all.low[c] >= low_[c];
      if (inside) return conclusion(all);
      for (std::size_t c = 0; c < low_.size(); ++c)
        low_[c] = std::min(low_[c], all.low[c] - 0.02 - 0.01 * std::abs(all.low[c]));
    }
    return fail(reason, "no fixed point was found");
  }

 private:
  static std::optional<MirrorRegion> fail(std::string& reason, const char* words) {
    reason = words;
    return std::nullopt;
  }

  // Where a piece begins: y, x = zeta^r there, and the bound of E.
  struct Place {
    double height = 0, clock = 0, energy = 0;
  };

  // Heights y >= y_0 in pieces of the clock x; the last one has no end and stands on monotone bounds. On each
  // piece E rises with x by a slope that is at least what (2) asks there; slopes never fall, so a step that
  // leaves a piece keeps below the bound, too.
  bool all_heights(Piece& all, std::string& reason) {
    all.low.assign(low_.size(), infinity);
    Place from{data_.height, std::pow(data_.zeta, power_) * slack_down, 0};
    slope_ = 0.01;
    for (std::size_t k = 0; k < most_pieces; ++k) {
      const bool last =
          from.height >= far * data_.height && data_.ray_is_near(from.height * (1 - 2 * margin_of_height));
      Place to{infinity, infinity, infinity};
      if (!last && !place(from.height * (k < 60 ? 1.04 : 1.15), to)) {
        reason = "the ray is too far from the limit";
        return false;
      }
      Piece piece;
      if (!fits(from, to, piece, reason)) return false;
      all.outside = std::max(all.outside, piece.outside);
      for (std::size_t c = 0; c < low_.size(); ++c) all.low[c] = std::min(all.low[c], piece.low[c]);
      if (last) return true;
      if (*std::min_element(piece.low.begin(), piece.low.end()) < -1) {
        reason = "margins are not large enough yet";  // no round comes back from here
        return false;
      }
      to.energy = (from.energy + slope_ * (to.clock - from.clock)) * slack_up;
      from = to;
    }
    reason = "an entry of the limit is too small";
    return false;
  }

  // The clock's value at a height, such that heights with a smaller (larger) one are at most (least) that
  // height up to a millionth.
  bool place(double height, Place& found) const {
    const auto zeta = [&](double y, bool high) {
      const RaySpan at = data_.ray(y, y);
      return std::pow(y, p_ - 1) * (high ? at.zeta_high * slack_up : at.zeta_low * slack_down);
    };
    const double middle = (zeta(height, false) + zeta(height, true)) / 2;
    if (!(zeta(height * (1 - margin_of_height), true) < middle)) return false;
    if (!(zeta(height * (1 + margin_of_height), false) > middle)) return false;
    found.height = height;
    found.clock = std::pow(middle, power_);
    return true;
  }

  // Raises the slope until the piece bears it.
  bool fits(const Place& from, const Place& to, Piece& piece, std::string& reason) {
    for (int k = 0; k < 200 && slope_ < most_slope; ++k) {
      if (!one_piece(from, to, piece, reason)) return false;
      if (piece.need <= slope_) return true;
      slope_ = std::max(piece.need * 1.02, slope_ * 1.03);
    }
    reason = "energy grows too fast";
    return false;
  }

  bool one_piece(const Place& begin, const Place& end, Piece& piece, std::string& reason) {
    const bool tail = !std::isfinite(end.height);
    const double from = begin.height * (1 - margin_of_height), to = end.height * (1 + margin_of_height);
    const RaySpan ray = data_.ray(from, to);
    double zeta_from = std::pow(begin.clock, 1 / power_) * slack_down, zeta_to = infinity;
    if (tail) {
      // Slopes never fell, so E <= slope x.
      zeta_from = std::pow(from, p_ - 1) * ray.zeta_low * slack_down;
      piece.energy = slope_ * std::pow(ray.zeta_high, power_) * std::pow(from, (p_ - 1) * power_ - p_);
      if (!(ray.zeta_low > 0)) {
        reason = "the ray is too far from the limit";
        return false;
      }
    } else {
      zeta_to = std::pow(end.clock, 1 / power_) * slack_up;
      piece.energy = (begin.energy + slope_ * (end.clock - begin.clock)) / std::pow(from, p_);
    }
    piece.energy = piece.energy * slack_up + 1e-14;
    const double curved = curvature(ray, from, to, piece.energy);
    std::vector<double> reach;
    margins(ray, from, to, piece, reach);
    piece.outside = weight_outside(from, to, curved, reach);
    const double speed = data_.gamma * slack_down - piece.outside * data_.along_outside;
    if (!(speed > 0)) {
      reason = "better tokens still have weight";
      return false;
    }
    double most_reach = 0;
    for (std::size_t c = 0; c < reach.size(); ++c) {
      if (data_.outside[c]) most_reach = std::max(most_reach, reach[c]);
    }
    // Where reach * outside would have to be bounded at every later height, both fall: weight_outside.
    const double last = tail ? from : to;
    const double added = std::max(0.0, concentration_ + data_.gamma_high * curved) +
                         piece.outside * last * most_reach + step_cost(zeta_from, zeta_to, last, piece, tail);
    piece.need = added / speed / (power_ * std::pow(zeta_from, power_ - 1)) * slack_up;
    return true;
  }

  // kappa = <n, W - a(y)>, an upper bound (MIRROR.md section 5).
  double curvature(const RaySpan& ray, double from, double to, double energy) const {
    const double height = std::isfinite(to) ? to : from;
    std::vector<double> slope = data_.ray_slopes(ray, from, to, energy);
    const double linear = reach_(slope, ray, energy);
    double ratio = 0, rest = 0;
    const double share = std::sqrt(reach_quadratic(slope, ray, p_) / (2 * energy)) + 1e-12;
    for (std::size_t j = 0; j < slope.size(); ++j) {
      if (ray.near[j]) {
        ratio = std::max(ratio, data_.direction_high[j] / ray.low[j]);
      } else if (p_ < 2 && data_.moves[j]) {
        rest += rough_remainder(data_.direction_high[j], ray.high[j], energy, share, p_);
      }
    }
    if (rest > 0) rest += share * energy;
    return height * (linear + remainder_constant(p_) * ratio * energy + rest) * slack_up;
  }

  // m_c >= y (gamma_c - S_c) + r_c with |<Delta_c, W - a>| <= y S_c.
  void margins(const RaySpan& ray, double from, double to, Piece& piece, std::vector<double>& reach) const {
    const std::size_t count = low_.size();
    piece.low.resize(count);
    reach.resize(count);
    for (std::size_t c = 0; c < count; ++c) {
      reach[c] = reach_(data_.size[c], ray, piece.energy) * slack_up;
      const double slope = data_.along[c] - reach[c];
      const double offset = data_.margin[c] - data_.along_high[c] * data_.height_high;
      double least = slope * from;
      if (slope < 0) least = std::isfinite(to) ? slope * to : -infinity;
      piece.low[c] = least + offset - 1e-8 * (1 + std::abs(least) + std::abs(offset));
    }
  }

  // rho = sum_N |omega| / Om <= e^-K sum_N B_c e^(gamma <n,W> - m_c), <n,W> = y + kappa.
  double weight_outside(double from, double to, double curved, const std::vector<double>& reach) const {
    if (!data_.local) return 0;
    double sum = 0;
    for (std::size_t c = 0; c < reach.size(); ++c) {
      if (!data_.outside[c]) continue;
      const double kappa = std::max(0.0, curved);
      const double slope = data_.along[c] - data_.gamma_high - reach[c];
      double exponent = data_.margin_excess(c) + data_.gamma_high * kappa;
      // (gamma_c - gamma)(y - y_0) - y S_c - gamma kappa from m_c(w_0) - gamma y_0.
      const double rise = (data_.along[c] - data_.gamma_high) * (from - data_.height_high);
      exponent -= rise;
      exponent += reach[c] * (std::isfinite(to) ? to : from);
      if (!std::isfinite(to)) {
        // Both the exponent and y e^exponent fall from here on.
        if (!(slope * from - data_.gamma_high * kappa > 1)) return infinity;
      }
      sum += ranges_->outside[c] * std::exp(exponent + 1e-9 * (1 + std::abs(exponent)));
    }
    return sum * std::exp(-ranges_->multiplier_level) * slack_up;
  }

  // What the step's own curvature adds to E, divided by tau Om (MIRROR.md section 6).
  double step_cost(double zeta_from, double zeta_to, double height, const Piece& piece, bool tail) const {
    const double longest = data_.longest * (1 + piece.outside);
    const double large = tail ? zeta_from : zeta_to;
    if (p_ <= 2) {
      const double spare = 2 * q_ * piece.energy * std::pow(height, p_) + q_ * data_.ray_cost(height);
      const double norm =
          std::pow(std::pow(large, q_) + spare, 1 / q_) + eta_ * (normalised_ ? 1 : longest * most_weight());
      const double curve = (q_ - 1) * std::pow(norm, q_ - 2) * slack_up;
      if (!normalised_) return 0.5 * curve * most_weight() * eta_ * longest * longest;
      const double plain = 0.5 * curve * eta_ * longest;
      if (tail) return plain;
      const double spread = curve * eta_ * data_.diameter;
      return std::min(plain, 0.5 * curve * eta_ * (data_.gamma_high + piece.outside * data_.longest) +
                                 spread * spread / 32);
    }
    const double constant = std::pow(2.0, 2 - q_) / q_ * slack_up;
    if (!normalised_) return constant * std::pow(most_weight() * eta_, q_ - 1) * std::pow(longest, q_);
    const double share = constant * std::pow(eta_, q_ - 1);
    const double spread = share * data_.diameter;
    return std::min(share * longest,
                    share * (data_.gamma_high + piece.outside * data_.longest) + spread * spread / 8);
  }

  // Om at all later steps.
  double most_weight() const {
    double sum = 0;
    for (std::size_t c = 0; c < low_.size(); ++c) {
      if (!data_.outside[c]) sum += ranges_->high[c] * std::exp(-low_[c]);
    }
    return sum * slack_up;
  }

  MirrorRegion conclusion(const Piece& all) const {
    MirrorRegion region;
    region.energy = slope_;
    region.concentration = concentration_;
    region.height = data_.height;
    region.zeta = data_.zeta;
    region.least_margin = *std::min_element(low_.begin(), low_.end());
    region.unselected = *std::max_element(ranges_->unselected.begin(), ranges_->unselected.end());
    region.local = data_.local;
    const double speed = data_.gamma * slack_down - all.outside * data_.along_outside;
    if (normalised_) region.growth = speed / (data_.longest * (1 + all.outside)) * slack_down;
    // 1 - <Z,u>/||Z||_Q <= E_0/zeta^Q, E_0 <= 2 E + what the ray's offset costs.
    region.power = q_ - power_;
    region.direction = (2 * slope_ + data_.ray_cost_share(power_)) * slack_up;
    return region;
  }

  const RegionData& data_;
  const Reach& reach_;
  const double p_, q_, power_, eta_;
  const bool normalised_;
  std::vector<double> low_;
  double slope_ = 0, concentration_ = 0;
  std::optional<WeightRanges> ranges_;
};

// base^(-power), "1/t" for "t".
std::string inverse_power(const std::string& base, const Rational& power) {
  return power == 1 ? "1/" + base : base + "^(-" + power.str() + ")";
}

// zeta grows like the sum of the steps (normalised), or like (log of it)^(P-1).
std::string rate_word(const MirrorSpec& spec) {
  const Rational& p = spec.exponent;
  const Schedule schedule = spec.steps.schedule;
  if (!spec.normalised) {
    const std::string grown = schedule == Schedule::inverse ? "log(log(t))" : "log(t)";
    return inverse_power(grown, p <= 2 ? Rational(p - 1) : Rational(1));
  }
  const Rational power = p <= 2 ? Rational(1) : Rational(1 / (p - 1));
  if (schedule == Schedule::inverse) return inverse_power("log(t)", power);
  return inverse_power("t", schedule == Schedule::inverse_sqrt ? Rational(power / 2) : power);
}

}  // namespace

std::optional<MirrorRegion> prove_mirror_region(const TokenData& data, const MirrorSpec& spec,
                                                const Potential& potential, const MirrorLimit& limit,
                                                const Reach& reach, const std::vector<Ball>& w0,
                                                std::string& reason) {
  RegionData facts;
  if (!facts.read(data, spec, potential, limit, w0, reason)) return std::nullopt;
  std::optional<MirrorRegion> region = RegionProof(facts, spec, reach).run(reason);
  if (region) region->rate = rate_word(spec);
  return region;
}

}  // namespace attest
