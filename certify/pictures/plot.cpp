#include "certify/pictures/plot.hpp"

#include <algorithm>
#include <cmath>

namespace attest {
namespace {

constexpr double least_shown = 1e-40, most_shown = 2;  // 1 - corr is at most 2

}  // namespace

ChartBand certified_band(const std::vector<TraceRow>& trace, const std::string& label) {
  ChartBand band{label, Hue::blue, {}};
  for (const TraceRow& row : trace)
    band.points.push_back({static_cast<double>(row.step), row.one_minus_corr_lo, row.one_minus_corr_hi});
  return band;
}

Chart run_chart(const RunPlot& plot) {
  Chart chart;
  chart.title = plot.title;
  chart.description = plot.measured + " against the step, both on logarithmic axes.";
  double last = 10, least = 1, most = least_shown;
  const auto see = [&](double step, double value) {
    last = std::max(last, step);
    if (!(value > 0) || !std::isfinite(value)) return;
    least = std::min(least, std::max(value, least_shown));
    most = std::max(most, std::min(value, most_shown));
  };
  for (const ChartBand& band : plot.bands) {
    ChartBand finite = band;
    std::erase_if(finite.points, [](const auto& point) {
      return point.x < 1 || !(point.hi > 0) || !std::isfinite(point.hi);
    });
    for (const ChartBand::Point& point : finite.points) see(point.x, point.hi);
    chart.bands.push_back(std::move(finite));
  }
  for (const ChartLine& line : plot.lines) {
    ChartLine finite = line;
    std::erase_if(finite.points, [](const auto& point) {
      return point.first < 1 || !(point.second > 0) || point.second > most_shown;
    });
    for (const auto& [step, value] : line.points) see(step, value);
    chart.lines.push_back(std::move(finite));
  }
  chart.x = {"step t", true, 1, last};
  chart.y = {plot.measured, true, least, std::max(most, 10 * least)};
  return chart;
}

}  // namespace attest
