// The picture of a run: 1 - corr over the steps, both logarithmic.
#pragma once

#include <string>
#include <vector>

#include "certify/pictures/chart.hpp"
#include "numerics/runs/validated_run.hpp"

namespace attest {

struct RunPlot {
  std::string title;
  std::string measured = "1 - correlation with the max-margin direction";
  std::vector<ChartBand> bands;  // certified; a direction each
  std::vector<ChartLine> lines;  // fitted shape, explicit bound, plain double run
};

// The trace's 1 - corr.
ChartBand certified_band(const std::vector<TraceRow>& trace, const std::string& label = "certified band");

// 1 - corr below 1e-40 is drawn at the axis.
Chart run_chart(const RunPlot& plot);

}  // namespace attest
