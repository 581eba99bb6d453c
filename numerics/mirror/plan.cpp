#include "numerics/mirror/plan.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/mirror/sizes.hpp"

namespace attest {
namespace {

constexpr double plan_room = 1e-6;  // left for a checker's enclosures
constexpr double most_plan_slope = 1e3, farthest_piece = 40;
constexpr int most_plan_rounds = 12;
constexpr std::size_t most_plan_pieces = 400;

double square(double x) {
  return x * x;
}

// Lemma 4: the least k/64 that it allows as beta, over P - 1; P > 2: its two factors one by one.
double remainder_over_slope(double p) {
  if (p == 2) return 0;
  if (p > 2) return 1 / ((p - 1) * (1 + std::pow(p - 1, 1 / (p - 2)) * (p - 1) / p));
  double beta = 1;
  for (int k = 63; k > 0; --k) {
    const double b = k / 64.0;
    if (p * (2 - p) * (1 + std::pow(1 - b, 1 / (2 - p))) * (1 + plan_room) <= b) beta = b;
  }
  return beta / (p - 1);
}

class PlanSearch {
 public:
  PlanSearch(const RegionData<double>& data, const MirrorSpec& spec, double step)
      : data_(data),
        p_(data.exponents.p.value()),
        q_(data.exponents.q.value()),
        clock_(std::max(1.0, q_ - 1)),
        step_(step),
        remainder_(remainder_over_slope(p_)),
        near_(p_ == 2 ? 0x1p30 : std::max(1.05, 0.8 * clock_ / remainder_)),
        normalised_(spec.normalised),
        fastest_(data.direction.size(), 0),
        fastest_outside_(fastest_) {
    for (std::size_t c = 0; c < data.rows.size(); ++c) {
      double rest = 0;
      std::vector<double>& fastest = data.outside[c] ? fastest_outside_ : fastest_;
      for (std::size_t j = 0; j < data.rows[c].size(); ++j) {
        rest += std::pow(std::abs(data.rows[c][j] - data.gamma * data.normal[j]), q_);
        fastest[j] = std::max(fastest[j], data.size[c][j]);
      }
      if (!data.outside[c]) diameter_ = std::max(diameter_, 2 * std::pow(rest, 1 / q_));
    }
  }

