#include "certify/pictures/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace attest {
namespace {

constexpr double width = 900, height = 560, left = 90, right = 30, top = 50, bottom = 60;
constexpr double least_shown = 1e-40, most_shown = 2;  // 1 - corr is at most 2
constexpr std::size_t most_points = 1500;

struct Frame {
  double x_lo = 0, x_hi = 1, y_lo = -1, y_hi = 0;  // log10

  double x(double t) const { return left + (std::log10(t) - x_lo) / (x_hi - x_lo) * (width - left - right); }
  double y(double value) const {
    const double clamped = std::clamp(std::log10(std::max(value, least_shown)), y_lo, y_hi);
    return height - bottom - (clamped - y_lo) / (y_hi - y_lo) * (height - top - bottom);
  }
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

// About `most_points` of the points, evenly spread over log t: a plot cannot show more.
template <typename Point, typename Time>
std::vector<Point> thinned(const std::vector<Point>& points, const Frame& frame, Time time) {
  std::vector<Point> kept;
  double last = -1;
  const double least_gap = (width - left - right) / static_cast<double>(most_points);
  for (const Point& point : points) {
    const double x = frame.x(time(point));
    if (kept.empty() || x - last >= least_gap || &point == &points.back()) {
      kept.push_back(point);
      last = x;
    }
  }
  return kept;
}

std::string power_of_ten(int exponent) {
  return "10<tspan dy=\"-6\" font-size=\"10\">" + std::to_string(exponent) + "</tspan>";
}

void axes(std::string& out, const Frame& frame) {
  for (int k = static_cast<int>(frame.x_lo); k <= static_cast<int>(std::ceil(frame.x_hi)); ++k) {
    if (k > frame.x_hi + 1e-9) break;
    const std::string x = number(frame.x(std::pow(10, k)));
    out += "<line class=\"grid\" x1=\"" + x + "\" y1=\"" + number(top) + "\" x2=\"" + x + "\" y2=\"" +
           number(height - bottom) + "\"/>\n";
    out += "<text x=\"" + x + "\" y=\"" + number(height - bottom + 22) + "\" text-anchor=\"middle\">" +
           power_of_ten(k) + "</text>\n";
  }
  const int stride = std::max(1, static_cast<int>(std::ceil((frame.y_hi - frame.y_lo) / 10)));
  for (int k = static_cast<int>(frame.y_hi); k >= static_cast<int>(frame.y_lo); k -= stride) {
    const std::string y = number(frame.y(std::pow(10, k)));
    out += "<line class=\"grid\" x1=\"" + number(left) + "\" y1=\"" + y + "\" x2=\"" + number(width - right) +
           "\" y2=\"" + y + "\"/>\n";
    out += "<text x=\"" + number(left - 10) + "\" y=\"" + number(frame.y(std::pow(10, k)) + 4) +
           "\" text-anchor=\"end\">" + power_of_ten(k) + "</text>\n";
  }
  out += "<rect x=\"" + number(left) + "\" y=\"" + number(top) + "\" width=\"" +
         number(width - left - right) + "\" height=\"" + number(height - top - bottom) +
         "\" fill=\"none\" stroke=\"#333\"/>\n";
  out += "<text x=\"" + number((left + width - right) / 2) + "\" y=\"" + number(height - 14) +
         "\" text-anchor=\"middle\">step t</text>\n";
  out += "<text transform=\"translate(22 " + number((top + height - bottom) / 2) +
         ") rotate(-90)\" text-anchor=\"middle\">1 - correlation with the max-margin direction</text>\n";
}

}  // namespace

std::string run_svg(const RunPlot& plot) {
  std::vector<TraceRow> rows;
  for (const TraceRow& row : plot.certified) {
    if (row.step > 0 && std::isfinite(row.one_minus_corr_hi) && row.one_minus_corr_hi > 0)
      rows.push_back(row);
  }
  double t_most = 10, y_least = 1, y_most = least_shown;
  const auto take = [&](double t, double value) {
    t_most = std::max(t_most, t);
    if (value > 0 && std::isfinite(value)) {
      y_least = std::min(y_least, std::max(value, least_shown));
      y_most = std::max(y_most, value);
    }
  };
  for (const TraceRow& row : rows) take(static_cast<double>(row.step), row.one_minus_corr_hi);
  for (const PlotLine& line : plot.lines) {
    for (const auto& [t, value] : line.points) take(t, std::min(value, most_shown));
  }
  Frame frame;
  frame.x_hi = std::log10(t_most);
  frame.y_lo = std::floor(std::log10(y_least));
  frame.y_hi = std::max(frame.y_lo + 1, std::ceil(std::log10(std::min(y_most, most_shown))));

  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 560\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n";
  out +=
      "<style>.grid{stroke:#ddd;stroke-width:1}</style>\n<rect width=\"900\" height=\"560\" "
      "fill=\"white\"/>\n";
  out += "<text x=\"" + number(width / 2) + "\" y=\"28\" text-anchor=\"middle\" font-size=\"16\">" +
         escaped(plot.title) + "</text>\n";
  axes(out, frame);

  for (const PlotLine& line : plot.lines) {
    std::vector<std::pair<double, double>> finite;
    for (const auto& point : line.points) {
      if (point.first >= 1 && point.second > 0 && point.second <= most_shown) finite.push_back(point);
    }
    std::string points;
    for (const auto& [t, value] : thinned(finite, frame, [](const auto& point) { return point.first; })) {
      points += number(frame.x(t)) + ',' + number(frame.y(value)) + ' ';
    }
    out += "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + line.colour +
           "\" stroke-width=\"" + (line.dashed ? "1.5\" stroke-dasharray=\"6 4\"" : "4\"") + "/>\n";
  }
  const std::vector<TraceRow> shown =
      thinned(rows, frame, [](const TraceRow& row) { return static_cast<double>(row.step); });
  if (!shown.empty()) {
    std::string band, middle;
    for (const TraceRow& row : shown) {
      band +=
          number(frame.x(static_cast<double>(row.step))) + ',' + number(frame.y(row.one_minus_corr_hi)) + ' ';
      middle += number(frame.x(static_cast<double>(row.step))) + ',' +
                number(frame.y((row.one_minus_corr_lo + row.one_minus_corr_hi) / 2)) + ' ';
    }
    for (auto row = shown.rbegin(); row != shown.rend(); ++row) {
      band += number(frame.x(static_cast<double>(row->step))) + ',' +
              number(frame.y(row->one_minus_corr_lo)) + ' ';
    }
    out += "<polygon points=\"" + band + "\" fill=\"#1f77b4\" fill-opacity=\"0.25\"/>\n";
    out += "<polyline points=\"" + middle + "\" fill=\"none\" stroke=\"#1f77b4\" stroke-width=\"2\"/>\n";
  }
  double y = top + 22;
  const auto legend = [&](const std::string& label, const std::string& colour, bool dashed) {
    out += "<line x1=\"" + number(left + 16) + "\" y1=\"" + number(height - bottom - (y - top)) + "\" x2=\"" +
           number(left + 46) + "\" y2=\"" + number(height - bottom - (y - top)) + "\" stroke=\"" + colour +
           "\" stroke-width=\"2\"" + (dashed ? " stroke-dasharray=\"6 4\"" : "") + "/>\n";
    out += "<text x=\"" + number(left + 54) + "\" y=\"" + number(height - bottom - (y - top) + 4) + "\">" +
           escaped(label) + "</text>\n";
    y += 20;
  };
  for (auto line = plot.lines.rbegin(); line != plot.lines.rend(); ++line)
    legend(line->label, line->colour, line->dashed);
  if (!shown.empty()) legend("certified band", "#1f77b4", false);
  return out + "</svg>\n";
}

}  // namespace attest
