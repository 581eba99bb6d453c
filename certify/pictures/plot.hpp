// The picture of a run: 1 - corr over the steps, both logarithmic.
#pragma once

#include <string>
#include <vector>

#include "certify/pictures/chart.hpp"
#include "numerics/runs/validated_run.hpp"

namespace attest {

struct RunPlot {
  std::string title;
  std::vector<TraceRow> certified;  // the band of 1 - corr
  std::vector<ChartLine> lines;     // fitted shape, explicit bound, plain double run
};

// 1 - corr below 1e-40 is drawn at the axis.
Chart run_chart(const RunPlot& plot);

}  // namespace attest
