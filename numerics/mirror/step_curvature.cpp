#include "numerics/mirror/step_curvature.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/mirror/sizes.hpp"

namespace attest {
namespace {

constexpr std::size_t most_splits = 25;       // places tried between soft and solid entries
constexpr double step_share = 2;              // a solid entry of Z is at least that many times its step
constexpr double sum_rounding = 1 + 0x1p-30;  // of at most 2^20 terms that are not negative

// result[m]: at least max over rows of (sum over the first m entries)^power; `backwards`: over all but those.
template <typename Number>
std::vector<double> largest_sums(const std::vector<std::vector<double>>& rows,
                                 const std::vector<std::size_t>& order, bool backwards,
                                 const Exponent& power) {
  const std::size_t count = order.size();
  std::vector<double> found(count + 1, 0);
  for (const std::vector<double>& row : rows) {
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = backwards ? count - 1 - k : k;
      sum += row[order[at]];
      double& most = found[backwards ? at : at + 1];
      most = std::max(most, sum);
    }
  }
  for (double& x : found) x = x > 0 ? high(pow(Number(x * sum_rounding), power)) : 0;
  return found;
}

}  // namespace

// f(b) = ((1-b)^Q - b^Q)/Q + b^(Q-1) is concave on (0, 1/2] and falls beyond: between b1 and b2 with f'(b1)
// >= 0 >= f'(b2) the tangent at b1 is above it.
template <typename Number>
double hoelder_constant(const Exponents& e) {
  const auto slope = [&](const auto& b) {
    using Kind = std::decay_t<decltype(b)>;
    return ratio<Kind>(e.q_minus_1) * pow(b, e.q_minus_2) - pow(Kind(1.0) - b, e.q_minus_1) -
           pow(b, e.q_minus_1);
  };
  double one = 0, other = 0.5;
  for (int k = 0; k < 40; ++k) {
    const double b = (one + other) / 2;
    (slope(b) > 0 ? one : other) = b;
  }
  one *= 1 - 1e-6;
  other *= 1 + 1e-6;
  const Number b(one), rise = slope(b);
  if (!(low(rise) >= 0) || !(high(slope(Number(other))) <= 0) || !(one > 0))
    return high(pow(Number(2.0), Exponent{-e.q_minus_2.numerator, e.q_minus_2.denominator}) /
                ratio<Number>(e.q));
  const Number value = (pow(Number(1.0) - b, e.q) - pow(b, e.q)) / ratio<Number>(e.q) + pow(b, e.q_minus_1);
  return high(value + rise * Number(other - one + 0x1p-40));
}

template <typename Number>
StepCurvature<Number>::StepCurvature(const RegionData<Number>& data, double eta)
    : exponents_(data.exponents), eta_(eta), gamma_(data.gamma), local_(data.local) {
  constant_ = hoelder_constant<Number>(exponents_);
  const Number one(1.0), two(2.0);
  for (const double keep : {0.1, 0.25}) {
    const Number theta(keep);
    const Number loss = one / data.p + pow(theta, exponents_.p) / data.q - pow(theta, exponents_.p_minus_1);
    // (2 + (1-1/b)^(Q-2))/3 with b = step_share.
    const Number added = (two + pow(one - one / Number(step_share), exponents_.q_minus_2)) / Number(3.0);
    const Number curve =
        ratio<Number>(exponents_.q_minus_1) / two * pow(theta, exponents_.two_minus_p) * added;
    shares_.push_back({keep, low(loss), curve, pow(theta, exponents_.p_minus_1) / Number(step_share)});
  }
  spreads_ = {0.01, 0.02, 0.035, 0.05, 0.07, 0.09, 0.11, 0.13, 0.15, 0.17, 0.19};
  for (int k = 0; k < 15; ++k) spreads_.push_back(0.21 + 0.02 * k);
  for (int k = 0; k < 10; ++k) spreads_.push_back(0.52 + 0.03 * k);
  spreads_.insert(spreads_.end(), {0.9, 1.0});
  for (const double b : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
    using std::log;
    tilts_.push_back(b);
    tilt_costs_.push_back(high(-Number(b) - log(one - Number(b))));
  }
  for (std::size_t c = 0; c < data.rows.size(); ++c) {
    if (data.outside[c] || !(high(data.multiplier(c)) > 0)) continue;
    multiplier_.push_back(data.multiplier(c));
    std::vector<Number>& row = active_.emplace_back();
    for (std::size_t j = 0; j < data.normal.size(); ++j)
      row.push_back(data.rows[c][j] - data.gamma * data.normal[j]);
  }
  read_rows(data);
  read_spread(data);
}

