#include "certify/instance/share.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace attest {
namespace {

// Keys that have something of every sequence.
constexpr std::array<std::string_view, 9> by_sequence{"X", "Y",      "scores",  "y",    "K",
                                                      "z", "counts", "offsets", "alpha"};
// Keys with which sequences are of different lengths, or are not the file's.
constexpr std::array<std::string_view, 4> uneven{"lengths", "setting", "sentences", "ids"};

template <class Keys>
bool among(const Keys& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// n equal blocks, one after the other: an axis of n sequences first, or one of all their tokens.
bool in_blocks(const RawArray& array, std::size_t n, std::size_t tokens) {
  if (array.lengths || array.text || array.shape.empty()) return false;
  return array.shape[0] == n || (array.shape.size() == 1 && array.shape[0] == n * tokens);
}

}  // namespace

std::optional<std::size_t> keep_sequences(RawInstance& raw, Part part) {
  const auto X = raw.find("X");
  if (X == raw.end() || X->second.lengths || X->second.shape.size() != 3) return std::nullopt;
  const std::size_t n = X->second.shape[0], tokens = X->second.shape[1];
  const std::size_t first = part.begin(n), last = part.end(n);
  if (first == last) return std::nullopt;
  for (const auto& [key, array] : raw) {
    if (among(uneven, key) || (among(by_sequence, key) && !in_blocks(array, n, tokens))) return std::nullopt;
  }
  for (auto& [key, array] : raw) {
    if (!among(by_sequence, key)) continue;
    const std::size_t block = array.values.size() / n;
    array.values.keep_ranges({{first * block, last * block}});
    array.shape[0] = array.shape[0] / n * (last - first);
  }
  return first;
}

}  // namespace attest
