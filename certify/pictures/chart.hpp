// Charts as SVG: lines, bands, ranges and marks over two axes, each linear or logarithmic.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "certify/pictures/hue.hpp"

namespace attest {

struct Axis {
  std::string label;
  bool logarithmic = false;
  double least = 0, most = 1;  // what is in sight, at least; positive on a logarithmic axis
  bool whole = false;          // of numbers of things: no ticks between integers
};

enum class Dash { solid, dashed, dotted };

struct ChartLine {
  std::string label;
  Hue hue = Hue::blue;
  Dash dash = Dash::solid;
  double width = 2;
  std::vector<std::pair<double, double>> points;  // by increasing x
};

// What lies between two lines, drawn with its middle.
struct ChartBand {
  struct Point {
    double x, lo, hi;
  };
  std::string label;
  Hue hue = Hue::blue;
  std::vector<Point> points;  // by increasing x
};

// Vertical bars.
struct ChartRanges {
  struct Range {
    double x, lo, hi;
  };
  std::string label;
  Hue hue = Hue::grey;
  std::vector<Range> ranges;
};

enum class MarkShape { circle, diamond, cross };

struct ChartMarks {
  struct Mark {
    double x, y;
    std::string note;  // shown when pointed at
  };
  std::string label;
  Hue hue = Hue::blue;
  MarkShape shape = MarkShape::circle;
  std::vector<Mark> marks;  // of those that would cover each other the first is drawn
};

struct Chart {
  std::string title, description;  // what it shows, in a line and in sentences
  Axis x, y;
  std::vector<ChartBand> bands;
  std::vector<ChartRanges> ranges;
  std::vector<ChartLine> lines;
  std::vector<ChartMarks> marks;
};

// The chart for a page, whose style says what the hues are; `id` is its prefix of ids there. What is out of
// sight is drawn at the border. Deterministic.
std::string page_svg(const Chart& chart, const std::string& id);
// The chart alone, on white paper.
std::string file_svg(const Chart& chart);

// <title> and <desc> of an SVG element and the attributes that refer to them.
std::string svg_naming(const std::string& id);
std::string svg_names(const std::string& id, const std::string& title, const std::string& description);

}  // namespace attest
