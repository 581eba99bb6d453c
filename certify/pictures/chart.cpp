#include "certify/pictures/chart.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "certify/pictures/markup.hpp"
#include "certify/pictures/scale.hpp"

namespace attest {
namespace {

constexpr double width = 860, left = 84, right = 24, height = 400, under = 56, legend_line = 21;
constexpr double least_gap = 0.5;  // of two points of a line, in pixels
constexpr double mark_cell = 4;    // marks nearer than that are one

std::string attribute(const char* what, double length) {
  return std::string(" ") + what + "=\"" + pixels(length) + "\"";
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& content,
                    const std::string& more = {}) {
  return "<text" + attribute("x", x) + attribute("y", y) + " text-anchor=\"" + anchor + "\"" + more + ">" +
         content + "</text>\n";
}

std::string dashes(Dash dash) {
  return dash == Dash::solid    ? ""
         : dash == Dash::dashed ? " stroke-dasharray=\"7 4\""
                                : " stroke-dasharray=\"2 4\"";
}

std::string in_hue(Hue hue) {
  return std::string(" class=\"") + name(hue) + "\"";
}

class Drawing {
 public:
  Drawing(const Chart& chart, double top)
      : chart_(chart),
        top_(top),
        x_(chart.x, left, width - right, false),
        y_(chart.y, top + height, top, true) {}

  double bottom() const { return top_ + height + under + legend_line * static_cast<double>(entries()); }

  std::string content() {
    axes();
    for (const ChartRanges& ranges : chart_.ranges) draw(ranges);
    for (const ChartLine& line : chart_.lines) draw(line);
    for (const ChartBand& band : chart_.bands) draw(band);
    for (const ChartMarks& marks : chart_.marks) draw(marks);
    legend();
    return std::move(out_);
  }

 private:
  std::size_t entries() const {
    std::size_t count = 0;
    for (const ChartBand& band : chart_.bands) count += !band.points.empty();
    for (const ChartRanges& ranges : chart_.ranges) count += !ranges.ranges.empty();
    for (const ChartLine& line : chart_.lines) count += !line.points.empty();
    for (const ChartMarks& marks : chart_.marks) count += !marks.marks.empty();
    return count;
  }

  void axes() {
    const double floor = top_ + height;
    for (const Tick& tick : x_.ticks(10)) {
      out_ += "<line class=\"grid\"" + attribute("x1", tick.place) + attribute("y1", top_) +
              attribute("x2", tick.place) + attribute("y2", floor) + "/>\n";
      out_ += text_at(tick.place, floor + 20, "middle", tick.label);
    }
    for (const Tick& tick : y_.ticks(10)) {
      out_ += "<line class=\"grid\"" + attribute("x1", left) + attribute("y1", tick.place) +
              attribute("x2", width - right) + attribute("y2", tick.place) + "/>\n";
      out_ += text_at(left - 8, tick.place + 4, "end", tick.label);
    }
    out_ += "<rect class=\"frame\"" + attribute("x", left) + attribute("y", top_) +
            attribute("width", width - left - right) + attribute("height", height) + "/>\n";
    out_ += text_at((left + width - right) / 2, floor + 42, "middle", escaped(chart_.x.label));
    out_ += "<text transform=\"translate(20 " + pixels(top_ + height / 2) +
            ") rotate(-90)\" text-anchor=\"middle\">" + escaped(chart_.y.label) + "</text>\n";
  }

  std::string place(double x, double y) const { return pixels(x_.at(x)) + "," + pixels(y_.at(y)); }

  // Of the points those that can be told apart on paper, and the last one.
  template <typename Point, typename X>
  std::vector<Point> thinned(const std::vector<Point>& points, X x) const {
    std::vector<Point> kept;
    double last = 0;
    for (const Point& point : points) {
      const double at = x_.at(x(point));
      if (!kept.empty() && at - last < least_gap && &point != &points.back()) continue;
      kept.push_back(point);
      last = at;
    }
    return kept;
  }

  void draw(const ChartBand& band) {
    if (band.points.empty()) return;
    std::string edge, middle;
    const auto points = thinned(band.points, [](const ChartBand::Point& point) { return point.x; });
    for (const ChartBand::Point& point : points) {
      edge += place(point.x, point.hi) + ' ';
      middle += place(point.x, point.lo / 2 + point.hi / 2) + ' ';
    }
    for (auto point = points.rbegin(); point != points.rend(); ++point)
      edge += place(point->x, point->lo) + ' ';
    out_ += "<g" + in_hue(band.hue) + "><polygon points=\"" + edge +
            "\" fill=\"currentColor\" fill-opacity=\"0.25\"/>\n<polyline points=\"" + middle +
            "\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"/></g>\n";
  }

  void draw(const ChartRanges& ranges) {
    if (ranges.ranges.empty()) return;
    std::string path;
    for (const ChartRanges::Range& range : ranges.ranges) {
      path += "M" + pixels(x_.at(range.x)) + " " + pixels(y_.at(range.lo)) + "V" + pixels(y_.at(range.hi));
    }
    const double room = (width - left - right) / static_cast<double>(ranges.ranges.size());
    out_ += "<path" + in_hue(ranges.hue) + " d=\"" + path + "\" fill=\"none\" stroke=\"currentColor\"" +
            attribute("stroke-width", std::clamp(room / 3, 1.0, 4.0)) + "/>\n";
  }

