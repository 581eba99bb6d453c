// T17 at one point: see claims/mirror/region.hpp. Names are those of MIRROR.md, of which sections 11 and 13
// sum up what is computed.
#include "proofs/checker/claims/mirror/region.hpp"

#include <algorithm>

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/base/powers.hpp"
#include "proofs/checker/claims/mirror/entries.hpp"
#include "proofs/checker/claims/mirror/step.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

using namespace t17;

// What holds while the height is between `from` and `to` (no end: `to` is null) and E is at most `energy`
// there, or beyond a height at most what `share` says.
class PieceCheck {
 public:
  PieceCheck(const MirrorSetting& at, const MirrorWeights& weights, const Interval& from, const Interval* to)
      : at_(at), weights_(weights), from_(from), to_(to) {
    for (std::size_t j = 0; j < at.u.size(); ++j) {
      const Interval begin = at.u[j] + at.offset[j] / from;
      ray_.push_back(Interval::hull(begin, to == nullptr ? at.u[j] : at.u[j] + at.offset[j] / *to));
    }
  }

  // <g(a/y),u>.
  Interval slope_of_zeta() const;
  // E <= energy, zeta is in `zeta` (at its lower end: the bounds fall from there on, if there is no end).
  // The slope that (2) asks for.
  Interval need(const Interval& energy, const Interval& zeta);
  // Of margin c, at all its heights.
  Interval least_margin(std::size_t c) const;
  const Interval& outside() const { return outside_; }
  Interval longest_step() const;
  // Of what the ray's offset costs over Phi's argument.
  Interval cost_share(const Interval& zeta) const {
    return at_.cost(last()) / power(zeta.lower_end(), at_.clock, bits);
  }

 private:
  bool is_near(std::size_t j) const;
  Interval bend(std::size_t j) const;
  Interval curvature(const MirrorEntries& entries) const;
  Interval steep_curvature(const MirrorEntries& entries) const;
  Interval unlike(std::size_t j, const Interval& softness) const;
  Interval weight_outside() const;
  Interval step_cost(const Interval& energy, const Interval& zeta) const;
  Interval steep_step_cost(const Interval& energy, const Interval& speed) const;
  const Interval& last() const { return to_ == nullptr ? from_ : *to_; }

  const MirrorSetting& at_;
  const MirrorWeights& weights_;
  const Interval from_;
  const Interval* to_;
  Vector ray_;        // a/y
  Interval energy_;   // E/y^P
  Vector reach_;      // S_c
  Interval curved_;   // kappa^+
  Interval outside_;  // rho
};

Interval PieceCheck::slope_of_zeta() const {
  Interval sum;
  for (std::size_t j = 0; j < ray_.size(); ++j) sum += signed_power(ray_[j], at_.p - 1, bits) * at_.u[j];
  return sum;
}

Interval PieceCheck::need(const Interval& energy, const Interval& zeta) {
  energy_ = (energy / power(from_, at_.p, bits)).upper_end();
  const MirrorEntries entries(at_.p, ray_, energy_);
  Interval farthest;
  for (std::size_t c = 0; c < at_.rows.size(); ++c) {
    reach_.push_back(entries.reach(at_.rows[c], at_.squares[c]));
    if (at_.outside[c]) farthest = maximum(farthest, reach_[c]);
  }
  const Interval bent = at_.p <= 2 ? curvature(entries) : steep_curvature(entries);
  curved_ = maximum(last() * bent, Interval(0)).upper_end();
  outside_ = weight_outside().upper_end();
  const Interval speed = at_.gamma - outside_ * at_.along_outside;
  at_.claim.require(speed.positive(), "better tokens keep too much weight");
  const Interval gathered = maximum(weights_.concentration + at_.gamma * curved_, Interval(0)) +
                            outside_ * last() * farthest +
                            (at_.p <= 2 ? step_cost(energy, zeta) : steep_step_cost(energy, speed));
  const Interval rise = number(at_.clock) * power(zeta.lower_end(), at_.clock - 1, bits);
  return (gathered / (speed * rise)).upper_end();
}

// Of entry j as a whole: |n| |e| or |u| 2^(2-P) |e|^(P-1)/(P-1), less e^2/(2 softness).
Interval PieceCheck::unlike(std::size_t j, const Interval& softness) const {
  const Interval p1 = number(at_.p - 1);
  const Interval straight = at_.n[j] * at_.n[j] * softness / Interval(2);
  const Interval factor =
      absolute(at_.u[j]).upper_end() * power(Interval::between(2, 2, 0, bits), 2 - at_.p, bits) / p1;
  const Interval place = power(factor * p1 * softness, 1 / Rational(3 - at_.p), bits);
  return largest(straight, factor * power(place, at_.p - 1, bits) * (Interval(1) - p1 / Interval(2)));
}

// a/y has the sign of u and is not much smaller. Beyond the last height all entries that move have to be so.
bool PieceCheck::is_near(std::size_t j) const {
  const Interval &u = at_.u[j], &a = ray_[j];
  const bool same = (u.positive() && a.positive()) || (u.negative() && a.negative());
  if (same && certainly_at_most(absolute(u), at_.near * absolute(a).lower_end())) return true;
  at_.claim.require(to_ != nullptr, "an entry of the limit is not near beyond the last height");
  return false;
}

