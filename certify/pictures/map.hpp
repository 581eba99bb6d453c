// Maps as SVG: a grid of cells, such as sequences by tokens.
#pragma once

#include <string>
#include <vector>

#include "certify/pictures/hue.hpp"

namespace attest {

struct MapCell {
  std::size_t column = 0, row = 0;
  Hue hue = Hue::grey;
  double strength = 1;  // in [0, 1]: how much of the hue
  bool marked = false;  // a diamond in it
  std::string note;     // shown when pointed at
};

// One side of the grid: `cells` of them stand for `meant` things with the numbers 0, 1, ...
struct MapSide {
  std::string label;
  std::size_t cells = 1, meant = 1;
  std::vector<std::string> names;  // of the cells, where they are no numbers

  // Which cell shows thing number k.
  std::size_t cell_of(std::size_t k) const { return cells >= meant ? k : k * cells / meant; }
};

struct CellMap {
  struct LegendEntry {
    std::string label;
    Hue hue = Hue::grey;
    double strength = 1;
    bool marked = false;
  };
  std::string title, description;
  MapSide columns, rows;
  std::vector<MapCell> cells;  // the others stay blank
  std::vector<LegendEntry> legend;
};

// For a page, as page_svg of a chart.
std::string page_svg(const CellMap& map, const std::string& id);

}  // namespace attest
