#include "numerics/norms/dictionary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attest {
namespace {

using Index = Eigen::Index;

constexpr double least_gain = 1e-9, least_pivot = 1e-9, feasibility = 1e-10;
// Steps of no length before the first column that gains is taken (Bland).
constexpr std::size_t most_standing = 60;

}  // namespace

Dictionary::Dictionary(RowMatrix rows, Eigen::RowVectorXd objective, std::vector<VariableRange> ranges)
    : rows_(std::move(rows)),
      objective_(std::move(objective)),
      range_(std::move(ranges)),
      value_(range_.size()),
      place_(range_.size()) {
  const auto width = static_cast<std::size_t>(rows_.cols());
  Eigen::VectorXd start(rows_.cols());
  for (std::size_t j = 0; j < width; ++j) {
    columns_.push_back(j);
    place_[j] = {false, static_cast<Index>(j)};
    start[static_cast<Index>(j)] = value_[j] = range_[j].lower;
  }
  const Eigen::VectorXd image = rows_ * start;
  for (Index i = 0; i < rows_.rows(); ++i) {
    const std::size_t variable = width + static_cast<std::size_t>(i);
    basics_.push_back(variable);
    place_[variable] = {true, i};
    value_[variable] = image[i];
  }
}

double Dictionary::gain(std::size_t variable) const {
  return place_[variable].basic ? 0 : objective_[place_[variable].at];
}

// The column of the largest gain, or the first variable's that has one; -1 when none has.
Index Dictionary::entering(bool first) const {
  Index best = -1;
  for (Index j = 0; j < objective_.size(); ++j) {
    const std::size_t variable = columns_[static_cast<std::size_t>(j)];
    if (range_[variable].lower == range_[variable].upper) continue;  // it cannot move
    const bool above = value_[variable] > range_[variable].lower;
    if (above ? objective_[j] >= -least_gain : objective_[j] <= least_gain) continue;
    if (best < 0 || (first ? variable < columns_[static_cast<std::size_t>(best)]
                           : std::abs(objective_[j]) > std::abs(objective_[best])))
      best = j;
  }
  return best;
}

// How far the row's variable can move at this rate.
double Dictionary::room(Index row, double rate, double tolerance) const {
  const std::size_t variable = basics_[static_cast<std::size_t>(row)];
  const double end = rate > 0 ? range_[variable].upper : range_[variable].lower;
  return std::max(0.0, (std::abs(end - value_[variable]) + tolerance) / std::abs(rate));
}

// Of the rows that end the step up to a tolerance, the one with the largest pivot; -1: the column's own
// bound.
double Dictionary::longest_step(Index column, double sign, Index& row) const {
  const VariableRange& own = range_[columns_[static_cast<std::size_t>(column)]];
  double loose = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < rows_.rows(); ++i) {
    const double rate = sign * rows_(i, column);
    if (std::abs(rate) > least_pivot) loose = std::min(loose, room(i, rate, feasibility));
  }
  row = -1;
  if (own.upper - own.lower <= loose) return own.upper - own.lower;
  for (Index i = 0; i < rows_.rows(); ++i) {
    const double rate = sign * rows_(i, column);
    if (std::abs(rate) <= least_pivot || room(i, rate, 0) > loose) continue;
    if (row < 0 || std::abs(rate) > std::abs(rows_(row, column))) row = i;
  }
  return row < 0 ? loose : room(row, sign * rows_(row, column), 0);
}

// The row's variable and the column's change places.
void Dictionary::pivot(Index row, Index column) {
  const double inverse = 1 / rows_(row, column);
  Eigen::RowVectorXd solved = -inverse * rows_.row(row);
  solved[column] = inverse;
  const Eigen::VectorXd share = rows_.col(column);
  const double gain = objective_[column];
  rows_.col(column).setZero();
  objective_[column] = 0;
  rows_.noalias() += share * solved;
  objective_ += gain * solved;
  rows_.row(row) = solved;
  std::size_t& entered = columns_[static_cast<std::size_t>(column)];
  std::size_t& left = basics_[static_cast<std::size_t>(row)];
  std::swap(entered, left);
  place_[entered] = {false, column};
  place_[left] = {true, row};
}

bool Dictionary::maximise(const Budget& budget) {
  const auto size = static_cast<std::size_t>(rows_.rows() + rows_.cols());
  std::size_t standing = 0;
  for (std::size_t step = 0; step < 50 * size; ++step) {
    budget.poll();
    const Index column = entering(standing > most_standing);
    if (column < 0) return true;
    const std::size_t variable = columns_[static_cast<std::size_t>(column)];
    const double sign = value_[variable] > range_[variable].lower ? -1 : 1;
    Index row = -1;
    const double length = longest_step(column, sign, row);
    if (!std::isfinite(length)) return false;
    standing = length > feasibility ? 0 : standing + 1;
    for (Index i = 0; i < rows_.rows(); ++i)
      value_[basics_[static_cast<std::size_t>(i)]] += sign * length * rows_(i, column);
    if (row < 0) {
      value_[variable] = sign > 0 ? range_[variable].upper : range_[variable].lower;
      continue;
    }
    const std::size_t leaving = basics_[static_cast<std::size_t>(row)];
    value_[variable] += sign * length;
    value_[leaving] = sign * rows_(row, column) > 0 ? range_[leaving].upper : range_[leaving].lower;
    pivot(row, column);
  }
  return false;
}

}  // namespace attest