  std::optional<MirrorPlan> run(const Budget& budget) {
    for (const double m : data_.margin) plan_.floors.push_back(m - 0.5);
    for (int round = 0; round < most_plan_rounds; ++round) {
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
        if (least[c] >= plan_.floors[c] + plan_room) continue;
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
    double need = 0, outside = 0, cost_share = 0;
    std::vector<double> low;
  };
  struct Ray {
    std::vector<double> least, most;  // of a/y
    double slope_low = 0, slope_high = 0;

    double smallest(std::size_t j) const { return std::max(0.0, std::max(least[j], -most[j])); }
    double largest(std::size_t j) const { return std::max(most[j], -least[j]); }
  };
  // How far entries may be from the ray (MIRROR.md sections 11 and 13).
  struct Entries {
    double energy = 0, widest = 0;
    std::vector<double> soft, farthest;
    std::vector<std::size_t> loose;
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
    outside_ = steepest_ = cost_share_ = 0;
    Place from{data_.height, data_.zeta, 0};
    double floor = 0;
    while (plan_.pieces.size() < most_plan_pieces) {
      const std::size_t k = plan_.pieces.size();
      const bool last = from.height >= farthest_piece * data_.height && is_near(from.height);
      Place to{infinity, infinity, 0};
      if (!last) {
        to.height = from.height * (k < 60 ? 1.02 : k < 90 ? 1.04 : 1.15);
        to.zeta = zeta_at(to.height);
        if (!(to.zeta > from.zeta)) return false;
      }
      double slope = std::max(floor, 0.01);
      Piece piece = bounded(from, to, slope);
      for (; !(piece.need * (1 + plan_room) <= slope); piece = bounded(from, to, slope)) {
        budget.poll();
        slope = std::max(piece.need * 1.02, slope * 1.03);
        if (!(slope < most_plan_slope)) return false;
      }
      outside_ = std::max(outside_, piece.outside);
      steepest_ = std::max(steepest_, slope);
      cost_share_ = std::max(cost_share_, piece.cost_share);
      for (std::size_t c = 0; c < least.size(); ++c) least[c] = std::min(least[c], piece.low[c]);
      if (*std::min_element(least.begin(), least.end()) < -1) return false;
      if (last) {
        plan_.last_slope = slope;
        return true;
      }
      plan_.pieces.push_back({to.height, slope});
      floor = longest_step(piece.outside) <= to.zeta - from.zeta
                  ? piece.need * (1 + plan_room)
                  : std::max(floor, piece.need * (1 + plan_room));
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
    if (u == 0) return false;
    return least > 0 && std::abs(u) <= near_ * least;
  }

  double energy_at(const Place& from, const Place& to, double slope) const {
    return from.energy + slope * (std::pow(to.zeta, clock_) - std::pow(from.zeta, clock_));
  }

  // In the dual norm, which bounds by how much the height rises.
  double longest_step(double outside) const {
    return normalised_ ? step_ : step_ * whole_ * data_.longest * (1 + outside);
  }

  Piece bounded(const Place& from, const Place& to, double slope) const {
    const bool tail = !std::isfinite(to.height);
    const Ray at = ray(from.height, to.height);
    const double rise = std::pow(from.height, p_ - 1);
    double zeta_low = from.zeta, zeta_high = to.zeta, energy = 0;
    if (tail) {
      const double share = std::max(slope, from.energy / std::pow(from.zeta, clock_));
      energy = share * std::pow(rise * at.slope_high, clock_);
      zeta_low = zeta_high = rise * at.slope_low;
    } else {
      energy = energy_at(from, to, slope);
    }
    const double scaled = energy / std::pow(from.height, p_), last = tail ? from.height : to.height;
    const Entries entries = bounded_entries(at, scaled);
    Piece piece;
    piece.cost_share = data_.ray_cost(last) / std::pow(zeta_low, clock_);
    std::vector<double> reach;
    double widest = 0;
    for (std::size_t c = 0; c < data_.rows.size(); ++c) {
      reach.push_back(reach_of(entries, data_.rows[c]));
      if (data_.outside[c]) widest = std::max(widest, reach[c]);
      const auto margin = [&](double y) {
        return data_.margin[c] + data_.along[c] * (y - data_.height) - reach[c] * y;
      };
      piece.low.push_back(tail && data_.along[c] < reach[c] ? -infinity
                                                            : std::min(margin(from.height), margin(last)));
    }
    const double curved = std::max(0.0, last * (p_ <= 2 ? curvature(at, entries, from.height, tail)
                                                        : steep_curvature(at, entries, from.height, tail)));
    piece.outside = weight_outside(reach, curved, from.height, last, tail);
    const double speed = data_.gamma - piece.outside * data_.along_outside;
    const double gathered = std::max(0.0, concentration_ + data_.gamma * curved) +
                            piece.outside * last * widest +
                            (p_ <= 2 ? step_cost(energy, zeta_high, last, piece.outside, tail)
                                     : steep_step_cost(at, from.height, energy, speed, piece.outside));
    piece.need = speed > 0 ? gathered / (speed * clock_ * std::pow(zeta_low, clock_ - 1)) : infinity;
    return piece;
  }

  Entries bounded_entries(const Ray& at, double energy) const {
    Entries found;
    found.energy = energy;
    if (p_ > 2) {
      found.widest = std::pow(2 * energy / ((p_ - 1) * std::pow(0.195, std::max(1.0, p_ - 2))), 1 / p_);
      for (std::size_t j = 0; j < at.least.size(); ++j) hold(found, at.smallest(j));
      return found;
    }
    const double twice = 2 * energy / (p_ - 1);
    const double wide = std::pow(twice * std::pow(4.0 / 3, 2 - p_), 1 / p_);
    for (std::size_t j = 0; j < at.least.size(); ++j) {
      const double most = at.largest(j);
      const auto reached = [&](double edge) { return std::sqrt(twice * std::pow(edge, 2 - p_)); };
      const double far = std::max(reached(2 * most), wide);
      found.soft.push_back(std::pow(most + reached(most + far / 1.5) / 1.5, 2 - p_) / (p_ - 1));
    }
    return found;
  }

  // P > 2.
  void hold(Entries& found, double size) const {
    const auto mean = [&](double r) {
      return p_ >= 3 ? std::pow(1 - r / 1.5, p_ - 2) : 1.0 / 3 + std::pow(1 - r, p_ - 2) / 1.5;
    };
    if (!(found.energy * (1 + plan_room) < (p_ - 1) * mean(0.5) * std::pow(size, p_) / 8)) {
      found.loose.push_back(found.soft.size());
      found.soft.push_back(0);
      found.farthest.push_back(found.widest);
      return;
    }
    const double scale = (p_ - 1) * std::pow(size, p_ - 2);
    const auto reached = [&](double r) { return std::sqrt(2 * found.energy / (scale * mean(r))); };
    const double first = std::min(reached(0.5) / size, 0.5);
    found.farthest.push_back(reached(first));
    found.soft.push_back(1 / (scale * mean(first)));
  }

  double reach_of(const Entries& entries, const std::vector<double>& h) const {
    double sum = 0, far = 0;
    for (std::size_t j = 0; j < h.size(); ++j) sum += square(h[j]) * entries.soft[j];
    for (const std::size_t j : entries.loose) far += std::pow(std::abs(h[j]), q_);
    return std::sqrt(2 * entries.energy * sum) + entries.widest * std::pow(far, 1 / q_);
  }

  // |u| | |u|^(P-2) - |a/y|^(P-2) | of a near entry.
  double bend(const Ray& at, std::size_t j, double from, bool tail) const {
    const double u = std::abs(data_.direction[j]), ends[] = {at.smallest(j), at.largest(j)};
    double most = 0;
    for (const double a : ends)
      most = std::max(most, tail ? std::abs(2 - p_) * std::pow(a, p_ - 3) * std::abs(data_.offset[j]) / from
                                 : std::abs(std::pow(u, p_ - 2) - std::pow(a, p_ - 2)));
    return u * most;
  }

  // P > 2.
  double steep_curvature(const Ray& at, const Entries& entries, double from, bool tail) const {
    std::vector<double> slopes(entries.soft.size(), 0);
    double ratio = 0;
    for (std::size_t j = 0; j < slopes.size(); ++j) {
      if (!data_.moves[j]) continue;
      const double u = std::abs(data_.direction[j]);
      if (near(at, j)) {
        slopes[j] = bend(at, j, from, tail);
        ratio = std::max(ratio, u / at.smallest(j));
      } else {
        if (tail) return infinity;
        const double most = std::pow(at.largest(j) + entries.farthest[j], p_ - 2);
        slopes[j] = std::max(std::abs(data_.normal[j]), u * most);
      }
    }
    return remainder_ * ratio * entries.energy + reach_of(entries, slopes);
  }

  double curvature(const Ray& at, const Entries& entries, double from, bool tail) const {
    const std::vector<double>& soft = entries.soft;
    const double energy = entries.energy;
    double linear = 0, ratio = 0, whole = 0;
    std::vector<std::size_t> others;
    for (std::size_t j = 0; j < soft.size(); ++j) {
      if (!data_.moves[j]) continue;
      if (!near(at, j)) {
        others.push_back(j);
        whole += square(data_.normal[j]) * soft[j];
        continue;
      }
      linear += square(bend(at, j, from, tail)) * soft[j];
      ratio = std::max(ratio, std::abs(data_.direction[j]) / at.smallest(j));
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
      if (tail && !((steeper - reach[c]) * from - bend > 1 + plan_room)) return infinity;
      sum += ranges_->outside[c] * std::exp(std::max(exponent(from), exponent(last)));
    }
    return sum * std::exp(-ranges_->multiplier_level);
  }

  // P > 2: over entries that are large and across those that may be small.
  double steep_step_cost(const Ray& at, double from, double energy, double speed, double outside) const {
    const double constant = std::pow(2, 2 - q_) / q_, length = normalised_ ? step_ / speed : step_ * whole_;
    const double scale = constant * std::pow(longest_step(outside), q_ - 1),
                 rise = constant * std::pow(length, q_ - 1);
    const double coarse = std::min(scale * data_.longest * (1 + outside), spread_cost(scale, outside));
    const double loss = 1 / p_ + std::pow(2, -p_) / q_ - std::pow(2, 1 - p_);
    double price = 0, soft = 0;
    std::vector<double> weights(fastest_.size(), 0);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (!data_.moves[j]) continue;
      const double moved = fastest_[j] + outside * fastest_outside_[j], size = from * at.smallest(j);
      const double paid = rise * std::pow(moved, q_) * energy / (loss * std::pow(size, p_));
      const double slope = std::pow(size / 2, p_ - 1);
      if (size > 0 && paid * (1 + plan_room) <= coarse / 8 && 2 * length * moved * (1 + plan_room) <= slope) {
        price = std::max(price, paid);
        weights[j] = (q_ - 1) / 6 * (2 + std::pow(2, 2 - q_)) * size / 2 / slope;
      } else {
        soft += std::pow(moved, q_);
      }
    }
    const auto size = [&](const auto& entry) {
      double sum = 0;
      for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * square(entry(j));
      return std::sqrt(sum);
    };
    double apart = 0, beyond = 0;
    for (std::size_t c = 0; c < data_.rows.size(); ++c) {
      const std::vector<double>& row = data_.rows[c];
      if (data_.outside[c])
        beyond = std::max(beyond, size([&](std::size_t j) { return row[j]; }));
      else
        apart = std::max(apart, size([&](std::size_t j) { return row[j] - data_.gamma * data_.normal[j]; }));
    }
    const double mean = data_.gamma * size([&](std::size_t j) { return data_.normal[j]; }) + outside * beyond;
    const double kept = 1 - 2 * length * square(apart);
    if (!(kept > 0)) return coarse;
    const double rest = std::min(scale * std::pow(soft, 1 / q_), rise * soft);
    return std::min(coarse, price + length * square(mean) / kept + rest);
  }

  // P <= 2.
  double step_cost(double energy, double zeta, double last, double outside, bool tail) const {
    const double length = longest_step(outside);
    const double norm =
        std::pow(std::pow(zeta, q_) + q_ * (2 * energy + data_.ray_cost(last)), 1 / q_) + length;
    const double curve = (q_ - 1) / 2 * std::pow(norm, q_ - 2) * length;
    const double plain = curve * data_.longest * (1 + outside);
    return tail ? plain : std::min(plain, spread_cost(curve, outside));
  }

  // Where r is at most k tau Om ||V||_Q/Om, less what KL gives back.
  double spread_cost(double k, double outside) const {
    return k * (data_.gamma + outside * data_.longest) + square(k * diameter_) / 8;
  }

  MirrorPlan conclusion() {
    plan_.rate = (2 * steepest_ + cost_share_) * (1 + plan_room);
    if (normalised_)
      plan_.growth =
          (data_.gamma - outside_ * data_.along_outside) / (data_.longest * (1 + outside_)) * (1 - plan_room);
    plan_.unselected =
        *std::max_element(ranges_->unselected.begin(), ranges_->unselected.end()) * (1 + plan_room) + 0x1p-60;
    return plan_;
  }

  const RegionData<double>& data_;
  const double p_, q_, clock_, step_, remainder_, near_;
  const bool normalised_;
  double diameter_ = 0;
  std::vector<double> fastest_, fastest_outside_;  // of entries of the rows, on P and on N
  std::optional<WeightRanges<double>> ranges_;
  double concentration_ = 0, whole_ = 0, outside_ = 0, steepest_ = 0, cost_share_ = 0;
  MirrorPlan plan_;
};

}  // namespace

std::optional<MirrorPlan> mirror_plan(const TokenData& data, const MirrorSpec& spec, std::uint64_t step,
                                      const Potential& potential, const MirrorLimit& limit,
                                      const std::vector<Ball>& w0, const Budget& budget) {
  RegionData<double> facts(spec.exponent);
  std::string reason;
  if (!facts.read(data, spec, potential, limit, w0, reason)) return std::nullopt;
  Ball size;
  step_size(size.raw(), spec.steps, step, 64);
  return PlanSearch(facts, spec, size.upper_double()).run(budget);
}

}  // namespace attest