// u (|u|^(P-2) - |a/y|^(P-2)), by its derivative where there is no last height: the ray's entry is then
// between u and a/y.
Interval PieceCheck::bend(std::size_t j) const {
  const Interval size = absolute(at_.u[j]), ray = absolute(ray_[j]);
  if (to_ == nullptr)
    return at_.u[j] * number(2 - at_.p) * power(ray, at_.p - 3, bits) * at_.offset[j] / from_;
  return at_.u[j] * (power(size, at_.p - 2, bits) - power(ray, at_.p - 2, bits));
}

// kappa/y, at most; P <= 2.
Interval PieceCheck::curvature(const MirrorEntries& entries) const {
  const Vector& soft = entries.softness();
  Interval linear, ratio, whole;
  std::vector<std::size_t> others;
  for (std::size_t j = 0; j < ray_.size(); ++j) {
    if (!at_.moves[j]) continue;
    if (!is_near(j)) {
      others.push_back(j);
      whole += at_.n[j] * at_.n[j] * soft[j];
      continue;
    }
    const Interval bent = bend(j);
    linear += (bent * bent).upper_end() * soft[j];
    ratio = largest(ratio, absolute(at_.u[j]) / absolute(ray_[j]).lower_end());
  }
  const Interval bent = at_.remainder * ratio * energy_;
  if (others.empty()) return bent + square_root(maximum(Interval(2) * energy_ * linear, Interval(0)));
  const Interval price =
      square_root(maximum((linear + whole) / (Interval(2) * energy_), Interval(0))).upper_end() +
      Interval::between(1, 1, -30, bits);
  Interval sum = bent + price * energy_ + linear / (Interval(2) * price);
  for (const std::size_t j : others) sum += unlike(j, soft[j] / price);
  return sum;
}

// P > 2. What is not near moves by |n| |e| or |u| (|a/y| + |e|)^(P-2) |e| at most.
Interval PieceCheck::steep_curvature(const MirrorEntries& entries) const {
  Vector slopes(ray_.size()), squares(ray_.size());
  Interval ratio;
  for (std::size_t j = 0; j < ray_.size(); ++j) {
    if (!at_.moves[j]) continue;
    const Interval size = absolute(at_.u[j]).upper_end(), ray = absolute(ray_[j]);
    if (is_near(j)) {
      slopes[j] = absolute(bend(j)).upper_end();
      ratio = largest(ratio, size / ray.lower_end());
    } else {
      const Interval most = power(ray.upper_end() + entries.farthest(j), at_.p - 2, bits);
      slopes[j] = largest(absolute(at_.n[j]), size * most);
    }
    squares[j] = slopes[j] * slopes[j];
  }
  return at_.remainder * ratio * energy_ + entries.reach(slopes, squares);
}

Interval PieceCheck::least_margin(std::size_t c) const {
  const auto at = [&](const Interval& y) {
    return at_.margin[c] + at_.along[c] * (y - at_.height) - reach_[c] * y;
  };
  Interval first = at(from_).lower_end();
  if (to_ != nullptr) return -maximum(-first, -at(*to_).lower_end());
  at_.claim.require((at_.along[c] - reach_[c]).nonnegative(), "a margin may fall without end");
  return first;
}

Interval PieceCheck::weight_outside() const {
  Interval sum;
  for (std::size_t c = 0; c < at_.rows.size(); ++c) {
    if (!at_.outside[c]) continue;
    const Interval steeper = at_.along[c] - at_.gamma, bend = at_.gamma * curved_;
    const auto exponent = [&](const Interval& y) {
      return (at_.gamma * at_.height - at_.margin[c] + bend - steeper * (y - at_.height) + reach_[c] * y)
          .upper_end();
    };
    Interval most = exponent(from_);
    if (to_ != nullptr) most = maximum(most, exponent(*to_));
    at_.claim.require(to_ != nullptr || certainly_less(Interval(1), (steeper - reach_[c]) * from_ - bend),
                      "weight of better tokens may not fall");
    sum += weights_.outside[c] * exponential(most);
  }
  return sum * exponential(-weights_.level);
}

// In the dual norm; the height, a product with u, rises by no more.
Interval PieceCheck::longest_step() const {
  if (at_.normalised) return at_.step;
  return at_.step * weights_.whole * at_.longest * (Interval(1) + outside_);
}

// R of section 6, P > 2.
Interval PieceCheck::steep_step_cost(const Interval& energy, const Interval& speed) const {
  const Interval share = at_.normalised ? at_.step / speed : at_.step * weights_.whole;
  MirrorStep step{energy, outside_, longest_step().upper_end(), share.upper_end(), {}};
  for (const Interval& a : ray_) step.entries.push_back(from_ * absolute(a).lower_end());
  return mirror_step_cost(at_, step);
}

