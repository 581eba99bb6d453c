#include "numerics/mirror/plan.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/mirror/sizes.hpp"

namespace attest {
namespace {

constexpr double room = 1e-6;  // left for a checker's enclosures
constexpr double most_slope = 1e3, farthest = 40;
constexpr int most_rounds = 12;
constexpr std::size_t most_pieces = 400;

double square(double x) {
  return x * x;
}

// The least k/64 that Lemma 4 allows as beta, over P - 1.
double remainder_over_slope(double p) {
  if (p == 2) return 0;
  double beta = 1;
  for (int k = 63; k > 0; --k) {
    const double b = k / 64.0;
    if (p * (2 - p) * (1 + std::pow(1 - b, 1 / (2 - p))) * (1 + room) <= b) beta = b;
  }
  return beta / (p - 1);
}

class PlanSearch {
 public:
  PlanSearch(const RegionData<double>& data, const MirrorSpec& spec, double step)
      : data_(data),
        p_(data.exponents.p.value()),
        q_(data.exponents.q.value()),
        step_(step),
        cost_(data.ray_cost(data.height)),
        remainder_(remainder_over_slope(p_)),
        near_(p_ == 2 ? 0x1p30 : std::max(1.05, 0.8 * (q_ - 1) / remainder_)),
        normalised_(spec.normalised) {
    for (std::size_t c = 0; c < data.rows.size(); ++c) {
      double rest = 0;
      for (std::size_t j = 0; j < data.rows[c].size(); ++j)
        rest += std::pow(std::abs(data.rows[c][j] - data.gamma * data.normal[j]), q_);
      if (!data.outside[c]) diameter_ = std::max(diameter_, 2 * std::pow(rest, 1 / q_));
    }
  }

  std::optional<MirrorPlan> run(const Budget& budget) {
    for (const double m : data_.margin) plan_.floors.push_back(m - 0.5);
    for (int round = 0; round < most_rounds; ++round) {
      budget.poll();
      ranges_ = data_.ranges(plan_.floors);
      if (!ranges_) return std::nullopt;
      concentration_ = data_.concentration(*ranges_);
      whole_ = 0;
      for (std::size_t c = 0; c < plan_.floors.size(); ++c)
        if (!data_.outside[c]) whole_ += ranges_->high[c] * std::exp(-plan_.floors[c]);
      std::vector<double> least(plan_.floors.size(), infinity);
      if (!all_heights(least, budget)) return std::nullopt;
      bool inside = true;
      for (std::size_t c = 0; c < least.size(); ++c) {
        if (least[c] >= plan_.floors[c] + room) continue;
        inside = false;
        plan_.floors[c] = std::min(plan_.floors[c], least[c] - 0.02 - 0.01 * std::abs(least[c]));
      }
      if (inside) return conclusion();
    }
    return std::nullopt;
  }

 private:
  struct Place {
    double height, zeta, energy;
  };
  // What is bounded between two heights, or from one on.
  struct Piece {
    double need = 0, outside = 0;
    std::vector<double> low;
  };
  struct Ray {
    std::vector<double> least, most;  // of a/y
    double slope_low = 0, slope_high = 0;
  };

  Ray ray(double from, double to) const {
    Ray found;
    const auto gradient = [&](double a) { return std::copysign(std::pow(std::abs(a), p_ - 1), a); };
    for (std::size_t j = 0; j < data_.direction.size(); ++j) {
      const double u = data_.direction[j], one = u + data_.offset[j] / from,
                   other = std::isfinite(to) ? u + data_.offset[j] / to : u;
      found.least.push_back(std::min(one, other));
      found.most.push_back(std::max(one, other));
      const double a = u * gradient(one), b = u * gradient(other);
      found.slope_low += std::min(a, b);
      found.slope_high += std::max(a, b);
    }
    return found;
  }

  double zeta_at(double y) const { return std::pow(y, p_ - 1) * ray(y, y).slope_low; }

