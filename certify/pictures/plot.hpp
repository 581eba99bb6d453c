// The picture of a run: 1 - corr over the steps, both logarithmic, as an SVG that needs nothing beside it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "numerics/runs/validated_run.hpp"

namespace attest {

struct PlotLine {
  std::string label;
  std::string colour;  // SVG colour
  bool dashed = false;
  std::vector<std::pair<double, double>> points;  // (t, value), positive
};

struct RunPlot {
  std::string title;
  std::vector<TraceRow> certified;  // the band of 1 - corr
  std::vector<PlotLine> lines;      // fitted shape, explicit bound, plain double run
};

// 1 - corr below `floor` of the axis (1e-40) is cut off. Deterministic.
std::string run_svg(const RunPlot& plot);

}  // namespace attest
