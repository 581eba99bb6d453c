// An instance file before its meaning is checked: named arrays of numbers with shapes.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "certify/numbers/exact_number.hpp"

namespace attest {

// One key. A rectangular array has its shape and values in C order. A ragged array (JSON only) has shape {n,
// 0, d} (d = 1 for scores and sentences) and `lengths` with the n lengths of the second axis; its values are
// the concatenated rows. A text has `text` only.
struct RawArray {
  std::vector<std::size_t> shape;
  std::optional<std::vector<std::size_t>> lengths;
  NumberList values;
  std::optional<std::string> text;

  // "[i,j,k]" of the flat position of an entry (rectangular arrays and concatenated ragged rows alike);
  // nothing for a single number.
  std::string index(std::size_t flat) const;
};

using RawInstance = std::map<std::string, RawArray>;

// The keys an instance may have, in the order they are documented.
inline constexpr const char* instance_keys[] = {
    "X",     "Y",          "v",       "scores", "head",    "y",     "K",  "z",
    "query", "lengths",    "setting", "counts", "offsets", "alpha", "W0", "sentences",
    "ids",   "embeddings", "U",       "A",      "bias",    "r"};

bool is_instance_key(const std::string& key);

// "known: X, Y, ...", for messages.
std::string known_keys();

}  // namespace attest
