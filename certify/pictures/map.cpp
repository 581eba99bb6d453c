#include "certify/pictures/map.hpp"

#include <algorithm>

#include "certify/pictures/chart.hpp"
#include "certify/pictures/markup.hpp"
#include "certify/pictures/scale.hpp"

namespace attest {
namespace {

constexpr double width = 860, left = 84, right = 24, top = 10, under = 50, legend_line = 22;
constexpr double largest_cell = 24, least_height = 3, most_height = 420;
constexpr double least_marked = 7;  // a smaller cell has no room for a diamond

class MapDrawing {
 public:
  explicit MapDrawing(const CellMap& map)
      : map_(map),
        cell_width_(std::min(largest_cell, (width - left - right) / static_cast<double>(map.columns.cells))),
        cell_height_(std::clamp(most_height / static_cast<double>(map.rows.cells), least_height,
                                std::min(largest_cell, std::max(cell_width_, 10.0)))) {}

  double bottom() const { return floor() + under + legend_line * static_cast<double>(map_.legend.size()); }

  std::string content() {
    out_ += "<rect class=\"frame\" x=\"" + pixels(left) + "\" y=\"" + pixels(top) + "\" width=\"" +
            pixels(cell_width_ * static_cast<double>(map_.columns.cells)) + "\" height=\"" +
            pixels(floor() - top) + "\"/>\n";
    for (const MapCell& cell : map_.cells) {
      rectangle(left + cell_width_ * static_cast<double>(cell.column),
                top + cell_height_ * static_cast<double>(cell.row), cell_width_, cell_height_, cell.hue,
                cell.strength, cell.marked, cell.note);
    }
    sides();
    legend();
    return std::move(out_);
  }

 private:
  double floor() const { return top + cell_height_ * static_cast<double>(map_.rows.cells); }

  void rectangle(double x, double y, double w, double h, Hue hue, double strength, bool marked,
                 const std::string& note) {
    const double gap = std::min(w, h) > 6 ? 1 : 0;
    out_ += std::string("<g class=\"") + name(hue) + "\"><rect fill=\"currentColor\" x=\"" + pixels(x) +
            "\" y=\"" + pixels(y) + "\" width=\"" + pixels(w - gap) + "\" height=\"" + pixels(h - gap) +
            "\" fill-opacity=\"" + pixels(strength) + "\">" +
            (note.empty() ? "" : "<title>" + escaped(note) + "</title>") + "</rect>";
    if (marked && std::min(w, h) >= least_marked) {
      const double half = std::min(w, h) / 4;
      const std::string slope = pixels(half);
      out_ += "<path class=\"on-hue\" d=\"M" + pixels(x + (w - gap) / 2) + " " +
              pixels(y + (h - gap) / 2 - half) + "l" + slope + " " + slope + "l-" + slope + " " + slope +
              "l-" + slope + " -" + slope + "z\"/>";
    }
    out_ += "</g>\n";
  }

  // The label of every cell, or of as many as there is room for.
  template <typename Place>
  static void labels(const MapSide& side, std::size_t room, Place place) {
    if (!side.names.empty()) {
      const std::size_t stride = (side.names.size() + room - 1) / room;
      for (std::size_t k = 0; k < side.names.size(); k += stride)
        place(static_cast<double>(k) + 0.5, side.names[k]);
      return;
    }
    const double step = std::max(1.0, tick_step(static_cast<double>(side.meant), room));
    for (double k = 0; k < static_cast<double>(side.meant); k += step) {
      place((k + 0.5) * static_cast<double>(side.cells) / static_cast<double>(side.meant),
            std::to_string(static_cast<std::size_t>(k)));
    }
  }

  void sides() {
    const auto text = [&](double x, double y, const char* anchor, const std::string& content) {
      out_ += "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" text-anchor=\"" + anchor + "\">" +
              escaped(content) + "</text>\n";
    };
    const double across = cell_width_ * static_cast<double>(map_.columns.cells);
    const auto wide = static_cast<std::size_t>(std::clamp(across / 44, 1.0, 16.0));
    labels(map_.columns, wide, [&](double cell, const std::string& label) {
      text(left + cell_width_ * cell, floor() + 16, "middle", label);
    });
    const auto high = static_cast<std::size_t>(std::clamp((floor() - top) / 18, 1.0, 20.0));
    labels(map_.rows, high, [&](double cell, const std::string& label) {
      text(left - 6, top + cell_height_ * cell + 4, "end", label);
    });
    text(left, floor() + 36, "start", map_.columns.label);
    out_ += "<text transform=\"translate(20 " + pixels((top + floor()) / 2) +
            ") rotate(-90)\" text-anchor=\"middle\">" + escaped(map_.rows.label) + "</text>\n";
  }

  void legend() {
    double y = floor() + under;
    for (const CellMap::LegendEntry& entry : map_.legend) {
      rectangle(left, y, 18, 16, entry.hue, entry.strength, entry.marked, "");
      out_ += "<text x=\"" + pixels(left + 28) + "\" y=\"" + pixels(y + 12) + "\">" + escaped(entry.label) +
              "</text>\n";
      y += legend_line;
    }
  }

  const CellMap& map_;
  double cell_width_, cell_height_;
  std::string out_;
};

}  // namespace

std::string page_svg(const CellMap& map, const std::string& id) {
  MapDrawing drawing(map);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + pixels(width) + " " +
         pixels(drawing.bottom()) + "\"" + svg_naming(id) + ">\n" +
         svg_names(id, map.title, map.description) + drawing.content() + "</svg>\n";
}

}  // namespace attest
