// From values on an axis to places on paper.
#pragma once

#include <string>
#include <vector>

#include "certify/pictures/chart.hpp"

namespace attest {

struct Tick {
  double place;
  std::string label;  // SVG
};

class Scale {
 public:
  // Values from axis.least to axis.most lie between the two places. `widened`: to whole ticks.
  Scale(const Axis& axis, double first_place, double last_place, bool widened);

  // Where the value is; the nearer border for values out of sight.
  double at(double value) const;
  // At most `most`, more or less.
  std::vector<Tick> ticks(std::size_t most) const;

 private:
  double measure(double value) const;  // log10 where the axis is logarithmic

  bool logarithmic_, whole_;
  double first_place_, last_place_;
  double least_, most_;  // measures
};

// The step of a linear axis: 1, 2 or 5 times a power of ten, of which at most `most` fit into the length.
double tick_step(double length, std::size_t most);

}  // namespace attest
