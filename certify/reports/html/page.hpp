// One page that needs nothing beside it: no network, no other file. Its text is HTML and well-formed XML
// alike.
#pragma once

#include <string>
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

class Page {
 public:
  explicit Page(const std::string& title);

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

  // The page with its footer. Nothing may follow.
  std::string text() &&;

 private:
  template <typename Picture>
  void draw(const Picture& picture);

  std::string out_;
  std::size_t figures_ = 0;
  bool in_section_ = false;
};

}  // namespace attest
