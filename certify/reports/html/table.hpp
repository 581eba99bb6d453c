// Tables of a page.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace attest {

// How sure a number or a fact is.
enum class Level {
  none,      // nothing that could be wrong: a name, a path
  exact,     // established in exact arithmetic
  enclosed,  // an outward-rounded enclosure of it is
  measured,  // seen, computed in floating point or timed: not proved
};

// "proved exactly", "enclosed", "measured"; empty for none.
const char* name(Level level);

struct Column {
  std::string heading;
  bool number = false;  // to the right
  bool whole = false;   // its cells stay on one line
};

struct Cell {
  std::string text;
  std::optional<double> order = std::nullopt;  // what it is sorted by; nothing: its text
  std::string hint = {};                       // shown when pointed at, such as both ends of an enclosure
};

struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // one cell a column; the first one names the row
  bool sortable = true;                 // by any of its columns
};

// As many rows as a page shows; what is cut is said below the table, and that JSON has all.
inline constexpr std::size_t most_table_rows = 3000;

std::string markup(const Table& table);

}  // namespace attest
