#include "numerics/mirror/region.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/mirror/region_data.hpp"
#include "numerics/mirror/region_piece.hpp"
#include "numerics/mirror/sizes.hpp"

namespace attest {
namespace {

constexpr int most_rounds = 12;  // of the ranges of weights
constexpr double most_slope = 1e3;
constexpr std::size_t most_pieces = 400;  // of heights
constexpr double farthest = 40;           // times y_0: where the last piece may begin
constexpr double room = 1e-6;             // left between a guess and its proof

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
        bounds_(data, spec, reach),
        normalised_(spec.normalised) {}

  std::optional<MirrorRegion> run(RegionPlan& plan, std::string& reason) {
    hints_ = plan.slopes;
    low_ = plan.low;
    if (low_.empty()) {
      for (const Number& m : data_.margin) low_.push_back(low(m) - 0.5);
    }
    for (int round = 0; round < most_rounds; ++round) {
      if (!bounds_.assume(low_)) return fail(reason, "the attention left over is too large");
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
      floor = bounds_.longest_step(all.outside) <= width(from, to) ? piece.need : std::max(floor, piece.need);
      to.energy = bounds_.energy_at(from, to.clock, slope_);
      from = to;
    }
    reason = "an entry of the limit is too small";
    return false;
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
      budget_.poll();
      std::optional<Piece> bounded = bounds_(from, to, slope_, reason);
      if (!bounded) return false;
      piece = std::move(*bounded);
      if (piece.need <= slope_) return true;
      slope_ = std::max(piece.need * 1.02, slope_ * 1.03);
    }
    reason = "energy grows too fast";
    return false;
  }

  MirrorRegion conclusion(const Piece& all) const {
    MirrorRegion region;
    region.energy = largest_slope_;
    region.concentration = bounds_.concentration();
    region.height = low(data_.height);
    region.zeta = low(data_.zeta);
    region.least_margin = *std::min_element(low_.begin(), low_.end());
    region.unselected = bounds_.unselected();
    region.loss = bounds_.loss();
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
  PieceBounds<Number> bounds_;
  bool normalised_;
  std::vector<double> low_, hints_, slopes_;
  double slope_ = 0, largest_slope_ = 0;
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
