#include "certify/reports/html/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "certify/pictures/markup.hpp"

namespace attest {
namespace {

constexpr std::size_t wide_text = 60;  // from here on a cell may break its lines

std::string order_of(const Cell& cell) {
  if (!cell.order || !std::isfinite(*cell.order)) return {};
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", *cell.order);
  return std::string(" data-order=\"") + text + "\"";
}

std::string cell_markup(const Cell& cell, const Column& column, bool first) {
  const char* const style = column.number                  ? " class=\"number\""
                            : column.whole                 ? " class=\"whole\""
                            : cell.text.size() > wide_text ? " class=\"wide\""
                                                           : "";
  const std::string hint = cell.hint.empty() ? "" : " title=\"" + escaped(cell.hint) + "\"";
  const std::string element = first ? "th" : "td";
  return "<" + element + (first ? " scope=\"row\"" : "") + style + order_of(cell) + hint + ">" +
         escaped(cell.text) + "</" + element + ">";
}

}  // namespace

const char* name(Level level) {
  switch (level) {
    case Level::none:
      break;
    case Level::exact:
      return "proved exactly";
    case Level::enclosed:
      return "enclosed";
    case Level::measured:
      return "measured";
  }
  return "";
}

std::string markup(const Table& table) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                    escaped(table.caption) + "\">\n<table" +
                    (table.sortable && table.rows.size() > 1 ? " class=\"sortable\"" : "") + ">\n<caption>" +
                    escaped(table.caption) + "</caption>\n<thead><tr>";
  for (const Column& column : table.columns) {
    out += std::string("<th scope=\"col\"") + (column.number ? " class=\"number\"" : "") + ">" +
           escaped(column.heading) + "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t k = 0; k < std::min(table.rows.size(), most_table_rows); ++k) {
    out += "<tr>";
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      out += cell_markup(table.rows[k][column], table.columns[column], column == 0);
    out += "</tr>\n";
  }
  out += "</tbody>\n</table>\n</div>\n";
  if (table.rows.size() > most_table_rows) {
    out += "<p class=\"note\">The first " + std::to_string(most_table_rows) + " of " +
           std::to_string(table.rows.size()) + " rows; JSON has all.</p>\n";
  }
  return out;
}

}  // namespace attest
