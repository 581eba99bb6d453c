#include "numerics/mirror/region_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attest {
namespace {

constexpr long bits = 256;
constexpr double infinity = std::numeric_limits<double>::infinity();

double as_double(const Rational& x) {
  return mpq_get_d(x.backend().data());
}

double size_above(const Ball& x) {
  return std::max(std::abs(x.lower_double()), std::abs(x.upper_double()));
}

double radius_above(const Ball& x) {
  return x.upper_double() - x.lower_double() + 0x1p-50 * std::abs(x.approx_mid());
}

// |l'| at a score, between these two.
std::pair<double, double> slope(Loss loss, double f) {
  Ball value, ratio;
  loss_derivatives(value.raw(), ratio.raw(), loss, Ball(f).raw(), 64);
  return {value.lower_double() * slack_down, value.upper_double() * slack_up};
}

// min over x in [low, high] of x log(b/x): a concave function.
double least_entropy(double b, double low, double high) {
  const auto at = [&](double x) { return x > 0 ? x * std::log(b / x) : 0; };
  return std::min(at(std::max(low, 0.0)), at(std::max(high, 0.0))) - 1e-11;
}

}  // namespace

bool RegionData::read(const TokenData& data, const MirrorSpec& spec, const Potential& potential,
                      const MirrorLimit& limit, const std::vector<Ball>& w0, std::string& reason) {
  p = potential.p();
  q = potential.q();
  loss_ = spec.steps.loss;
  share_ = 1 / static_cast<double>(data.groups());
  // The remainders of near entries may use some of what E's slope is, not all of it.
  near_ratio_ = p == 2 ? 1e9 : std::max(1.05, 0.8 * std::max(1.0, q - 1) / remainder_constant(p));
  if (limit.multipliers.empty()) {
    reason = "the limit's multipliers are not known: its active constraints depend on each other";
    return false;
  }
  if (!limit.optimum.locally_optimal) {
    reason = "the selection is not locally optimal in this norm";
    return false;
  }
  if (!read_limit(limit, w0, potential, reason)) return false;
  read_constraints(data, limit, w0);
  const double least = *std::min_element(margin.begin(), margin.end());
  if (!(least > 0.6)) {
    reason = "the selected tokens do not lead yet";
    return false;
  }
  return true;
}

bool RegionData::read_limit(const MirrorLimit& limit, const std::vector<Ball>& w0, const Potential& potential,
                            std::string& reason) {
  const Ball y = dot(limit.normal, w0, bits);
  height = y.lower_double();
  height_high = y.upper_double();
  std::vector<Ball> dual;
  for (const Ball& w : w0) dual.push_back(potential.gradient(w, bits));
  zeta = dot(dual, limit.direction, bits).lower_double();
  gamma = limit.gamma.lower_double();
  gamma_high = limit.gamma.upper_double();
  moves.assign(w0.size(), false);
  for (std::size_t j = 0; j < w0.size(); ++j) {
    const Ball& u = limit.direction[j];
    const Ball rest = sub(w0[j], mul(y, u, bits), bits);
    direction.push_back(u.approx_mid());
    direction_radius.push_back(radius_above(u));
    direction_high.push_back(size_above(u));
    normal_high.push_back(size_above(limit.normal[j]));
    offset.push_back(rest.approx_mid());
    offset_radius.push_back(radius_above(rest));
    if (!std::isfinite(direction_high.back()) || !std::isfinite(offset_radius.back())) {
      reason = "the limit is not known well enough";
      return false;
    }
  }
  if (height > 0 && zeta > 0 && gamma > 0 && std::isfinite(height_high)) return true;
  reason = "W does not point along the limit yet";
  return false;
}

