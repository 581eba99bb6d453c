#include "numerics/mirror/mirror_region.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/mirror/region_data.hpp"
#include "numerics/mirror/sizes.hpp"
#include "numerics/mirror/step_curvature.hpp"
#include "numerics/mirror/whole_entry.hpp"

namespace attest {
namespace {

constexpr int most_rounds = 12;  // of the ranges of weights
constexpr double most_slope = 1e3;
constexpr double margin_of_height = 1e-6;
constexpr std::size_t most_pieces = 400;  // of heights
constexpr double farthest = 40;           // times y_0: where the last piece may begin
constexpr double room = 1e-6;             // left between a guess and its proof
constexpr double whole_farthest = 60;     // of |a_j/u_j|

// What holds on one piece of heights: upper bounds, but of margins.
struct Piece {
  double energy = 0;        // of E/y^P
  double need = 0;          // of what (2) asks of Phi'
  double outside = 0;       // of rho
  std::vector<double> low;  // of margins
};

// What a search in doubles found, for the proof to begin with.
struct RegionPlan {
  std::vector<double> low;     // floors of margins
  std::vector<double> slopes;  // of Phi on each piece
};

template <typename Number>
class RegionProof {
 public:
  RegionProof(const RegionData<Number>& data, const MirrorSpec& spec, const Reach<Number>& reach,
              const Budget& budget)
      : data_(data),
        budget_(budget),
        exponents_(data.exponents),
        reach_(reach),
        eta_(high(number<Number>(spec.steps.step))),
        normalised_(spec.normalised),
        remainder_(remainder_constant<Number>(data.exponents)) {
    if (exponents_.side <= 0) return;
    curvature_.emplace(data, normalised_ ? eta_ : 0);
    whole_.emplace(exponents_);
  }