template <typename Number>
void StepCurvature<Number>::read_rows(const RegionData<Number>& data) {
  const auto power = [&](double x) { return x > 0 ? high(pow(Number(x), exponents_.q)) : 0; };
  std::vector<std::size_t> inside;
  for (const Number& n : data.normal) mean_.push_back(size_above(gamma_ * n));
  for (std::size_t c = 0; c < data.rows.size(); ++c) {
    if (data.outside[c]) {
      outer_.push_back(data.size[c]);
      std::vector<double>& powers = outer_power_.emplace_back();
      for (const double x : data.size[c]) powers.push_back(power(x));
      continue;
    }
    inside.push_back(c);
    std::vector<double>&own = row_power_.emplace_back(), &rest = centred_.emplace_back(),
    &powers = centred_power_.emplace_back();
    for (std::size_t j = 0; j < mean_.size(); ++j) {
      own.push_back(power(data.size[c][j]));
      rest.push_back(size_above(data.rows[c][j] - gamma_ * data.normal[j]));
      powers.push_back(power(rest.back()));
    }
  }
  const auto count = static_cast<double>(inside.size());
  if (count * count * static_cast<double>(mean_.size()) > 2 * most_pair_entries) return;
  for (std::size_t c = 0; c < inside.size(); ++c) {
    for (std::size_t k = 0; k < c; ++k) {
      std::vector<double>& pair = pair_power_.emplace_back();
      for (std::size_t j = 0; j < mean_.size(); ++j)
        pair.push_back(power(size_above(data.rows[inside[c]][j] - data.rows[inside[k]][j])));
    }
  }
}

// |V_j|/Om without N: at most gamma |n_j| + min(s (max_c Delta_cj - min_c Delta_cj), max_c |Delta_c - gamma
// n|_j).
template <typename Number>
void StepCurvature<Number>::read_spread(const RegionData<Number>& data) {
  std::vector<double> least(mean_.size(), infinity), most(mean_.size(), -infinity), farthest(mean_.size(), 0);
  for (std::size_t c = 0; c < data.rows.size(); ++c) {
    for (std::size_t j = 0; j < mean_.size() && !data.outside[c]; ++j) {
      least[j] = std::min(least[j], low(data.rows[c][j]));
      most[j] = std::max(most[j], high(data.rows[c][j]));
    }
  }
  for (const std::vector<double>& row : centred_) {
    for (std::size_t j = 0; j < row.size(); ++j) farthest[j] = std::max(farthest[j], row[j]);
  }
  for (const double s : spreads_) {
    std::vector<double>&move = move_.emplace_back(), &powers = move_power_.emplace_back();
    for (std::size_t j = 0; j < mean_.size(); ++j) {
      const double moved = std::min(high(Number(s) * (Number(most[j]) - Number(least[j]))), farthest[j]);
      double outer = 0;
      for (const std::vector<double>& row : outer_) outer = std::max(outer, row[j]);
      move.push_back(high(Number(mean_[j]) + Number(moved) + Number(outer)));  // rho is at most 1 where used
      powers.push_back(high(pow(Number(move.back()), exponents_.q)));
    }
  }
}

template <typename Number>
void StepCurvature<Number>::sort(const std::vector<double>& entries) {
  if (entries == last_entries_) return;
  last_entries_ = entries;
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return entries[a] < entries[b]; });
  entry_power_.clear();
  entry_gradient_.clear();
  for (const double a : entries) {
    const Number gradient = pow(Number(a), exponents_.p_minus_1);
    entry_gradient_.push_back(std::max(0.0, low(gradient)));
    entry_power_.push_back(std::max(0.0, low(gradient * Number(a))));
  }
  if (order == order_) return;
  order_ = std::move(order);
  add_prefixes();
}

template <typename Number>
void StepCurvature<Number>::add_prefixes() {
  const Exponent& root = exponents_.one_over_q;
  std::vector<std::vector<double>> mean_power(1);
  for (const double x : mean_) mean_power[0].push_back(x > 0 ? high(pow(Number(x), exponents_.q)) : 0);
  soft_mean_ = largest_sums<Number>(mean_power, order_, false, root);
  soft_radius_ = largest_sums<Number>(centred_power_, order_, false, root);
  soft_diameter_ = largest_sums<Number>(pair_power_, order_, false, root);
  soft_row_ = largest_sums<Number>(row_power_, order_, false, root);
  soft_outer_ = largest_sums<Number>(outer_power_, order_, false, root);
  bound_variance();
}