void RegionData::read_constraints(const TokenData& data, const MirrorLimit& limit,
                                  const std::vector<Ball>& w0) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  std::vector<std::vector<double>> rows;
  std::optional<std::size_t> group;
  for (std::size_t c = 0; c < limit.constraints.size(); ++c) {
    const Constraint& at = limit.constraints[c];
    const std::size_t winner = data.row(at.group, limit.selection[at.group]),
                      loser = data.row(at.group, at.token);
    std::vector<Ball> delta;
    for (std::size_t j = 0; j < d; ++j) {
      const Rational difference =
          data.token_factor.exact(winner * d + j) - data.token_factor.exact(loser * d + j);
      for (std::size_t k = 0; k < e; ++k)
        delta.emplace_back(difference * data.query_factor.exact(at.group * e + k), bits);
    }
    std::vector<double>& sizes = size.emplace_back();
    std::vector<double>& row = rows.emplace_back();
    for (std::size_t j = 0; j < delta.size(); ++j) {
      row.push_back(delta[j].approx_mid());
      sizes.push_back(size_above(delta[j]) * slack_up);
      if (sizes.back() > 0) moves[j] = true;
    }
    const Ball m = dot(delta, w0, bits);
    margin.push_back(m.lower_double());
    const Ball level = mul(limit.gamma, dot(limit.normal, w0, bits), bits);
    excess.push_back(sub(level, m, bits).upper_double());
    along.push_back(std::max(limit.along[c].lower_double(), gamma));
    along_high.push_back(limit.along[c].upper_double());
    gap_.push_back(as_double(score_gap(data, limit.selection, at)));
    const auto counts = [&](std::size_t t) { return static_cast<double>(data.multiplicity(at.group, t)); };
    count_.push_back(counts(at.token) / counts(limit.selection[at.group]));
    outside.push_back(!(gap_.back() > 0));
    if (outside.back()) {
      local = true;
      along_outside = std::max(along_outside, along_high.back());
    }
    multiplier_low_.push_back(limit.multipliers[c].lower_double());
    multiplier_high_.push_back(limit.multipliers[c].upper_double());
    if (group != at.group)
      groups_.push_back({as_double(data.score(at.group, limit.selection[at.group])), {}});
    group = at.group;
    groups_.back().constraints.push_back(c);
  }
  const auto norm = [&](const std::vector<double>& a, const std::vector<double>* b) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += std::pow(std::abs(a[j] - (b ? (*b)[j] : 0)), q);
    return std::pow(sum, 1 / q) * slack_up + 1e-13;
  };
  for (std::size_t c = 0; c < rows.size(); ++c) {
    longest = std::max(longest, norm(rows[c], nullptr));
    for (std::size_t k = 0; k < c; ++k) diameter = std::max(diameter, norm(rows[c], &rows[k]));
  }
}

std::optional<WeightRanges> RegionData::ranges(const std::vector<double>& low) const {
  WeightRanges found;
  found.high.assign(low.size(), 0);
  found.outside.assign(low.size(), 0);
  for (const Group& group : groups_) {
    double left = 0, deficit = 0, gain = 0;  // of attention; g - f between -gain and deficit
    for (const std::size_t c : group.constraints) {
      const double part = count_[c] * std::exp(-low[c]) * slack_up;
      left += part;
      (gap_[c] > 0 ? deficit : gain) += part * std::abs(gap_[c]) * slack_up;
    }
    const double unselected = left / (1 + left) * slack_up;
    if (!(unselected < 1)) return std::nullopt;
    const double lowest = group.best - deficit - 1e-12, highest = group.best + gain + 1e-12;
    if (loss_ == Loss::cross_entropy && !(lowest > 0)) return std::nullopt;
    const double steep = slope(loss_, lowest).second, flat = slope(loss_, highest).first;
    found.unselected.push_back(unselected);
    for (const std::size_t c : group.constraints) {
      const double scale = share_ * count_[c];
      if (outside[c]) {
        found.outside[c] = scale * steep * (std::abs(gap_[c]) + std::max(deficit, gain)) * slack_up;
        continue;
      }
      const double least = scale * flat * (1 - unselected) * (gap_[c] * slack_down - deficit) * slack_down;
      if (!(least > 0)) return std::nullopt;
      found.high[c] = scale * steep * (gap_[c] + gain) * slack_up;
      if (multiplier_high_[c] > 0)
        found.multiplier_level += least_entropy(least, multiplier_low_[c], multiplier_high_[c]);
    }
  }
  return found;
}

double RegionData::concentration(const WeightRanges& ranges) const {
  double sum = 0, largest = -infinity;
  for (std::size_t c = 0; c < excess.size(); ++c) {
    if (!outside[c]) largest = std::max(largest, excess[c]);
  }
  for (std::size_t c = 0; c < excess.size(); ++c) {
    if (!outside[c]) sum += ranges.high[c] * std::exp(excess[c] - largest);
  }
  return std::log(sum) + largest - ranges.multiplier_level + 1e-9 * (1 + std::abs(largest));
}

