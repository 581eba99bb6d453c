#include "numerics/mirror/region_data.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/forever/ball_number.hpp"
#include "numerics/mirror/sizes.hpp"
#include "numerics/problem/loss_law.hpp"

namespace attest {
namespace {

constexpr long region_bits = 256;

template <typename Number>
double size_below(const Number& x) {
  return std::max(0.0, std::max(low(x), -high(x)));
}

// A lower bound of min over x in [low, high] of x log(b/x): a concave function.
template <typename Number>
double least_entropy(const Number& b, const Number& range) {
  using std::log;
  const auto at = [&](double x) { return x > 0 ? low(Number(x) * log(b / Number(x))) : 0; };
  return std::min(at(std::max(low(range), 0.0)), at(std::max(high(range), 0.0)));
}

}  // namespace

template <typename Number>
bool RegionData<Number>::read(const TokenData& data, const MirrorSpec& spec, const Potential& potential,
                              const MirrorLimit& limit, const std::vector<Ball>& w0, std::string& reason) {
  p = ratio<Number>(exponents.p);
  q = ratio<Number>(exponents.q);
  loss_ = spec.steps.loss;
  share_ = Number(1.0) / Number(static_cast<double>(data.groups()));
  // The remainders of near entries may use some of what E's slope is, not all of it.
  near_ratio_ = exponents.side == 0
                    ? 1e9
                    : std::max(1.05, 0.8 * exponents.clock.value() / remainder_constant<double>(exponents));
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
  double least = infinity;
  for (const Number& m : margin) least = std::min(least, low(m));
  if (!(least > 0.6)) {
    reason = "the selected tokens do not lead yet";
    return false;
  }
  read_lengths();
  return true;
}

template <typename Number>
bool RegionData<Number>::read_limit(const MirrorLimit& limit, const std::vector<Ball>& w0,
                                    const Potential& potential, std::string& reason) {
  const Ball y = dot(limit.normal, w0, region_bits);
  height = number<Number>(y);
  std::vector<Ball> dual;
  for (const Ball& w : w0) dual.push_back(potential.gradient(w, region_bits));
  zeta = number<Number>(dot(dual, limit.direction, region_bits));
  gamma = number<Number>(limit.gamma);
  moves.assign(w0.size(), false);
  bool known = true;
  for (std::size_t j = 0; j < w0.size(); ++j) {
    const Ball& u = limit.direction[j];
    const Ball rest = sub(w0[j], mul(y, u, region_bits), region_bits);
    known = known && u.is_finite() && rest.is_finite();
    direction.push_back(number<Number>(u));
    normal.push_back(number<Number>(limit.normal[j]));
    offset.push_back(number<Number>(rest));
  }
  if (!known) {
    reason = "the limit is not known well enough";
    return false;
  }
  if (low(height) > 0 && low(zeta) > 0 && low(gamma) > 0 && std::isfinite(high(height))) return true;
  reason = "W does not point along the limit yet";
  return false;
}

template <typename Number>
void RegionData<Number>::read_constraints(const TokenData& data, const MirrorLimit& limit,
                                          const std::vector<Ball>& w0) {
  std::optional<std::size_t> group;
  const Ball level = mul(limit.gamma, dot(limit.normal, w0, region_bits), region_bits);
  for (std::size_t c = 0; c < limit.constraints.size(); ++c) {
    const Constraint& at = limit.constraints[c];
    const std::vector<Ball>& delta = limit.rows[c];
    std::vector<Number>& row = rows.emplace_back();
    std::vector<double>& sizes = size.emplace_back();
    for (std::size_t j = 0; j < delta.size(); ++j) {
      row.push_back(number<Number>(delta[j]));
      sizes.push_back(size_above(row.back()));
      if (sizes.back() > 0) moves[j] = true;
    }
    const Ball m = dot(delta, w0, region_bits);
    margin.push_back(number<Number>(m));
    excess.push_back(number<Number>(sub(level, m, region_bits)));
    along.push_back(number<Number>(limit.along[c]));
    gap_.push_back(number<Number>(score_gap(data, limit.selection, at)));
    const auto counts = [&](std::size_t t) {
      return Number(static_cast<double>(data.multiplicity(at.group, t)));
    };
    count_.push_back(counts(at.token) / counts(limit.selection[at.group]));
    outside.push_back(!(low(gap_.back()) > 0));
    if (outside.back()) {
      local = true;
      along_outside = std::max(along_outside, high(along.back()));
    }
    multiplier_.push_back(number<Number>(limit.multipliers[c]));
    if (group != at.group)
      groups_.push_back({number<Number>(data.score(at.group, limit.selection[at.group])), {}});
    group = at.group;
    groups_.back().constraints.push_back(c);
  }
}

// ||a - b||_Q^Q; upper bounds suffice.
template <typename Number>
void RegionData<Number>::read_lengths() {
  const auto power = [&](const Number& x) { return pow(Number(size_above(x)), exponents.q); };
  std::vector<double> centred;
  for (const std::vector<Number>& row : rows) {
    Number own(0.0), rest(0.0);
    for (std::size_t j = 0; j < row.size(); ++j) {
      own += power(row[j]);
      rest += power(row[j] - gamma * normal[j]);
    }
    longest = std::max(longest, high(pow(own, exponents.one_over_q)));
    centred.push_back(high(pow(rest, exponents.one_over_q)));
  }
  diameter = 2 * *std::max_element(centred.begin(), centred.end());
  const auto count = static_cast<double>(rows.size());
  if (count * count * static_cast<double>(direction.size()) > 2 * most_pair_entries) return;
  double widest = 0;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    for (std::size_t k = 0; k < c; ++k) {
      Number sum(0.0);
      for (std::size_t j = 0; j < direction.size(); ++j) sum += power(rows[c][j] - rows[k][j]);
      widest = std::max(widest, high(sum));
    }
  }
  diameter = std::min(diameter, high(pow(Number(widest), exponents.one_over_q)));
}