  std::optional<MirrorRegion> run(RegionPlan& plan, std::string& reason) {
    hints_ = plan.slopes;
    low_ = plan.low;
    if (low_.empty()) {
      for (const Number& m : data_.margin) low_.push_back(low(m) - 0.5);
    }
    for (int round = 0; round < most_rounds; ++round) {
      ranges_ = data_.ranges(low_);
      if (!ranges_) return fail(reason, "the attention left over is too large");
      concentration_ = data_.concentration(*ranges_);
      weight_ = most_weight();
      Piece all;
      slopes_.clear();
      if (!all_heights(all, reason)) return std::nullopt;
      bool inside = true;
      for (std::size_t c = 0; c < low_.size(); ++c) inside = inside && all.low[c] >= low_[c];
      if (inside) {
        plan = {low_, slopes_};
        return conclusion(all);
      }
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
  // piece E rises with x by a slope that is at least what (2) asks there and wherever a step into it begins.
  bool all_heights(Piece& all, std::string& reason) {
    all.low.assign(low_.size(), infinity);
    Place from{low(data_.height), low(pow(data_.zeta, exponents_.clock)), 0};
    largest_slope_ = 0;
    double floor = 0;
    for (std::size_t k = 0; k < most_pieces; ++k) {
      const bool last = from.height >= farthest * low(data_.height) &&
                        data_.ray_is_near(from.height * (1 - 2 * margin_of_height));
      Place to{infinity, infinity, infinity};
      if (!last && !place(from.height * (k < 60 ? 1.02 : k < 90 ? 1.04 : 1.15), to)) {
        reason = "the ray is too far from the limit";
        return false;
      }
      Piece piece;
      slope_ = std::max(floor, k < hints_.size() ? hints_[k] * (1 + room) : 0.01);
      if (!fits(from, to, piece, reason)) return false;
      slopes_.push_back(slope_);
      largest_slope_ = std::max(largest_slope_, slope_);
      all.outside = std::max(all.outside, piece.outside);
      for (std::size_t c = 0; c < low_.size(); ++c) all.low[c] = std::min(all.low[c], piece.low[c]);
      if (last) return true;
      if (*std::min_element(piece.low.begin(), piece.low.end()) < -1) {
        reason = "margins are not large enough yet";  // no round comes back from here
        return false;
      }
      // Of a step from any piece so far: none that began before this piece goes beyond it.
      floor = longest_step(all.outside) <= width(from, to) ? piece.need : std::max(floor, piece.need);
      to.energy = energy_at(from, to.clock, slope_);
      from = to;
    }
    reason = "an entry of the limit is too small";
    return false;
  }

  double energy_at(const Place& from, double clock, double slope) const {
    return high(Number(from.energy) + Number(slope) * (Number(clock) - Number(from.clock)));
  }

  // Of zeta in one step, an upper bound: tau <V,u>.
  double longest_step(double outside) const {
    if (normalised_) return high(Number(eta_));
    double along = 0;
    for (const Number& x : data_.along) along = std::max(along, high(x));
    return high(Number(weight_) * Number(eta_) * Number(along) * (Number(1.0) + Number(outside)));
  }

  double width(const Place& from, const Place& to) const {
    return low(pow(Number(to.clock), exponents_.one_over_clock) -
               pow(Number(from.clock), exponents_.one_over_clock));
  }

  // The clock's value at a height, such that heights with a smaller (larger) one are at most (least) that
  // height up to a millionth.
  bool place(double height, Place& found) const {
    const auto zeta = [&](double y, bool most) {
      const RaySpan at = data_.ray(y, y);
      const Number scale = pow(Number(y), exponents_.p_minus_1);
      return most ? high(scale * Number(at.zeta_high)) : low(scale * Number(at.zeta_low));
    };
    const double middle = (zeta(height, false) + zeta(height, true)) / 2;
    if (!(zeta(height * (1 - margin_of_height), true) < middle)) return false;
    if (!(zeta(height * (1 + margin_of_height), false) > middle)) return false;
    found.height = height;
    // A hair below: any number between the two will do, to the power that the clock takes.
    found.clock = std::pow(middle, exponents_.clock.value());
    const double back_low = low(pow(Number(found.clock), exponents_.one_over_clock)),
                 back_high = high(pow(Number(found.clock), exponents_.one_over_clock));
    return zeta(height * (1 - margin_of_height), true) < back_low &&
           zeta(height * (1 + margin_of_height), false) > back_high;
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
    budget_.poll();
    const bool tail = !std::isfinite(end.height);
    const double from = begin.height * (1 - margin_of_height), to = end.height * (1 + margin_of_height);
    const RaySpan ray = data_.ray(from, to);
    const PoweredRay<Number> powers(ray, exponents_);
    double zeta_from = low(pow(Number(begin.clock), exponents_.one_over_clock)), zeta_to = infinity;
    const Number scale = pow(Number(from), exponents_.p);
    if (tail) {
      if (!(ray.zeta_low > 0)) {
        reason = "the ray is too far from the limit";
        return false;
      }
      // E <= slope x beyond, with the slope here or what all of E is of x.
      const Number most(std::max(slope_, high(Number(begin.energy) / Number(begin.clock))));
      const Number rise = pow(Number(from), exponents_.p_minus_1);
      zeta_from = low(rise * Number(ray.zeta_low));
      piece.energy = high(most * pow(rise * Number(ray.zeta_high), exponents_.clock) / scale);
    } else {
      zeta_to = high(pow(Number(end.clock), exponents_.one_over_clock));
      piece.energy = high(Number(energy_at(begin, end.clock, slope_)) / scale);
    }
    piece.energy += 1e-14;
    const double curved = curvature(ray, powers, from, to, piece.energy);
    std::vector<double> reach;
    margins(powers, from, to, piece, reach);
    piece.outside = weight_outside(from, to, curved, reach);
    const double speed = low(data_.gamma - Number(piece.outside) * Number(data_.along_outside));
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
    const double gathered = std::max(0.0, high(Number(concentration_) + data_.gamma * Number(curved)));
    const Number stepping(step_cost(zeta_from, zeta_to, from, last, ray, piece, speed));
    Number added = Number(gathered) + stepping;
    if (data_.local) added += Number(piece.outside) * Number(last) * Number(most_reach);
    const Number rate = ratio<Number>(exponents_.clock) * pow(Number(zeta_from), exponents_.clock_minus_1);
    piece.need = high(added / (Number(speed) * rate));
    return true;
  }

  // kappa = <n, W - a(y)>, an upper bound (MIRROR.md section 5).
  double curvature(const RaySpan& ray, const PoweredRay<Number>& powers, double from, double to,
                   double energy) {
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
  double whole_curvature(const RaySpan& ray, const PoweredRay<Number>& powers, std::vector<double>& slope,
                         double from, double to, double energy) {
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
  void margins(const PoweredRay<Number>& powers, double from, double to, Piece& piece,
               std::vector<double>& reach) const {
    const std::size_t count = low_.size();
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
  double weight_outside(double from, double to, double curved, const std::vector<double>& reach) const {
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
  double step_cost(double zeta_from, double zeta_to, double from, double height, const RaySpan& ray,
                   const Piece& piece, double speed) {
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
  double smooth_cost(double zeta, double height, const Piece& piece, bool tail) const {
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
  double most_weight() const {
    using std::exp;
    Number sum(0.0);
    for (std::size_t c = 0; c < low_.size(); ++c) {
      if (!data_.outside[c]) sum += Number(high(ranges_->high[c])) * exp(Number(-low_[c]));
    }
    return high(sum);
  }

  MirrorRegion conclusion(const Piece& all) const {
    MirrorRegion region;
    region.energy = largest_slope_;
    region.concentration = concentration_;
    region.height = low(data_.height);
    region.zeta = low(data_.zeta);
    region.least_margin = *std::min_element(low_.begin(), low_.end());
    region.unselected = *std::max_element(ranges_->unselected.begin(), ranges_->unselected.end());
    region.local = data_.local;
    const Number speed = data_.gamma - Number(all.outside) * Number(data_.along_outside);
    if (normalised_)
      region.growth = low(speed / (Number(data_.longest) * (Number(1.0) + Number(all.outside))));
    // 1 - <Z,u>/||Z||_Q <= E_0/zeta^Q, E_0 <= 2 E + what the ray's offset costs.
    // Q - max(1, Q-1), downward; what that loses where zeta < 1 is within the constant's last factor.
    region.power = exponents_.side <= 0 ? 1 : low(ratio<Number>(exponents_.q_minus_1));
    const Number constant = Number(2.0) * Number(largest_slope_) + Number(data_.ray_cost_share());
    region.direction = high(constant * Number(1 + 0x1p-40));
    return region;
  }

  const RegionData<Number>& data_;
  const Budget& budget_;
  const Exponents& exponents_;
  const Reach<Number>& reach_;
  double eta_;
  bool normalised_;
  double remainder_;
  std::optional<StepCurvature<Number>> curvature_;
  std::optional<WholeEntry<Number>> whole_;
  std::vector<double> low_, hints_, slopes_;
  double share_ = 0.1;  // of E in whole_curvature
  double slope_ = 0, largest_slope_ = 0, concentration_ = 0, weight_ = 0;
  std::optional<WeightRanges<Number>> ranges_;
};

template <typename Number>
std::optional<MirrorRegion> attempt(const TokenData& data, const MirrorSpec& spec, const Potential& potential,
                                    const MirrorLimit& limit, const Reach<Number>& reach,
                                    const std::vector<Ball>& w0, RegionPlan& plan, const Budget& budget,
                                    std::string& reason) {
  RegionData<Number> facts(spec.exponent);
  if (!facts.read(data, spec, potential, limit, w0, reason)) return std::nullopt;
  return RegionProof<Number>(facts, spec, reach, budget).run(plan, reason);
}

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

struct MirrorRegionProver::Tables {
  explicit Tables(const Exponents& exponents) : guess(exponents) {}

  Reach<double> guess;
  std::optional<Reach<DoubleInterval>> proof;
};

MirrorRegionProver::MirrorRegionProver(const Rational& exponent)
    : exponents_(exponent), tables_(std::make_unique<Tables>(exponents_)) {}
MirrorRegionProver::~MirrorRegionProver() = default;

std::optional<MirrorRegion> MirrorRegionProver::operator()(const TokenData& data, const MirrorSpec& spec,
                                                           const Potential& potential,
                                                           const MirrorLimit& limit,
                                                           const std::vector<Ball>& w0, const Budget& budget,
                                                           std::string& reason) {
  RegionPlan plan;
  if (!attempt(data, spec, potential, limit, tables_->guess, w0, plan, budget, reason)) return std::nullopt;
  // What doubles found is proved again in intervals, with a hair of room.
  for (double& least : plan.low) least -= room;
  if (!tables_->proof) tables_->proof.emplace(exponents_);
  std::optional<MirrorRegion> region =
      attempt(data, spec, potential, limit, *tables_->proof, w0, plan, budget, reason);
  if (region) region->rate = rate_word(spec);
  return region;
}

}  // namespace attest