  // Pieces of heights, each with the least slope that it and those that a step into it begins in bear.
  bool all_heights(std::vector<double>& least, const Budget& budget) {
    plan_.pieces.clear();
    outside_ = steepest_ = 0;
    Place from{data_.height, data_.zeta, 0};
    double floor = 0;
    while (plan_.pieces.size() < most_pieces) {
      const std::size_t k = plan_.pieces.size();
      const bool last = from.height >= farthest * data_.height && is_near(from.height);
      Place to{infinity, infinity, 0};
      if (!last) {
        to.height = from.height * (k < 60 ? 1.02 : k < 90 ? 1.04 : 1.15);
        to.zeta = zeta_at(to.height);
        if (!(to.zeta > from.zeta)) return false;
      }
      double slope = std::max(floor, 0.01);
      Piece piece = bounded(from, to, slope);
      for (; !(piece.need * (1 + room) <= slope); piece = bounded(from, to, slope)) {
        budget.poll();
        slope = std::max(piece.need * 1.02, slope * 1.03);
        if (!(slope < most_slope)) return false;
      }
      outside_ = std::max(outside_, piece.outside);
      steepest_ = std::max(steepest_, slope);
      for (std::size_t c = 0; c < least.size(); ++c) least[c] = std::min(least[c], piece.low[c]);
      if (*std::min_element(least.begin(), least.end()) < -1) return false;
      if (last) {
        plan_.last_slope = slope;
        return true;
      }
      plan_.pieces.push_back({to.height, slope});
      floor = longest_step(piece) <= to.zeta - from.zeta ? piece.need * (1 + room)
                                                         : std::max(floor, piece.need * (1 + room));
      to.energy = energy_at(from, to, slope);
      from = to;
    }
    return false;
  }

  bool is_near(double height) const {
    const Ray found = ray(height, infinity);
    for (std::size_t j = 0; j < found.least.size(); ++j)
      if (data_.moves[j] && !near(found, j)) return false;
    return found.slope_low > 0;
  }

  bool near(const Ray& ray, std::size_t j) const {
    const double u = data_.direction[j], least = u > 0 ? ray.least[j] : -ray.most[j];
    return least > 0 && std::abs(u) <= near_ * least;
  }

  double energy_at(const Place& from, const Place& to, double slope) const {
    return from.energy + slope * (std::pow(to.zeta, q_ - 1) - std::pow(from.zeta, q_ - 1));
  }

  double longest_step(const Piece& piece) const {
    if (normalised_) return step_;
    return step_ * whole_ * (1 + piece.outside) * *std::max_element(data_.along.begin(), data_.along.end());
  }

  Piece bounded(const Place& from, const Place& to, double slope) const {
    const bool tail = !std::isfinite(to.height);
    const Ray at = ray(from.height, to.height);
    const double rise = std::pow(from.height, p_ - 1);
    double zeta_low = from.zeta, zeta_high = to.zeta, energy = 0;
    if (tail) {
      const double share = std::max(slope, from.energy / std::pow(from.zeta, q_ - 1));
      energy = share * std::pow(rise * at.slope_high, q_ - 1);
      zeta_low = zeta_high = rise * at.slope_low;
    } else {
      energy = energy_at(from, to, slope);
    }
    const double scaled = energy / std::pow(from.height, p_), last = tail ? from.height : to.height;
    const std::vector<double> soft = softness(at, scaled);
    Piece piece;
    std::vector<double> reach;
    double widest = 0;
    for (std::size_t c = 0; c < data_.rows.size(); ++c) {
      double sum = 0;
      for (std::size_t j = 0; j < soft.size(); ++j) sum += square(data_.rows[c][j]) * soft[j];
      reach.push_back(std::sqrt(2 * scaled * sum));
      if (data_.outside[c]) widest = std::max(widest, reach[c]);
      const auto margin = [&](double y) {
        return data_.margin[c] + data_.along[c] * (y - data_.height) - reach[c] * y;
      };
      piece.low.push_back(tail && data_.along[c] < reach[c] ? -infinity
                                                            : std::min(margin(from.height), margin(last)));
    }
    const double curved = std::max(0.0, last * curvature(at, soft, scaled, from.height, tail));
    piece.outside = weight_outside(reach, curved, from.height, last, tail);
    const double speed = data_.gamma - piece.outside * data_.along_outside;
    const double gathered = std::max(0.0, concentration_ + data_.gamma * curved) +
                            piece.outside * last * widest + step_cost(energy, zeta_high, piece.outside, tail);
    piece.need = speed > 0 ? gathered / (speed * (q_ - 1) * std::pow(zeta_low, q_ - 2)) : infinity;
    return piece;
  }

  std::vector<double> softness(const Ray& at, double energy) const {
    const double twice = 2 * energy / (p_ - 1);
    const double wide = std::pow(twice * std::pow(4.0 / 3, 2 - p_), 1 / p_);
    std::vector<double> soft;
    for (std::size_t j = 0; j < at.least.size(); ++j) {
      const double most = std::max(-at.least[j], at.most[j]);
      const auto reached = [&](double edge) { return std::sqrt(twice * std::pow(edge, 2 - p_)); };
      const double far = std::max(reached(2 * most), wide);
      soft.push_back(std::pow(most + reached(most + far / 1.5) / 1.5, 2 - p_) / (p_ - 1));
    }
    return soft;
  }

