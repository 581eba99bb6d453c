// Text in markup, tables and pages: escaped, cut, and the same in HTML and XML.
#include "certify/pictures/markup.hpp"

#include <doctest/doctest.h>

#include <string>

#include "certify/reports/html/page.hpp"
#include "certify/reports/html/provenance.hpp"
#include "certify/reports/short_number.hpp"
#include "tests/unit/certify/reports/count.hpp"

using namespace attest;

TEST_CASE("markup: what has a meaning there is escaped, what XML cannot hold is replaced") {
  CHECK(escaped("a<b> & \"c\"") == "a&lt;b&gt; &amp; &quot;c&quot;");
  CHECK(escaped("\xE2\x80\x96W\xE2\x80\x96 \xF0\x9F\x99\x82") ==
        "\xE2\x80\x96W\xE2\x80\x96 \xF0\x9F\x99\x82");
  const std::string replaced = "\xEF\xBF\xBD";
  CHECK(escaped(std::string("\0", 1)) == replaced);
  CHECK(escaped("\x1b[0m") == replaced + "[0m");
  CHECK(escaped("\xff") == replaced);
  CHECK(escaped("\xc3") == replaced);                                // cut
  CHECK(escaped("\xc0\xaf") == replaced + replaced);                 // overlong
  CHECK(escaped("\xed\xa0\x80") == replaced + replaced + replaced);  // a surrogate
  CHECK(escaped("\xef\xbf\xbf") == replaced + replaced + replaced);  // U+FFFF is no character of XML
  CHECK(escaped("tab\tline\n") == "tab\tline\n");
}

TEST_CASE("markup: words for a shell") {
  CHECK(shell_word("data/x-1.npz") == "data/x-1.npz");
  CHECK(shell_word("my data.npz") == "'my data.npz'");
  CHECK(shell_word("it's $HOME") == "'it'\\''s $HOME'");
  CHECK(shell_word("-rf") == "'-rf'");
  CHECK(shell_word("") == "''");
  CHECK(file_name("a/b/c.npz") == "c.npz");
  CHECK(file_name("a/folder/") == "folder");
}

TEST_CASE("tables: captions, scopes, what they are sorted by, and a cut that is said") {
  Table table{"Rows & more", {{"name"}, {"value", true}}, {}};
  for (int k = 0; k < 10; ++k) table.rows.push_back({{"row " + std::to_string(k)}, {"1/3", 1.0 / 3}});
  std::string text = markup(table);
  CHECK(count(text, "<tr>") == 11);
  CHECK(count(text, "<caption>Rows &amp; more</caption>") == 1);
  CHECK(count(text, "scope=\"col\"") == 2);
  CHECK(count(text, "scope=\"row\"") == 10);
  CHECK(count(text, "data-order=\"0.33333333333333331\"") == 10);
  CHECK(text.find("JSON has all") == std::string::npos);
  table.rows.resize(most_table_rows + 7, table.rows[0]);
  text = markup(table);
  CHECK(count(text, "<tr>") == most_table_rows + 1);
  CHECK(text.find("of " + std::to_string(most_table_rows + 7) + " rows; JSON has all") != std::string::npos);
}

TEST_CASE("pages: light, dark and on paper, with nothing from elsewhere") {
  Page page("<Title>");
  page.verdict(Tone::good, "Yes", {"Because & so on."});
  page.section("One");
  page.facts("Facts", {{"margin", "1", Level::exact}, {"time", "2 s", Level::measured}});
  page.section("Two");
  const std::string text = std::move(page).text();
  CHECK(text.starts_with("<!DOCTYPE html>\n"));
  CHECK(text.find("<meta name=\"generator\" content=\"attest ") < 8192);
  CHECK(text.find("<title>&lt;Title&gt;</title>") != std::string::npos);
  CHECK(count(text, "<section>") == 2);
  CHECK(count(text, "</section>") == 2);
  CHECK(text.find("prefers-color-scheme:dark") != std::string::npos);
  CHECK(text.find("@media print") != std::string::npos);
  CHECK(text.find("proved exactly") != std::string::npos);
  for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url("}) {
    CAPTURE(outside);
    // The names of the two languages are no addresses to fetch.
    const std::size_t names = std::string(outside) == "http:" ? 1 : 0;
    CHECK(count(text, outside) == names);
  }
}

TEST_CASE("numbers: as many digits as are right") {
  CHECK(short_number(point(Rational(1, 3))) == "0.333333");
  CHECK(short_number(point(Rational(0))) == "0");
  CHECK(short_number(point(Rational(12))) == "12");
  CHECK(short_number(Interval{Rational(31415, 10000), Rational(31416, 10000)}) == "3.142");
  CHECK(short_number(Interval{Rational(31415), Rational(31425)}) == "3.14e+04");
  CHECK(short_number(Interval{Rational(-1, 1000), Rational(1, 1000)}) == "<=0.001");
  CHECK(both_ends(Interval{Rational(1, 3), Rational(2, 3)}, 3) == "[0.333, 0.667]");
}
