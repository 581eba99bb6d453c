#include "numerics/margin/soft_margin.hpp"

#include <algorithm>
#include <cmath>

namespace attest {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double most_work = 2e10;  // multiplications: some ten seconds
constexpr int sweeps_a_stage = 15;

// Searches with one SoftMargin and keeps the W that leaves the fewest groups.
class Search {
 public:
  Search(const ScaledConstraints& constraints, const std::vector<bool>& leave_out, const Budget& budget)
      : constraints_(constraints), budget_(budget), soft_(constraints), looked_at_(groups(), true) {
    for (std::size_t i = 0; i < groups(); ++i) {
      const std::size_t begin = constraints.first[i], end = constraints.first[i + 1];
      looked_at_[i] = begin != end && (leave_out.empty() || !leave_out[i]);
      double longest = 0;
      for (std::size_t c = begin; c < end; ++c)
        longest = std::max(longest, constraints.norm_squared[static_cast<Index>(c)]);
      unit_.push_back(longest > 0 ? 1 / longest : 0);
    }
    const double sweep = 8 * static_cast<double>(constraints.size()) * static_cast<double>(constraints.d()) +
                         2 * static_cast<double>(groups()) * static_cast<double>(constraints.d()) *
                             static_cast<double>(constraints.e());
    stages_ = static_cast<int>(std::clamp(most_work / (sweep * sweeps_a_stage), 3.0, 40.0));
  }

  SeparableGuess run() {
    try {
      grow_weights();
      take_weight_away();
    } catch (const BudgetReached&) {
      if (!found_) throw;
    }
    return std::move(best_);
  }

 private:
  std::size_t groups() const { return constraints_.first.size() - 1; }
  bool done() const { return found_ && best_.violated.empty(); }

  void grow_weights() {
    double factor = 2;
    for (int stage = 0; stage < stages_ / 2 && !done(); ++stage, factor *= 3) {
      for (std::size_t i = 0; i < groups(); ++i) soft_.set_weight(i, looked_at_[i] ? factor * unit_[i] : 0);
      descend(static_cast<double>(stage) / stages_);
    }
  }

  // Groups that the best W leaves lose weight, those that only the present one leaves gain some.
  void take_weight_away() {
    for (int stage = stages_ / 2; stage < stages_ && !done(); ++stage) {
      std::vector<bool> leaves(groups());
      for (const std::size_t i : best_.violated) leaves[i] = true;
      for (std::size_t i = 0; i < groups(); ++i)
        soft_.set_weight(i, soft_.weight(i) * (leaves[i] ? 0.2 : 1.5));
      descend(static_cast<double>(stage) / stages_);
    }
  }

  void descend(double fraction) {
    for (int k = 0; k < sweeps_a_stage; ++k) {
      budget_.poll();
      soft_.sweep();
    }
    budget_.report("separable rest", fraction);
    look();
  }

  void look() {
    const VectorXd margins = approx_margins(constraints_, soft_.w());
    const double scale = margins.size() == 0 ? 1 : std::max(1e-300, margins.cwiseAbs().maxCoeff());
    std::vector<std::size_t> violated;
    std::vector<double> shortfall;
    for (std::size_t i = 0; i < groups(); ++i) {
      if (!looked_at_[i]) continue;
      const auto begin = static_cast<Index>(constraints_.first[i]);
      const auto count = static_cast<Index>(constraints_.first[i + 1]) - begin;
      const double least = margins.segment(begin, count).minCoeff() / scale;
      if (least > 1e-11) continue;
      violated.push_back(i);
      shortfall.push_back(std::min(0.0, least));
    }
    if (found_ && violated.size() >= best_.violated.size()) return;
    found_ = true;
    best_.violated = std::move(violated);
    best_.shortfall = std::move(shortfall);
    best_.at.clear();
    for (std::size_t c = 0; c < constraints_.size(); ++c) {
      if (soft_.multiplier()[static_cast<Index>(c)] > 0) best_.at.push_back(c);
    }
    best_.value.resize(static_cast<Index>(best_.at.size()));
    for (std::size_t k = 0; k < best_.at.size(); ++k)
      best_.value[static_cast<Index>(k)] = soft_.multiplier()[static_cast<Index>(best_.at[k])];
  }

  const ScaledConstraints& constraints_;
  const Budget& budget_;
  SoftMargin soft_;
  std::vector<bool> looked_at_;
  std::vector<double> unit_;
  int stages_ = 0;
  SeparableGuess best_;
  bool found_ = false;
};

}  // namespace

