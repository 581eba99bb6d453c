// Fuzz target: both readers of JSON instances. What both accept must be the same numbers under the same keys.
#include <cstdint>

#include "certify/instance/json.hpp"
#include "proofs/checker/instance/json.hpp"
#include "tests/fuzz/arrays.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view file = fuzz::text(bytes, size);
  const auto mine = fuzz::checked([&] {
    std::map<std::string, attest_check::Array> arrays;
    // In pieces of three bytes: a word may lie in many.
    std::size_t at = 0;
    attest_check::Pieces pieces{[&] {
      const std::string_view piece = file.substr(at, 3);
      at += piece.size();
      return piece;
    }};
    attest_check::read_json(pieces, "input", fuzz::keep_in(arrays));
    return arrays;
  });
  const auto theirs = fuzz::attested([&] { return attest::parse_json_instance(file); });
  if (!mine.value || !theirs.value) return 0;
  if (mine.value->size() != theirs.value->size()) fuzz::disagree("other keys");
  for (const auto& [key, array] : *mine.value) {
    const auto same = theirs.value->find(key);
    if (same == theirs.value->end()) fuzz::disagree("only attest-check has the key " + key);
    fuzz::require_same(array, same->second);
  }
  return 0;
}
