// The arrays of the two readers side by side.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "certify/instance/raw.hpp"
#include "proofs/checker/instance/array.hpp"
#include "tests/fuzz/reading.hpp"

namespace fuzz {

// How many axes there are, a last one of length 1 aside: rows of scores may have it for one reader alone.
inline std::size_t axes(const std::vector<std::size_t>& shape) {
  return shape.size() - (shape.size() == 3 && shape.back() == 1 ? 1 : 0);
}

// Takes the arrays that a reader gives.
inline auto keep_in(std::map<std::string, attest_check::Array>& arrays) {
  return [&](const std::string& key, attest_check::Array array) { arrays[key] = std::move(array); };
}

// Ends the program unless both hold the same numbers in the same order, or the same text.
inline void require_same(const attest_check::Array& mine, const attest::RawArray& theirs) {
  if (mine.text != theirs.text) disagree("other texts");
  if (mine.text) return;
  if (axes(mine.shape) != axes(theirs.shape)) disagree("another number of dimensions");
  if (mine.numbers.size() != theirs.values.size()) disagree("another number of numbers");
  for (std::size_t k = 0; k < mine.numbers.size(); ++k) {
    if (mine.numbers.finite(k) != theirs.values.finite(k)) disagree("a number that is finite for one only");
    if (!mine.numbers.finite(k)) continue;
    std::string here, there;
    mine.numbers.append_canonical(k, here);
    attest::append_canonical(there, theirs.values.exact(k));
    if (here != there) disagree("number " + std::to_string(k) + ": " + here + " and " + there);
  }
}

}  // namespace fuzz
