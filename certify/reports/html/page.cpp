#include "certify/reports/html/page.hpp"

#include "certify/pictures/markup.hpp"
#include "certify/reports/html/style.hpp"

namespace attest {
namespace {

Hue hue_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return Hue::green;
    case Tone::bad:
      return Hue::vermillion;
    case Tone::open:
      break;
  }
  return Hue::purple;
}

}  // namespace

void PageContent::verdict(Tone tone, const std::string& word, const std::vector<std::string>& sentences) {
  out_ += std::string("<div class=\"verdict ") + name(hue_of(tone)) + "\">\n<p class=\"word\">" +
          escaped(word) + "</p>\n";
  for (const std::string& sentence : sentences) out_ += "<p>" + escaped(sentence) + "</p>\n";
  out_ += "</div>\n";
}

void PageContent::section(const std::string& heading) {
  close_section();
  out_ += "<section>\n<h2>" + escaped(heading) + "</h2>\n";
  in_section_ = true;
}

void PageContent::paragraph(const std::string& text) {
  out_ += "<p>" + escaped(text) + "</p>\n";
}

void PageContent::facts(const std::string& caption, const std::vector<Fact>& facts) {
  Table table{caption, {{"what"}, {"value"}, {"level", false, true}}, {}, false};
  for (const Fact& fact : facts)
    table.rows.push_back({{fact.what}, {fact.value, std::nullopt, fact.hint}, {name(fact.level)}});
  out_ += markup(table);
}

void PageContent::table(const Table& table) {
  out_ += markup(table);
}

template <typename Picture>
void PageContent::draw(const Picture& picture) {
  const std::string id = figure_ids_ + std::to_string(++figures_);
  out_ += "<figure>\n<figcaption>" + escaped(picture.title) + "</figcaption>\n" + page_svg(picture, id) +
          "<p>" + escaped(picture.description) + "</p>\n</figure>\n";
}

void PageContent::figure(const Chart& chart) {
  draw(chart);
}

void PageContent::figure(const CellMap& map) {
  draw(map);
}

void PageContent::command(const std::string& lines) {
  out_ += "<pre><code>" + escaped(lines) + "</code></pre>\n";
}

void PageContent::append(const std::string& sections) {
  close_section();
  out_ += sections;
}

void PageContent::close_section() {
  if (in_section_) out_ += "</section>\n";
  in_section_ = false;
}

std::string PageContent::text() && {
  close_section();
  return std::move(out_);
}

// The generator's line is what the file is recognised by when it is to be replaced (process/output_files).
std::string Page::text() && {
  std::string out =
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\" xml:lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<meta name=\"generator\" content=\"attest " ATTEST_VERSION
      "\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
      escaped(title_) + "</title>\n<style>\n" + page_style() + "</style>\n</head>\n<body>\n<header>\n<h1>" +
      escaped(title_) + "</h1>\n</header>\n<main>\n";
  out += static_cast<PageContent&&>(*this).text();
  out +=
      "</main>\n<footer>\n<p>Written by attest " ATTEST_VERSION
      ". \xE2\x80\x9Cproved exactly\xE2\x80\x9D: established in exact arithmetic; "
      "\xE2\x80\x9C"
      "enclosed\xE2\x80\x9D: the exact value lies between two proved numbers that are rounded outward "
      "(point at a number to see both); \xE2\x80\x9Cmeasured\xE2\x80\x9D: timed or computed in floating "
      "point, not proved. Numbers are right to within one unit of their last digit; pictures are drawn from "
      "rounded numbers and prove nothing.</p>\n</footer>\n<script>";
  out += page_script;
  return out + "</script>\n</body>\n</html>\n";
}

}  // namespace attest
