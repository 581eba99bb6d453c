// Charts and maps: axes, what is drawn and what is not.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "certify/pictures/chart.hpp"
#include "certify/pictures/map.hpp"
#include "certify/pictures/scale.hpp"
#include "tests/unit/certify/reports/count.hpp"

using namespace attest;

TEST_CASE("scales: ends, ticks, values out of sight") {
  const Scale linear({"x", false, 0, 37}, 0, 100, true);
  CHECK(linear.at(0) == doctest::Approx(0));
  CHECK(linear.at(1e9) == doctest::Approx(100));
  CHECK(linear.at(-5) == doctest::Approx(0));
  CHECK(linear.ticks(8).front().label == "0");
  CHECK(linear.ticks(8).back().label == "40");
  const Scale whole({"sequence", false, -0.5, 2.5, true}, 0, 300, false);
  REQUIRE(whole.ticks(10).size() == 3);
  CHECK(whole.ticks(10)[1].label == "1");
  CHECK(whole.ticks(10)[1].place == doctest::Approx(150));
  const Scale logarithmic({"t", true, 1, 1e6}, 0, 60, false);
  CHECK(logarithmic.at(1000) == doctest::Approx(30));
  CHECK(logarithmic.at(0) == doctest::Approx(0));
  CHECK(logarithmic.ticks(10).size() == 7);
  CHECK(logarithmic.ticks(3).size() <= 4);
  const Scale single({"v", false, 3, 3}, 0, 10, true);
  CHECK(std::isfinite(single.at(3)));
  CHECK(tick_step(1, 10) == doctest::Approx(0.1));
  CHECK(tick_step(37, 8) == doctest::Approx(5));
}

TEST_CASE("charts: named for those who hear them; points that cover each other are one") {
  Chart chart;
  chart.title = "A < B";
  chart.description = "What it shows.";
  chart.x = {"x", false, 0, 10};
  chart.y = {"y", false, 0, 10};
  ChartMarks marks{"mark", Hue::blue, MarkShape::diamond, {}};
  for (int k = 0; k < 1000; ++k) marks.marks.push_back({5 + k * 1e-6, 5, "here"});
  chart.marks.push_back(marks);
  chart.lines.push_back({"line", Hue::green, Dash::dashed, 2, {{0, 0}, {10, 10}}});
  chart.lines.push_back({"empty", Hue::green, Dash::dashed, 2, {}});
  const std::string text = page_svg(chart, "figure-7");
  CHECK(text.find("role=\"img\" aria-labelledby=\"figure-7-title figure-7-text\"") != std::string::npos);
  CHECK(text.find("<title id=\"figure-7-title\">A &lt; B</title>") != std::string::npos);
  CHECK(count(text, "<title>here</title>") == 1);
  CHECK(count(text, ">line</text>") == 1);
  CHECK(count(text, ">empty</text>") == 0);
  const std::string file = file_svg(chart);
  CHECK(file.starts_with("<svg "));
  std::string rule = ".blue{color:";
  rule += on_light(Hue::blue);
  CHECK(file.find(rule) != std::string::npos);
}

TEST_CASE("maps: large ones have a cell for several things") {
  CellMap map;
  map.title = "m";
  map.columns = {"sequence", 200, 100000, {}};
  map.rows = {"token", 4, 4, {}};
  CHECK(map.columns.cell_of(0) == 0);
  CHECK(map.columns.cell_of(99999) == 199);
  CHECK(map.rows.cell_of(3) == 3);
  map.cells.push_back({199, 3, Hue::vermillion, 1, true, "note"});
  const std::string text = page_svg(map, "figure-1");
  CHECK(count(text, "<title>note</title>") == 1);
  CHECK(count(text, "class=\"on-hue\"") == 0);  // no room for a diamond
  map.columns = {"sequence", 3, 3, {}};
  CHECK(count(page_svg(map, "figure-1"), "class=\"on-hue\"") == 1);
}