  void draw(const ChartLine& line) {
    if (line.points.empty()) return;
    std::string points;
    for (const auto& [x, y] : thinned(line.points, [](const auto& point) { return point.first; }))
      points += place(x, y) + ' ';
    out_ += "<g" + in_hue(line.hue) + "><polyline points=\"" + points +
            "\" fill=\"none\" stroke=\"currentColor\"" + attribute("stroke-width", line.width) +
            dashes(line.dash) + "/></g>\n";
  }

  static std::string mark(MarkShape shape, double x, double y, const std::string& note) {
    const std::string title = note.empty() ? "" : "<title>" + escaped(note) + "</title>";
    const std::string at = pixels(x) + " " + pixels(y);
    switch (shape) {
      case MarkShape::circle:
        return "<circle" + attribute("cx", x) + attribute("cy", y) + " r=\"2.5\">" + title + "</circle>\n";
      case MarkShape::diamond:
        return "<path d=\"M" + at + "m0-5l5 5l-5 5l-5-5z\">" + title + "</path>\n";
      case MarkShape::cross:
        break;
    }
    return "<path d=\"M" + at + "m-4-4l8 8m0-8l-8 8\" stroke=\"currentColor\" stroke-width=\"1.6\">" + title +
           "</path>\n";
  }

  void draw(const ChartMarks& marks) {
    if (marks.marks.empty()) return;
    out_ += "<g" + in_hue(marks.hue) + " fill=\"currentColor\">\n";
    std::set<std::pair<long, long>> taken;
    for (const ChartMarks::Mark& one : marks.marks) {
      const double x = x_.at(one.x), y = y_.at(one.y);
      if (taken.emplace(std::lround(x / mark_cell), std::lround(y / mark_cell)).second)
        out_ += mark(marks.shape, x, y, one.note);
    }
    out_ += "</g>\n";
  }

  void legend() {
    double y = top_ + height + under + 8;
    const auto entry = [&](const std::string& label, Hue hue, const std::string& sample) {
      out_ += "<g" + in_hue(hue) + " fill=\"currentColor\">" + sample + "</g>\n" +
              text_at(left + 42, y + 4, "start", escaped(label));
      y += legend_line;
    };
    const auto stroke = [&](double thickness, const std::string& more) {
      return "<path d=\"M" + pixels(left) + " " + pixels(y) + "h32\" stroke=\"currentColor\"" +
             attribute("stroke-width", thickness) + more + "/>";
    };
    for (const ChartBand& band : chart_.bands) {
      if (!band.points.empty())
        entry(band.label, band.hue, stroke(12, " stroke-opacity=\"0.25\"") + stroke(2, ""));
    }
    for (const ChartRanges& ranges : chart_.ranges) {
      if (!ranges.ranges.empty())
        entry(ranges.label, ranges.hue,
              "<path d=\"M" + pixels(left + 16) + " " + pixels(y - 8) +
                  "v16\" stroke=\"currentColor\" stroke-width=\"3\"/>");
    }
    for (const ChartLine& line : chart_.lines) {
      if (!line.points.empty()) entry(line.label, line.hue, stroke(line.width, dashes(line.dash)));
    }
    for (const ChartMarks& marks : chart_.marks) {
      if (!marks.marks.empty()) entry(marks.label, marks.hue, mark(marks.shape, left + 16, y, ""));
    }
  }

  const Chart& chart_;
  double top_;
  Scale x_, y_;
  std::string out_;
};

}  // namespace

std::string svg_naming(const std::string& id) {
  return " role=\"img\" aria-labelledby=\"" + id + "-title " + id + "-text\"";
}

std::string svg_names(const std::string& id, const std::string& title, const std::string& description) {
  return "<title id=\"" + id + "-title\">" + escaped(title) + "</title>\n<desc id=\"" + id + "-text\">" +
         escaped(description) + "</desc>\n";
}

std::string page_svg(const Chart& chart, const std::string& id) {
  Drawing drawing(chart, 14);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + pixels(width) + " " +
         pixels(drawing.bottom()) + "\"" + svg_naming(id) + ">\n" +
         svg_names(id, chart.title, chart.description) + drawing.content() + "</svg>\n";
}

std::string file_svg(const Chart& chart) {
  Drawing drawing(chart, 48);
  const std::string size = pixels(width) + " " + pixels(drawing.bottom());
  std::string style = ".grid{stroke:#ddd}.frame{stroke:#333;fill:none}";
  for (const Hue hue : every_hue) style += std::string(".") + name(hue) + "{color:" + on_light(hue) + "}";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size +
         "\" font-family=\"sans-serif\" font-size=\"13\"" + svg_naming("chart") + ">\n" +
         svg_names("chart", chart.title, chart.description) + "<style>" + style + "</style>\n<rect width=\"" +
         pixels(width) + "\" height=\"" + pixels(drawing.bottom()) + "\" fill=\"white\"/>\n" +
         text_at(width / 2, 28, "middle", escaped(chart.title), " font-size=\"16\"") + drawing.content() +
         "</svg>\n";
}

}  // namespace attest