// h' Sigma h <= lambda ||h||_2^2 <= lambda m^(1-2/P) ||h||_P^2 for h on m entries; lambda, the largest
// eigenvalue there of Sigma = sum mu_c d_c d_c', d_c = Delta_c - gamma n, is the spectral radius of (mu_c
// <d_c, d_k>), whose eighth power has it to the eighth: at most its Frobenius norm. At some m, for all below.
template <typename Number>
void StepCurvature<Number>::bound_variance() {
  const std::size_t entries = order_.size(), size = active_.size();
  soft_variance_.assign(entries + 1, 0);
  constexpr std::size_t parts = 5;
  std::vector<std::vector<Number>> gram(size, std::vector<Number>(size, Number(0.0)));
  std::size_t done = 0;
  for (std::size_t part = 1; part <= parts; ++part) {
    const std::size_t end = entries * part / parts;
    for (std::size_t m = done; m < end; ++m) {
      for (std::size_t c = 0; c < size; ++c) {
        for (std::size_t k = 0; k < size; ++k) gram[c][k] += active_[c][order_[m]] * active_[k][order_[m]];
      }
    }
    std::vector<std::vector<Number>> power = gram;
    for (std::size_t c = 0; c < size; ++c) {
      for (Number& x : power[c]) x = x * multiplier_[c];
    }
    for (int k = 0; k < 3; ++k) {
      std::vector<std::vector<Number>> square(size, std::vector<Number>(size, Number(0.0)));
      for (std::size_t a = 0; a < size; ++a) {
        for (std::size_t b = 0; b < size; ++b) {
          for (std::size_t c = 0; c < size; ++c) square[a][c] += power[a][b] * power[b][c];
        }
      }
      power = std::move(square);
    }
    Number squares(0.0);
    for (const std::vector<Number>& row : power) {
      for (const Number& x : row) squares += Number(size_above(x)) * Number(size_above(x));
    }
    const Number radius = pow(squares, Exponent{1, 16});
    for (std::size_t m = done + 1; m <= end; ++m) {
      const Exponent width{exponents_.p_minus_2.numerator, exponents_.p.numerator};
      soft_variance_[m] = high(radius * pow(Number(static_cast<double>(m)), width));
    }
    done = end;
  }
}

// The sums of k_j x_j^2 over all but the first entries, k_j = curve |a_j|^(2-P).
template <typename Number>
void StepCurvature<Number>::weigh_solid(const Share& share, const StepFacts& facts) {
  std::vector<double> weight(mean_.size(), 0);
  for (std::size_t j = 0; j < weight.size(); ++j) {
    // Entries at 0 are never solid.
    if (entry_gradient_[j] > 0)
      weight[j] = high(share.curve * Number(facts.entries[j]) / Number(entry_gradient_[j]));
  }
  const auto weighed = [&](const std::vector<std::vector<double>>& rows) {
    std::vector<std::vector<double>> squares;
    for (const std::vector<double>& row : rows) {
      std::vector<double>& square = squares.emplace_back();
      for (std::size_t j = 0; j < row.size(); ++j) {
        // No number where a weight without bound meets an entry that hardly moves: such an entry is soft.
        const double value = row[j] * row[j] * weight[j] * sum_rounding + 0x1p-1000;
        square.push_back(std::isnan(value) ? infinity : value);
      }
    }
    return largest_sums<Number>(squares, order_, true, Exponent{1, 2});
  };
  solid_mean_ = weighed({mean_});
  solid_radius_ = weighed(centred_);
  solid_outer_ = weighed(outer_);
}

// The soft entries' c_Q tau^Q ||V||^Q / (tau Om), where ||V||_soft/Om <= fixed + moved and at most cap.
template <typename Number>
double StepCurvature<Number>::soft(double fixed, double moved, double cap, const StepFacts& facts) const {
  const Number all(std::min(high(Number(fixed) + Number(moved)), cap)), constant(constant_);
  const Number power = pow(all, exponents_.q);
  if (eta_ == 0) return high(constant * pow(Number(facts.length), exponents_.q_minus_1) * power);
  const Number scale = constant * pow(Number(eta_), exponents_.q_minus_1);
  // Over ||V||^(Q-1), which is at least that of the soft entries themselves, or speed^(Q-1), or by uniform
  // convexity (gamma^2 + (Q-1) moved^2)^((Q-1)/2).
  double least =
      std::min(high(scale * all), high(scale * power / pow(Number(facts.speed), exponents_.q_minus_1)));
  if (!local_) {
    const Number square =
        gamma_ * gamma_ + ratio<Number>(exponents_.q_minus_1) * Number(moved) * Number(moved);
    const Exponent half{exponents_.q_minus_1.numerator, 2 * exponents_.q_minus_1.denominator};
    const Number together = Number(fixed) + Number(moved);
    least = std::min(least, high(scale * pow(together, exponents_.q) / pow(square, half)));
  }
  return least;
}