  double curvature(const Ray& at, const std::vector<double>& soft, double energy, double from,
                   bool tail) const {
    double linear = 0, ratio = 0, whole = 0;
    std::vector<std::size_t> others;
    for (std::size_t j = 0; j < soft.size(); ++j) {
      if (!data_.moves[j]) continue;
      if (!near(at, j)) {
        others.push_back(j);
        whole += square(data_.normal[j]) * soft[j];
        continue;
      }
      const double u = std::abs(data_.direction[j]);
      const double least = std::min(std::abs(at.least[j]), std::abs(at.most[j])),
                   most = std::max(std::abs(at.least[j]), std::abs(at.most[j]));
      const auto bend = [&](double a) { return std::pow(u, p_ - 2) - std::pow(a, p_ - 2); };
      const double bent = tail ? (2 - p_) * std::pow(least, p_ - 3) * std::abs(data_.offset[j]) / from
                               : std::max(std::abs(bend(least)), std::abs(bend(most)));
      linear += square(u * bent) * soft[j];
      ratio = std::max(ratio, u / least);
    }
    const double bent = remainder_ * ratio * energy;
    if (others.empty()) return bent + std::sqrt(2 * energy * linear);
    if (tail) return infinity;
    const double price = std::sqrt((linear + whole) / (2 * energy)) + 0x1p-30;
    double sum = bent + price * energy + linear / (2 * price);
    for (const std::size_t j : others) {
      const double factor = std::abs(data_.direction[j]) * std::pow(2, 2 - p_) / (p_ - 1);
      const double place = std::pow(factor * (p_ - 1) * soft[j] / price, 1 / (3 - p_));
      sum += std::max(square(data_.normal[j]) * soft[j] / (2 * price),
                      factor * std::pow(place, p_ - 1) * (1 - (p_ - 1) / 2));
    }
    return sum;
  }

  double weight_outside(const std::vector<double>& reach, double curved, double from, double last,
                        bool tail) const {
    double sum = 0;
    for (std::size_t c = 0; c < reach.size(); ++c) {
      if (!data_.outside[c]) continue;
      const double steeper = data_.along[c] - data_.gamma, bend = data_.gamma * curved;
      const auto exponent = [&](double y) {
        return data_.excess[c] + bend - steeper * (y - data_.height) + reach[c] * y;
      };
      if (tail && !((steeper - reach[c]) * from - bend > 1 + room)) return infinity;
      sum += ranges_->outside[c] * std::exp(std::max(exponent(from), exponent(last)));
    }
    return sum * std::exp(-ranges_->multiplier_level);
  }

  double step_cost(double energy, double zeta, double outside, bool tail) const {
    const double longest = data_.longest * (1 + outside);
    const double norm = std::pow(std::pow(zeta, q_) + q_ * (2 * energy + cost_), 1 / q_) +
                        (normalised_ ? step_ : step_ * whole_ * longest);
    const double curve = (q_ - 1) * std::pow(norm, q_ - 2) * step_;
    if (!normalised_) return 0.5 * curve * whole_ * square(longest);
    const double plain = 0.5 * curve * longest;
    if (tail) return plain;
    return std::min(plain,
                    0.5 * curve * (data_.gamma + outside * data_.longest) + square(curve * diameter_) / 32);
  }

  MirrorPlan conclusion() {
    plan_.rate = (2 * steepest_ + cost_ / std::pow(data_.zeta, q_ - 1)) * (1 + room);
    if (normalised_)
      plan_.growth =
          (data_.gamma - outside_ * data_.along_outside) / (data_.longest * (1 + outside_)) * (1 - room);
    plan_.unselected =
        *std::max_element(ranges_->unselected.begin(), ranges_->unselected.end()) * (1 + room) + 0x1p-60;
    return plan_;
  }

  const RegionData<double>& data_;
  const double p_, q_, step_, cost_, remainder_, near_;
  const bool normalised_;
  double diameter_ = 0;
  std::optional<WeightRanges<double>> ranges_;
  double concentration_ = 0, whole_ = 0, outside_ = 0, steepest_ = 0;
  MirrorPlan plan_;
};

}  // namespace

std::optional<MirrorPlan> mirror_plan(const TokenData& data, const MirrorSpec& spec, std::uint64_t step,
                                      const Potential& potential, const MirrorLimit& limit,
                                      const std::vector<Ball>& w0, const Budget& budget) {
  if (spec.exponent > 2) return std::nullopt;
  RegionData<double> facts(spec.exponent);
  std::string reason;
  if (!facts.read(data, spec, potential, limit, w0, reason)) return std::nullopt;
  Ball size;
  step_size(size.raw(), spec.steps, step, 64);
  return PlanSearch(facts, spec, size.upper_double()).run(budget);
}

}  // namespace attest