// P <= 2.
Interval PieceCheck::step_cost(const Interval& energy, const Interval& zeta) const {
  const Interval length = longest_step();
  const Interval reached = to_ == nullptr ? zeta.lower_end() : zeta.upper_end();
  const Interval power_sum =
      power(reached, at_.q, bits) + number(at_.q) * (Interval(2) * energy + at_.cost(last()));
  const Interval norm = power(power_sum, 1 / at_.q, bits) + length;
  const Interval curve = number((at_.q - 1) / 2) * power(norm, at_.q - 2, bits) * length;
  const Interval plain = curve * at_.longest * (Interval(1) + outside_);
  return to_ == nullptr ? plain.upper_end() : minimum(plain.upper_end(), at_.spread_cost(curve, outside_));
}

// The pieces one after the other.
class RegionCheck {
 public:
  RegionCheck(const MirrorPoint& point, const MirrorRegionPlan& plan)
      : at_(point), plan_(plan), weights_(at_, plan.floors) {}

  void operator()(const MirrorConclusion& conclusion) {
    Interval from = at_.height, zeta = zeta_at(from);
    for (const MirrorPiece& piece : plan_.pieces) {
      const Interval to = number(piece.until);
      at_.claim.require(certainly_less(from, to), "heights increase");
      const Interval next = zeta_at(to);
      PieceCheck check(at_, weights_, from, &to);
      energy_ += number(piece.slope) * (power(next, at_.clock, bits) - power(zeta, at_.clock, bits));
      energy_ = energy_.upper_end();
      const Interval need = check.need(energy_, Interval::hull(zeta, next));
      cost_ = largest(cost_, check.cost_share(zeta));
      take(check, need, zeta, next, piece.slope);
      from = to;
      zeta = next;
    }
    end(from, zeta);
    require_slopes();
    conclude(conclusion);
  }

 private:
  struct Taken {
    Interval begin, reached, need;  // zeta at its begin; what a step from it may reach; what (2) asks
    Rational slope;
  };

  // zeta at that height.
  Interval zeta_at(const Interval& y) const {
    Interval zeta = power(y, at_.p - 1, bits) * PieceCheck(at_, weights_, y, &y).slope_of_zeta();
    at_.claim.require(zeta.positive(), "the ray is too far from the limit");
    return zeta;
  }

  void take(const PieceCheck& check, const Interval& need, const Interval& begin, const Interval& end,
            const Rational& slope) {
    at_.claim.require(slope > 0, "a slope is not positive");
    for (std::size_t c = 0; c < plan_.floors.size(); ++c)
      at_.claim.require_at_most(plan_.floors[c], check.least_margin(c).lower(),
                                "floor of the margin at " + show(at_.constraints[c]));
    outside_ = largest(outside_, check.outside());
    steepest_ = std::max(steepest_, slope);
    pieces_.push_back({begin, end + check.longest_step(), need, slope});
  }

  // All heights beyond.
  void end(const Interval& from, const Interval& zeta) {
    PieceCheck check(at_, weights_, from, nullptr);
    const Interval slope = check.slope_of_zeta(), rise = power(from, at_.p - 1, bits);
    at_.claim.require(slope.positive(), "the ray is too far from the limit");
    const Interval share =
        largest(number(plan_.last_slope), energy_ / power(zeta.lower_end(), at_.clock, bits));
    const Interval energy = share * power((rise * slope).upper_end(), at_.clock, bits);
    const Interval need = check.need(energy, (rise * slope).lower_end());
    cost_ = largest(cost_, check.cost_share(rise * slope));
    take(check, need, zeta, zeta, plan_.last_slope);
  }

  // Phi'_H: the least slope that a step from each piece meets.
  void require_slopes() const {
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      for (std::size_t j = k; j < pieces_.size(); ++j) {
        if (j > k && certainly_less(pieces_[k].reached, pieces_[j].begin)) break;
        at_.claim.require_at_most(
            pieces_[k].need.upper(), pieces_[j].slope,
            "what piece " + std::to_string(k) + " asks of the slope of piece " + std::to_string(j));
      }
    }
  }

  void conclude(const MirrorConclusion& said) const {
    const Interval rate = Interval(2) * number(steepest_) + cost_;
    at_.claim.require_at_most(rate.upper(), said.rate, "rate");
    at_.claim.require_at_most(weights_.unselected, said.unselected, "attention off the selected tokens");
    at_.claim.require(said.growth.has_value() == at_.normalised, "growth is that of normalised steps");
    if (!said.growth) return;
    at_.claim.require(*said.growth > 0, "growth is not positive");
    const Interval speed = at_.gamma - outside_ * at_.along_outside;
    at_.claim.require_at_most(*said.growth, (speed / (at_.longest * (Interval(1) + outside_))).lower(),
                              "growth");
  }

  const MirrorSetting at_;
  const MirrorRegionPlan& plan_;
  const MirrorWeights weights_;
  std::vector<Taken> pieces_;
  Interval energy_, outside_, cost_;
  Rational steepest_;
};

}  // namespace

void require_mirror_region(const MirrorPoint& point, const MirrorRegionPlan& plan,
                           const MirrorConclusion& conclusion) {
  RegionCheck(point, plan)(conclusion);
}

}  // namespace attest_check