// Over ||delta||_soft <= moved: the soft entries' cost less KL, which is at least 2 s^2 of the s before and,
// for every b < 1, (b/B) ||delta|| + (b + log(1-b)) variance/B^2 with B = max_c ||Delta_c - gamma n||_soft.
template <typename Number>
double StepCurvature<Number>::moving(std::size_t k, std::size_t m, double fixed, double moved, double cap,
                                     const StepFacts& facts) const {
  constexpr int cells = 8;
  const Number before(k > 0 ? spreads_[k - 1] : 0), radius(soft_radius_[m]);
  const double even = low(Number(2.0) * before * before);
  double most = -infinity, reached = 0;
  for (int cell = 1; cell <= cells; ++cell) {
    const double next = cell == cells ? moved : moved * cell / cells;
    double paid = even;
    for (std::size_t b = 0; b < tilts_.size() && soft_radius_[m] > 0; ++b) {
      const Number won = Number(tilts_[b]) * Number(reached) / radius;
      paid =
          std::max(paid, low(won - Number(tilt_costs_[b]) * Number(soft_variance_[m]) / (radius * radius)));
    }
    most = std::max(most, high(Number(soft(fixed, next, cap, facts)) - Number(paid)));
    reached = next;
  }
  return most;
}

// At the k-th s, less KL: the best split of the entries into soft ones, the first, and solid ones. Solid are
// those with c_Q (tau Om)^(Q-1) x^Q <= Lambda d(1,theta) |a|^P and (theta |a|)^(P-1) >= 2 tau Om x.
template <typename Number>
double StepCurvature<Number>::at(std::size_t k, const Share& share, const StepFacts& facts,
                                 double best) const {
  const std::size_t count = order_.size();
  const Number length(facts.length), outside(facts.outside);
  const Number factor = Number(constant_) * pow(length, exponents_.q_minus_1) / Number(share.loss);
  const double turned = std::min(2 * spreads_[k], 1.0);
  double price = 0;  // Lambda
  std::vector<double> prices(count + 1, 0);
  for (std::size_t m = count; m-- > 0;) {
    const std::size_t j = order_[m];
    const bool long_enough =
        low(share.reach * Number(entry_gradient_[j])) >= high(length * Number(move_[k][j]));
    price = long_enough && entry_power_[j] > 0
                ? std::max(price, high(factor * Number(move_power_[k][j]) / Number(entry_power_[j])))
                : infinity;
    prices[m] = price;
  }
  const std::size_t stride = std::max<std::size_t>(1, count / most_splits);
  for (std::size_t m = 0;; m += stride) {
    m = std::min(m, count);
    if (std::isfinite(prices[m])) {
      const Number solid = Number(solid_mean_[m]) + Number(turned) * Number(solid_radius_[m]) +
                           outside * Number(solid_outer_[m]);
      const Number paid = Number(prices[m]) * Number(facts.energy) + length * solid * solid;
      const double before = k > 0 ? spreads_[k - 1] : 0;
      if (low(paid) - 2 * before * before < best) {
        double moved = high(Number(turned) * Number(soft_radius_[m]));
        if (!pair_power_.empty())
          moved = std::min(moved, high(Number(spreads_[k]) * Number(soft_diameter_[m])));
        const Number outer = outside * Number(soft_outer_[m]);
        const double fixed = high(Number(soft_mean_[m]) + outer), cap = high(Number(soft_row_[m]) + outer);
        best = std::min(best, high(paid + Number(moving(k, m, fixed, moved, cap, facts))));
      }
    }
    if (m == count) return best;
  }
}

template <typename Number>
double StepCurvature<Number>::operator()(const StepFacts& facts) {
  if (!(facts.outside <= 1) || !(facts.speed > 0) || !std::isfinite(facts.length)) return infinity;
  sort(facts.entries);
  std::vector<double> cost(spreads_.size(), infinity);
  for (const Share& share : shares_) {
    weigh_solid(share, facts);
    for (std::size_t k = 0; k < cost.size(); ++k) cost[k] = at(k, share, facts, cost[k]);
  }
  return std::max(0.0, *std::max_element(cost.begin(), cost.end()));
}

template class StepCurvature<double>;
template class StepCurvature<DoubleInterval>;
template double hoelder_constant<double>(const Exponents&);
template double hoelder_constant<DoubleInterval>(const Exponents&);

}  // namespace attest
