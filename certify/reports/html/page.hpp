// One page that needs nothing beside it: no network, no other file. Its text is HTML and well-formed XML
// alike.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "certify/pictures/chart.hpp"
#include "certify/pictures/map.hpp"
#include "certify/reports/html/table.hpp"

namespace attest {

// What the border of the verdict says beside its words.
enum class Tone { good, bad, open };

// A line of a table of facts: "margin", "45.67...", enclosed.
struct Fact {
  std::string what, value;
  Level level = Level::none;
  std::string hint = {};
};

// What stands on a page, or on a part of one.
class PageContent {
 public:
  // The ids of figures begin with `figure_ids`; no two on a page may be the same.
  explicit PageContent(std::string figure_ids = "figure-") : figure_ids_(std::move(figure_ids)) {}

  // `word` first, then what it means here.
  void verdict(Tone tone, const std::string& word, const std::vector<std::string>& sentences);
  void section(const std::string& heading);
  void paragraph(const std::string& text);
  void facts(const std::string& caption, const std::vector<Fact>& facts);
  void table(const Table& table);
  // With title and description as caption.
  void figure(const Chart& chart);
  void figure(const CellMap& map);
  // Lines for a shell.
  void command(const std::string& lines);

  // Sections made apart from this, closed.
  void append(const std::string& sections);

  // All of it, its sections closed. Nothing may follow.
  std::string text() &&;

 private:
  template <typename Picture>
  void draw(const Picture& picture);
  void close_section();

  std::string out_, figure_ids_;
  std::size_t figures_ = 0;
  bool in_section_ = false;
};

class Page : public PageContent {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  // The page with header and footer. Nothing may follow.
  std::string text() &&;

 private:
  std::string title_;
};

}  // namespace attest