SoftMargin::SoftMargin(const ScaledConstraints& constraints)
    : constraints_(constraints),
      w_(RowMatrix::Zero(constraints.d(), constraints.e())),
      multiplier_(VectorXd::Zero(static_cast<Index>(constraints.size()))),
      weight_(constraints.first.size() - 1, 0.0),
      load_(constraints.first.size() - 1, 0.0),
      change_(constraints.d()) {}

void SoftMargin::set_weight(std::size_t group, double weight) {
  weight_[group] = weight;
  if (load_[group] <= weight) return;
  // The multipliers shrink with it.
  const double factor = weight / load_[group];
  change_.setZero();
  for (std::size_t c = constraints_.first[group]; c < constraints_.first[group + 1]; ++c) {
    double& multiplier = multiplier_[static_cast<Index>(c)];
    if (multiplier == 0) continue;
    change_ += (factor - 1) * multiplier * constraints_.difference.row(static_cast<Index>(c)).transpose();
    multiplier *= factor;
  }
  load_[group] = weight;
  w_.noalias() += change_ * constraints_.query.row(static_cast<Index>(group));
}

void SoftMargin::sweep() {
  for (std::size_t i = 0; i < weight_.size(); ++i) {
    if (weight_[i] > 0 && constraints_.query_norm_squared[static_cast<Index>(i)] > 0) visit(i);
  }
}

// Changes one multiplier of the group at hand, with all that follows from it.
void SoftMargin::move(std::size_t c, std::size_t begin, std::size_t count, double step, double query_norm) {
  const auto row = constraints_.difference.row(static_cast<Index>(c));
  multiplier_[static_cast<Index>(c)] += step;
  change_ += step * row.transpose();
  margin_.noalias() += (step * query_norm) * (constraints_.difference.middleRows(static_cast<Index>(begin),
                                                                                 static_cast<Index>(count)) *
                                              row.transpose());
}

void SoftMargin::visit(std::size_t group) {
  constexpr int moves = 4;
  const std::size_t begin = constraints_.first[group], end = constraints_.first[group + 1];
  const std::size_t count = end - begin;
  if (count == 0) return;
  const auto query = constraints_.query.row(static_cast<Index>(group));
  const double query_norm = constraints_.query_norm_squared[static_cast<Index>(group)];
  const auto rows = constraints_.difference.middleRows(static_cast<Index>(begin), static_cast<Index>(count));
  change_.noalias() = w_ * query.transpose();
  margin_.noalias() = rows * change_;
  change_.setZero();
  bool changed = false;
  for (int k = 0; k < moves; ++k) {
    Index low = 0;
    const double least = margin_.minCoeff(&low);
    Index high = -1;  // the largest margin among the multipliers that are not zero
    for (Index c = 0; c < static_cast<Index>(count); ++c) {
      if (multiplier_[static_cast<Index>(begin) + c] > 0 && (high < 0 || margin_[c] > margin_[high]))
        high = c;
    }
    const double room = weight_[group] - load_[group];
    const auto at = [&](Index c) { return static_cast<Index>(begin) + c; };
    const double low_norm = constraints_.norm_squared[at(low)];
    if (least < 1 && low_norm > 0 && room > 1e-12 * weight_[group]) {
      const double step = std::min(room, (1 - least) / low_norm);
      move(begin + static_cast<std::size_t>(low), begin, count, step, query_norm);
      load_[group] += step;
    } else if (least < 1 && high >= 0 && margin_[high] > least) {  // full: from the largest to the least
      const double both =
          low_norm + constraints_.norm_squared[at(high)] -
          2 * query_norm * constraints_.difference.row(at(low)).dot(constraints_.difference.row(at(high)));
      if (both <= 0) break;
      const double step = std::min(multiplier_[at(high)], (margin_[high] - least) / both);
      move(begin + static_cast<std::size_t>(high), begin, count, -step, query_norm);
      move(begin + static_cast<std::size_t>(low), begin, count, step, query_norm);
    } else if (high >= 0 && margin_[high] > 1) {
      const double step =
          std::min(multiplier_[at(high)], (margin_[high] - 1) / constraints_.norm_squared[at(high)]);
      move(begin + static_cast<std::size_t>(high), begin, count, -step, query_norm);
      load_[group] = std::max(0.0, load_[group] - step);
    } else {
      break;
    }
    changed = true;
  }
  if (changed) w_.noalias() += change_ * query;
}

SeparableGuess guess_separable_groups(const ScaledConstraints& constraints,
                                      const std::vector<bool>& leave_out, const Budget& budget) {
  return Search(constraints, leave_out, budget).run();
}

}  // namespace attest
