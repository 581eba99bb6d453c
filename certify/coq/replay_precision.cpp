// The guess of a replay's precision: see replay_precision.hpp.
#include "certify/coq/replay_precision.hpp"

#include <algorithm>
#include <cmath>

namespace attest {
namespace {

using attest_check::Loss;
using attest_check::Rule;
using attest_check::Schedule;

using Real = long double;

// A number and what it may change by when the iterate moves by a unit, as interval arithmetic sees it.
struct Seen {
  Real value = 0, change = 0;
};
Seen operator+(const Seen& a, const Seen& b) {
  return {a.value + b.value, a.change + b.change};
}
Seen operator*(const Seen& a, const Seen& b) {
  return {a.value * b.value, std::fabs(a.value) * b.change + std::fabs(b.value) * a.change};
}
Seen operator/(const Seen& a, const Seen& b) {
  const Real q = a.value / b.value;
  return {q, (a.change + std::fabs(q) * b.change) / std::fabs(b.value)};
}

// |l'| at a score.
Seen slope(Loss loss, const Seen& f) {
  if (loss == Loss::correlation) return {1, 0};
  if (loss == Loss::exponential) return {std::exp(-f.value), std::exp(-f.value) * f.change};
  const Real at = 1 / (1 + std::exp(f.value));
  return {at, at * (1 - at) * f.change};
}

// l(score - deficit) - l(score).
Seen excess(Loss loss, Real score, const Seen& deficit) {
  const Real steep = slope(loss, {score - deficit.value, 0}).value * deficit.change;
  if (loss == Loss::correlation) return {deficit.value, steep};
  if (loss == Loss::exponential) return {std::exp(-score) * std::expm1(deficit.value), steep};
  return {std::log1p(std::expm1(deficit.value) / (1 + std::exp(score))), steep};
}

struct Group {
  std::vector<std::vector<Real>> tokens;
  std::vector<Real> query, scores, counts;
  Real query_norm = 0, best = 0;
};

Real dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

Real distance(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

std::vector<Real> row(const attest_check::ScaledMatrix& matrix, std::size_t at) {
  std::vector<Real> values;
  for (const attest_check::Integer& x : matrix.row(at))
    values.push_back(attest_check::fraction(x, matrix.denominator()).get_d());
  return values;
}

class Trial {
 public:
  Trial(const attest_check::Features& features, Loss loss, const attest_check::Specification& specification,
        const attest_check::StartPoint& start)
      : loss_(loss), specification_(specification), step_(specification.step.get_d()) {
    for (std::size_t i = 0; i < features.groups(); ++i) {
      Group group;
      group.query = row(features.queries(), i);
      group.query_norm = std::sqrt(dot(group.query, group.query));
      for (std::size_t t = 0; t < features.tokens_of(i); ++t) {
        if (!features.present(i, t)) continue;
        group.tokens.push_back(row(features.tokens(), features.row(i, t)));
        group.scores.push_back(features.exact_score(i, t).get_d());
        group.counts.push_back(static_cast<Real>(features.multiplicity(i, t)));
      }
      group.best = *std::max_element(group.scores.begin(), group.scores.end());
      groups_.push_back(std::move(group));
    }
    position_.assign(features.left_dimension(), std::vector<Real>(features.right_dimension(), 0));
    for (std::size_t k = 0; k < start.size(); ++k) {
      position_[k / features.right_dimension()][k % features.right_dimension()] = start[k].get_d();
    }
  }

  // Makes a step; the factor by which the bound of the distance grows.
  Real advance() {
    velocity_.assign(position_.size(), std::vector<Real>(position_.front().size(), 0));
    Seen gap;
    Real deviation = 0, weighted = 0;  // sum of |omega| ||Delta||
    for (const Group& group : groups_) see(group, gap, deviation, weighted);
    Real squared = 0;
    for (const auto& line : velocity_) squared += dot(line, line);
    const Real speed = std::sqrt(squared);
    const Real eta = step_size();
    ++time_;
    const Seen all{speed, deviation};
    Seen multiplier{eta, 0};
    if (specification_.rule == Rule::ngd) multiplier = {eta / speed, 0};
    if (specification_.rule == Rule::polyak) multiplier = Seen{eta, 0} * gap / (all * all);
    for (std::size_t k = 0; k < position_.size(); ++k) {
      for (std::size_t j = 0; j < position_[k].size(); ++j)
        position_[k][j] += multiplier.value * velocity_[k][j];
    }
    return 1 + multiplier.value * deviation + 2 * multiplier.change * weighted;
  }

 private:
  Real step_size() const {
    const auto count = static_cast<Real>(time_ + 1);
    if (specification_.schedule == Schedule::inverse) return step_ / count;
    return specification_.schedule == Schedule::inverse_root ? step_ / std::sqrt(count) : step_;
  }

  // Adds a group's part of L - L*, of the velocity and of what it may change by.
  void see(const Group& group, Seen& gap, Real& deviation, Real& weighted) {
    std::vector<Real> image;
    for (const auto& line : position_) image.push_back(dot(line, group.query));
    std::vector<Real> logits, reaches;
    for (const auto& token : group.tokens) logits.push_back(dot(token, image));
    const std::size_t leader = std::max_element(logits.begin(), logits.end()) - logits.begin();
    std::vector<Seen> factors;
    Seen sum, lost, deficit;
    for (std::size_t t = 0; t < logits.size(); ++t) {
      reaches.push_back(distance(group.tokens[t], group.tokens[leader]) * group.query_norm);
      const Real factor = group.counts[t] * std::exp(logits[t] - logits[leader]);
      factors.push_back({factor, factor * reaches[t]});
      sum = sum + factors[t];
    }
    for (std::size_t t = 0; t < logits.size(); ++t) {
      factors[t] = factors[t] / sum;
      lost = lost + factors[t] * Seen{group.scores[leader] - group.scores[t], 0};
      deficit = deficit + factors[t] * Seen{group.best - group.scores[t], 0};
    }
    const Seen share{1 / static_cast<Real>(groups_.size()), 0};
    gap = gap + share * excess(loss_, group.best, deficit);
    const Seen steep = share * slope(loss_, {group.scores[leader] - lost.value, lost.change});
    for (std::size_t t = 0; t < logits.size(); ++t) {
      const Seen omega =
          steep * factors[t] * Seen{group.scores[leader] - group.scores[t] - lost.value, lost.change};
      deviation += omega.change * reaches[t];
      weighted += std::fabs(omega.value) * reaches[t];
      for (std::size_t k = 0; k < velocity_.size(); ++k) {
        const Real part = omega.value * (group.tokens[leader][k] - group.tokens[t][k]);
        for (std::size_t j = 0; j < group.query.size(); ++j) velocity_[k][j] += part * group.query[j];
      }
    }
  }

  Loss loss_;
  const attest_check::Specification& specification_;
  Real step_;
  std::size_t time_ = 0;
  std::vector<Group> groups_;
  std::vector<std::vector<Real>> position_, velocity_;
};

}  // namespace

std::size_t guess_lost_bits(const attest_check::Features& features, Loss loss,
                            const attest_check::Specification& specification,
                            const attest_check::StartPoint& start, std::size_t steps) {
  Trial trial(features, loss, specification, start);
  Real lost = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    const Real growth = std::log2(trial.advance());
    lost += std::isfinite(growth) ? growth : 2;  // beyond the range of numbers here
  }
  return static_cast<std::size_t>(std::ceil(lost));
}

}  // namespace attest
