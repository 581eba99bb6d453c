#include "numerics/margin/lifted_guess.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace attest {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kMostWork = 1e10;    // multiply-adds
constexpr double kDependent = 1e-12;  // squared distance of a unit column from the span of the passive ones
constexpr double kTolerance = 1e-12;  // on the price of a unit column

// Columns E_c = (Delta_c; s) / ||(Delta_c; s)|| with s^2 the mean squared norm, target f = (0; 1). Rows that
// do not ask for 1 have no s.
class LiftedPivoting {
 public:
  LiftedPivoting(const ScaledConstraints& constraints, const Budget& budget, const std::vector<Sense>& senses)
      : constraints_(constraints), budget_(budget), senses_(senses) {
    const double mean = constraints.norm_squared.mean();
    lift_ = std::sqrt(mean > 0 ? mean : 1);
    length_ = constraints.norm_squared;
    for (std::size_t c = 0; c < constraints.size(); ++c) {
      double& length = length_[static_cast<Index>(c)];
      length = std::sqrt(length + lift(c) * lift(c));
      if (!(length > 0)) length = 1;
    }
    is_passive_.assign(constraints.size(), false);
  }

  LiftedGuess run(const std::vector<std::size_t>& start) {
    begin_with(start);
    bool single = false;
    while (work_ < kMostWork) {
      budget_.poll();
      const std::vector<std::size_t> entering = most_violated(single ? 1 : 1 + passive_.size() / 6);
      if (entering.empty()) break;
      const double before = objective();
      std::size_t entered = 0;
      for (const std::size_t c : entering) {
        if (!append(c)) continue;
        value_.push_back(0);
        ++entered;
      }
      if (entered > 0) descend();
      const bool stalled = entered == 0 || !(objective() < before);
      if (stalled && single) break;
      single = stalled;
    }
    return sorted_passive();
  }

 private:
  double lift(std::size_t c) const {
    return senses_.empty() || senses_[c] == Sense::at_least_one ? lift_ : 0;
  }
  bool is_free(std::size_t c) const { return !senses_.empty() && senses_[c] == Sense::equal_to_zero; }
  double inner(std::size_t a, std::size_t b) const {
    const auto i = static_cast<Index>(a);
    const auto j = static_cast<Index>(b);
    const double tokens = constraints_.difference.row(i).dot(constraints_.difference.row(j));
    const double queries = constraints_.query.row(static_cast<Index>(constraints_.group[a]))
                               .dot(constraints_.query.row(static_cast<Index>(constraints_.group[b])));
    return (tokens * queries + lift(a) * lift(b)) / (length_[i] * length_[j]);
  }

  double target(std::size_t c) const { return lift(c) / length_[static_cast<Index>(c)]; }

  // 1 - <f, sum v E>; at a least-squares point of the passive set this is the squared residual.
  double objective() const {
    double rest = 1;
    for (std::size_t k = 0; k < passive_.size(); ++k) rest -= value_[k] * target(passive_[k]);
    return rest;
  }

  // Extends the Cholesky factor of the passive Gram matrix by column c; false when c is numerically
  // dependent.
  bool append(std::size_t c) {
    if (is_passive_[c]) return false;
    VectorXd row(static_cast<Index>(passive_.size()) + 1);
    for (std::size_t k = 0; k < passive_.size(); ++k) {
      const auto at = static_cast<Index>(k);
      const double rest = inner(c, passive_[k]) - (at == 0 ? 0.0 : factor_[k].head(at).dot(row.head(at)));
      row[at] = rest / factor_[k][at];
    }
    const auto last = static_cast<Index>(passive_.size());
    work_ += static_cast<double>(last) * static_cast<double>(last + constraints_.d() + constraints_.e());
    const double pivot = 1 - row.head(last).squaredNorm();
    if (!(pivot > kDependent)) return false;
    row[last] = std::sqrt(pivot);
    factor_.push_back(std::move(row));
    passive_.push_back(c);
    is_passive_[c] = true;
    return true;
  }

  std::vector<double> solve() {
    const std::size_t k = passive_.size();
    std::vector<double> z(k);
    for (std::size_t a = 0; a < k; ++a) {
      double rest = target(passive_[a]);
      for (std::size_t b = 0; b < a; ++b) rest -= factor_[a][static_cast<Index>(b)] * z[b];
      z[a] = rest / factor_[a][static_cast<Index>(a)];
    }
    for (std::size_t a = k; a-- > 0;) {
      z[a] /= factor_[a][static_cast<Index>(a)];
      for (std::size_t b = 0; b < a; ++b) z[b] -= factor_[a][static_cast<Index>(b)] * z[a];
    }
    work_ += static_cast<double>(k) * static_cast<double>(k);
    return z;
  }

