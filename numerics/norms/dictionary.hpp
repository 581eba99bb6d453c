// Linear programs with bounds, in doubles: maximise <objective, x_N> where x_B = rows x_N and every variable
// lies between its bounds. A simplex method on the dense dictionary; what it finds is a guess.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

struct VariableRange {
  double lower = 0, upper = 0;  // infinities where there is no bound
};

// Variables are numbered: those that are not basic at first, one a column, then those that are, one a row.
class Dictionary {
 public:
  // The first ones begin at their lower bounds, which are finite; the others are then within theirs.
  Dictionary(RowMatrix rows, Eigen::RowVectorXd objective, std::vector<VariableRange> ranges);

  // False when there is no end in sight. Throws BudgetReached.
  bool maximise(const Budget& budget);

  double value(std::size_t variable) const { return value_[variable]; }
  bool basic(std::size_t variable) const { return place_[variable].basic; }
  // What the objective gains by it: 0 of basic variables.
  double gain(std::size_t variable) const;

 private:
  struct Place {
    bool basic = false;
    Eigen::Index at = 0;  // column or row
  };
  Eigen::Index entering(bool first) const;
  double longest_step(Eigen::Index column, double sign, Eigen::Index& row) const;
  double room(Eigen::Index row, double rate, double tolerance) const;
  void pivot(Eigen::Index row, Eigen::Index column);

  RowMatrix rows_;
  Eigen::RowVectorXd objective_;
  std::vector<VariableRange> range_;
  std::vector<double> value_;
  std::vector<Place> place_;
  std::vector<std::size_t> columns_, basics_;  // which variable a column, a row is
};

}  // namespace attest