template <typename Number>
std::optional<WeightRanges<Number>> RegionData<Number>::ranges(const std::vector<double>& least) const {
  using std::abs;
  using std::exp;
  WeightRanges<Number> found;
  found.high.assign(least.size(), Number(0.0));
  found.outside.assign(least.size(), Number(0.0));
  const Number one(1.0);
  for (const Group& group : groups_) {
    Number left(0.0), deficit(0.0), gain(0.0);  // of attention; g - f between -gain and deficit
    for (const std::size_t c : group.constraints) {
      const Number part = count_[c] * exp(Number(-least[c]));
      left += part;
      (outside[c] ? gain : deficit) += part * Number(size_above(gap_[c]));
    }
    const double unselected = high(one - one / (one + left));
    if (!(unselected < 1)) return std::nullopt;
    const Number lowest = group.best - deficit, highest = group.best + gain;
    if (loss_ == Loss::cross_entropy && !(low(lowest) > 0)) return std::nullopt;
    const Number steep = loss_slope(loss_, lowest), flat = loss_slope(loss_, highest);
    found.unselected.push_back(unselected);
    found.loss += share_ * steep * deficit;
    const Number spread(std::max(high(deficit), high(gain)));
    for (const std::size_t c : group.constraints) {
      const Number scale = share_ * count_[c];
      if (outside[c]) {
        found.outside[c] = scale * steep * (Number(size_above(gap_[c])) + spread);
        continue;
      }
      const Number smallest = scale * flat * (one - Number(unselected)) * (gap_[c] - deficit);
      if (!(low(smallest) > 0)) return std::nullopt;
      found.high[c] = scale * steep * (gap_[c] + gain);
      if (high(multiplier_[c]) > 0) found.multiplier_level += Number(least_entropy(smallest, multiplier_[c]));
    }
  }
  return found;
}

template <typename Number>
double RegionData<Number>::concentration(const WeightRanges<Number>& ranges) const {
  using std::exp;
  using std::log;
  double largest = -infinity;
  for (std::size_t c = 0; c < excess.size(); ++c) {
    if (!outside[c]) largest = std::max(largest, high(excess[c]));
  }
  Number sum(0.0);
  for (std::size_t c = 0; c < excess.size(); ++c) {
    if (!outside[c]) sum += ranges.high[c] * exp(excess[c] - Number(largest));
  }
  return high(log(sum) + Number(largest) - ranges.multiplier_level);
}