RaySpan RegionData::ray(double from, double to) const {
  RaySpan span;
  const std::size_t count = direction.size();
  span.low.assign(count, 0);
  span.high.assign(count, 0);
  span.near.assign(count, false);
  double rounding = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double u = direction[j], far = std::isfinite(to) ? offset[j] / to : 0, close = offset[j] / from;
    const double error =
        direction_radius[j] + offset_radius[j] / from + 1e-13 * (std::abs(u) + std::abs(close)) + 1e-300;
    const double one = u + close, other = u + far;
    const double least = std::min(std::abs(one), std::abs(other)) - error;
    span.high[j] = std::max(std::abs(one), std::abs(other)) + error;
    if (one * other > 0 && least > 0) span.low[j] = least;
    const bool same = span.low[j] > 0 && std::abs(u) > direction_radius[j] && one * u > 0;
    span.near[j] = same && direction_high[j] <= near_ratio_ * span.low[j];
    const double most = std::pow(span.high[j], p - 1) * direction_high[j];
    const double least_part = std::pow(span.low[j], p - 1) * std::max(0.0, std::abs(u) - direction_radius[j]);
    const bool known = span.low[j] > 0 && std::abs(u) > direction_radius[j];
    span.zeta_low += same ? least_part : -most;
    span.zeta_high += known && !same ? -least_part : most;
    rounding += most;
  }
  span.zeta_low -= 1e-10 * rounding;
  span.zeta_high += 1e-10 * rounding;
  return span;
}

bool RegionData::ray_is_near(double from) const {
  const RaySpan span = ray(from, infinity);
  for (std::size_t j = 0; j < moves.size(); ++j) {
    if (moves[j] && !span.near[j]) return false;
  }
  return true;
}

std::vector<double> RegionData::ray_slopes(const RaySpan& ray, double from, double to, double energy) const {
  const bool tail = !std::isfinite(to);
  std::vector<double> slopes(direction.size(), 0);
  // |e| at most this, by d >= c |e|^P.
  const double wide =
      p < 2 ? 0 : std::pow(energy / ((p - 1) / 2 * std::pow(0.195, std::max(1.0, p - 2))), 1 / p) * slack_up;
  for (std::size_t j = 0; j < slopes.size(); ++j) {
    if (!moves[j]) continue;
    const double u = direction_high[j];
    if (!ray.near[j]) {
      slopes[j] = p < 2 ? normal_high[j]
                        : std::max(normal_high[j], u * std::pow(std::max(ray.high[j], u) + wide, p - 2));
      continue;
    }
    const double least = std::min(ray.low[j], std::abs(direction[j]) - direction_radius[j]),
                 most = std::max(ray.high[j], u);
    // | |u|^(P-2) - |a|^(P-2) | by the mean value; over all later heights |a - u| falls like 1/y.
    const double steepest = std::max(std::pow(least, p - 3), std::pow(most, p - 3));
    const double distance = (std::abs(offset[j]) + offset_radius[j]) / from + (tail ? 0 : 1e-13 * u);
    slopes[j] = u * std::abs(p - 2) * steepest * distance * slack_up;
  }
  return slopes;
}

double RegionData::ray_cost(double y) const {
  double sum = 0;
  for (std::size_t j = 0; j < offset.size(); ++j) {
    const double o = std::abs(offset[j]) + offset_radius[j];
    sum += p <= 2 ? 2 * std::pow(2.0, 2 - p) / p * std::pow(o, p)
                  : (p - 1) * std::pow(y * direction_high[j] + 2 * o, p - 2) * o * o;
  }
  return sum * slack_up;
}

double RegionData::ray_cost_share(double power) const {
  if (p <= 2) return ray_cost(height) / std::pow(zeta, power) * slack_up;
  const RaySpan all = ray(height, infinity);
  if (!(all.zeta_low > 0)) return infinity;
  // ray_cost(y)/y^(P-2) falls and zeta(y) is at least y^(P-1) times its share.
  return ray_cost(height) / (std::pow(height, p - 1) * all.zeta_low) * slack_up;
}

}  // namespace attest