  // Keeps the passive columns flagged, refactoring from the first one lost.
  void keep(const std::vector<bool>& flag) {
    std::vector<std::size_t> columns;
    std::vector<double> values;
    std::size_t first = 0;
    while (first < flag.size() && flag[first]) ++first;
    for (std::size_t k = first; k < passive_.size(); ++k) {
      is_passive_[passive_[k]] = false;
      if (!flag[k]) continue;
      columns.push_back(passive_[k]);
      values.push_back(value_[k]);
    }
    passive_.resize(first);
    factor_.resize(first);
    value_.resize(first);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (append(columns[k])) value_.push_back(values[k]);
    }
  }

  void begin_with(const std::vector<std::size_t>& start) {
    const auto most = static_cast<std::size_t>(constraints_.d() * constraints_.e()) + 1;
    for (const std::size_t c : start) {
      if (passive_.size() == most || work_ > kMostWork / 4) break;
      if (append(c)) value_.push_back(0);
    }
    for (;;) {
      value_ = solve();
      std::vector<bool> positive(passive_.size());
      for (std::size_t k = 0; k < passive_.size(); ++k) positive[k] = value_[k] > 0 || is_free(passive_[k]);
      if (std::find(positive.begin(), positive.end(), false) == positive.end()) return;
      keep(positive);
    }
  }

  LiftedGuess sorted_passive() const {
    std::vector<std::pair<std::size_t, double>> order;
    for (std::size_t k = 0; k < passive_.size(); ++k) order.emplace_back(passive_[k], value_[k]);
    std::sort(order.begin(), order.end());
    LiftedGuess guess;
    for (const auto& [c, value] : order) {
      guess.at.push_back(c);
      guess.multiplier.push_back(value / length_[static_cast<Index>(c)]);
    }
    return guess;
  }

  // Unpassive columns with a positive price, largest first, at most `most`.
  std::vector<std::size_t> most_violated(std::size_t most) {
    const LiftedGuess now = sorted_passive();
    const Eigen::Map<const VectorXd> weight(now.multiplier.data(), static_cast<Index>(now.at.size()));
    double rest = 1;
    for (std::size_t k = 0; k < now.at.size(); ++k) rest -= lift(now.at[k]) * now.multiplier[k];
    const VectorXd margins = approx_margins(constraints_, approx_combination(constraints_, now.at, weight));
    work_ += static_cast<double>(constraints_.difference.size()) +
             2 * static_cast<double>(constraints_.query.rows() * constraints_.d() * constraints_.e());
    std::vector<std::pair<double, std::size_t>> candidates;
    for (std::size_t c = 0; c < constraints_.size(); ++c) {
      const double price = (lift(c) * rest - margins[static_cast<Index>(c)]) / length_[static_cast<Index>(c)];
      if (!is_passive_[c] && !is_free(c) && price > kTolerance) candidates.emplace_back(-price, c);
    }
    const std::size_t count = std::min(most, candidates.size());
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                      candidates.end());
    std::vector<std::size_t> entering;
    for (std::size_t k = 0; k < count; ++k) entering.push_back(candidates[k].second);
    return entering;
  }

  // The inner loop of Lawson and Hanson.
  void descend() {
    while (!passive_.empty()) {
      const std::vector<double> goal = solve();
      double step = 1;
      for (std::size_t k = 0; k < goal.size(); ++k) {
        if (goal[k] <= 0 && !is_free(passive_[k]))
          step = std::min(step, value_[k] > 0 ? value_[k] / (value_[k] - goal[k]) : 0.0);
      }
      std::vector<bool> stays(goal.size(), true);
      bool all = true;
      for (std::size_t k = 0; k < goal.size(); ++k) {
        value_[k] += step * (goal[k] - value_[k]);
        const bool gone = goal[k] <= 0 && value_[k] <= 1e-14 * std::fabs(goal[k]);
        if (gone && !is_free(passive_[k])) stays[k] = all = false;
      }
      if (all) return;
      keep(stays);
    }
  }

  const ScaledConstraints& constraints_;
  const Budget& budget_;
  const std::vector<Sense>& senses_;
  double lift_ = 1;
  VectorXd length_;
  std::vector<std::size_t> passive_;
  std::vector<double> value_;
  std::vector<VectorXd> factor_;  // rows of the lower Cholesky factor
  std::vector<bool> is_passive_;
  double work_ = 0;
};

}  // namespace

LiftedGuess guess_lifted_passive_set(const ScaledConstraints& constraints,
                                     const std::vector<std::size_t>& start, const Budget& budget,
                                     const std::vector<Sense>& senses) {
  return LiftedPivoting(constraints, budget, senses).run(start);
}

}  // namespace attest