template <typename Number>
RaySpan RegionData<Number>::ray(double from, double to) const {
  RaySpan span;
  Number least(0.0), most(0.0);
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const Number& u = direction[j];
    const Number one = u + offset[j] / Number(from);
    const Number other = std::isfinite(to) ? u + offset[j] / Number(to) : u;
    const double below = std::min(low(one), low(other)), above = std::max(high(one), high(other));
    span.high.push_back(std::max(-below, above));
    span.low.push_back(below > 0 ? below : above < 0 ? -above : 0);
    const bool known = span.low.back() > 0 && size_below(u) > 0;
    const bool same = known && (below > 0) == (low(u) > 0);
    span.near.push_back(same && size_above(u) <= near_ratio_ * span.low.back());
    const Number large = pow(Number(span.high.back()), exponents.p_minus_1) * Number(size_above(u));
    const Number small = pow(Number(span.low.back()), exponents.p_minus_1) * Number(size_below(u));
    least += same ? small : -large;
    most += known && !same ? -small : large;
  }
  span.zeta_low = low(least);
  span.zeta_high = high(most);
  return span;
}

template <typename Number>
bool RegionData<Number>::ray_is_near(double from) const {
  const RaySpan span = ray(from, infinity);
  for (std::size_t j = 0; j < moves.size(); ++j) {
    if (moves[j] && !span.near[j]) return false;
  }
  return true;
}

template <typename Number>
std::vector<double> RegionData<Number>::ray_slopes(const RaySpan& ray, double from, double energy,
                                                   double floor) const {
  std::vector<double> slopes(direction.size(), 0);
  // |e| at most this, by d >= floor |e|^P.
  const Number wide =
      exponents.side <= 0 ? Number(0.0) : pow(Number(energy) / Number(floor), exponents.one_over_p);
  for (std::size_t j = 0; j < slopes.size(); ++j) {
    if (!moves[j]) continue;
    const double u = size_above(direction[j]);
    if (!ray.near[j]) {
      slopes[j] = size_above(normal[j]);
      if (exponents.side > 0) {
        const Number farthest = Number(std::max(ray.high[j], u)) + wide;
        slopes[j] = std::max(slopes[j], high(Number(u) * pow(farthest, exponents.p_minus_2)));
      }
      continue;
    }
    // | |u|^(P-2) - |a|^(P-2) | by the mean value; over all later heights |a - u| falls like 1/y.
    const Number ends[] = {Number(std::min(ray.low[j], size_below(direction[j]))),
                           Number(std::max(ray.high[j], u))};
    double steepest = 0;
    for (const Number& end : ends) steepest = std::max(steepest, high(pow(end, exponents.p_minus_2) / end));
    const Number distance = Number(size_above(offset[j])) / Number(from);
    slopes[j] = high(Number(u) * Number(size_above(p - Number(2.0))) * Number(steepest) * distance);
  }
  return slopes;
}

template <typename Number>
double RegionData<Number>::ray_cost(double y) const {
  Number sum(0.0);
  const Number two(2.0);
  for (std::size_t j = 0; j < offset.size(); ++j) {
    const Number o(size_above(offset[j]));
    if (exponents.side <= 0) {
      sum += two * pow(two, exponents.two_minus_p) / p * pow(o, exponents.p);
    } else {
      const Number widest = Number(y) * Number(size_above(direction[j])) + two * o;
      sum += ratio<Number>(exponents.p_minus_1) * pow(widest, exponents.p_minus_2) * o * o;
    }
  }
  return high(sum);
}

template <typename Number>
double RegionData<Number>::ray_cost_share() const {
  const double first = low(height);
  if (exponents.side <= 0) return high(Number(ray_cost(first)) / pow(zeta, exponents.clock));
  const RaySpan all = ray(first, infinity);
  if (!(all.zeta_low > 0)) return infinity;
  // ray_cost(y)/y^(P-2) falls and zeta(y) is at least y^(P-1) times its share.
  return high(Number(ray_cost(high(height))) /
              (pow(Number(first), exponents.p_minus_1) * Number(all.zeta_low)));
}

template struct RegionData<double>;
template struct RegionData<DoubleInterval>;

}  // namespace attest
