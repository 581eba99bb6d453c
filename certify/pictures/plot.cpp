#include "certify/pictures/plot.hpp"

#include <algorithm>
#include <cmath>

namespace attest {
namespace {

constexpr double least_shown = 1e-40, most_shown = 2;  // 1 - corr is at most 2

}  // namespace

Chart run_chart(const RunPlot& plot) {
  Chart chart;
  chart.title = plot.title;
  chart.description =
      "One minus the correlation of W with the max-margin direction against the step, both on logarithmic "
      "axes.";
  ChartBand band{"certified band", Hue::blue, {}};
  double last = 10, least = 1, most = least_shown;
  const auto see = [&](double step, double value) {
    last = std::max(last, step);
    if (!(value > 0) || !std::isfinite(value)) return;
    least = std::min(least, std::max(value, least_shown));
    most = std::max(most, std::min(value, most_shown));
  };
  for (const TraceRow& row : plot.certified) {
    if (row.step == 0 || !std::isfinite(row.one_minus_corr_hi) || row.one_minus_corr_hi <= 0) continue;
    const double step = static_cast<double>(row.step);
    band.points.push_back({step, row.one_minus_corr_lo, row.one_minus_corr_hi});
    see(step, row.one_minus_corr_hi);
  }
  for (const ChartLine& line : plot.lines) {
    ChartLine finite = line;
    std::erase_if(finite.points, [](const auto& point) {
      return point.first < 1 || !(point.second > 0) || point.second > most_shown;
    });
    for (const auto& [step, value] : line.points) see(step, value);
    chart.lines.push_back(std::move(finite));
  }
  chart.bands.push_back(std::move(band));
  chart.x = {"step t", true, 1, last};
  chart.y = {"1 - correlation with the max-margin direction", true, least, std::max(most, 10 * least)};
  return chart;
}

}  // namespace attest
