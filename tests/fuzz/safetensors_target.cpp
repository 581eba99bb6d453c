// Fuzz target: both readers of safetensors files. What both accept must be the same numbers. (Which keys and
// shapes an instance may have is decided later, so one of them may refuse here what the other refuses then:
// instance_target.)
#include <cstdint>

#include "certify/instance/safetensors.hpp"
#include "proofs/checker/instance/safetensors.hpp"
#include "tests/fuzz/arrays.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view file = fuzz::text(bytes, size);
  if (attest_check::begins_safetensors(file) != attest::begins_safetensors(file))
    fuzz::disagree("one of them takes it for another format");
  if (!attest::begins_safetensors(file)) return 0;
  const auto mine = fuzz::checked([&] {
    std::map<std::string, attest_check::Array> arrays;
    attest_check::read_safetensors(std::string(file), "input", fuzz::keep_in(arrays));
    return arrays;
  });
  const auto theirs = fuzz::attested([&] { return attest::read_safetensors(file); });
  if (!mine.value || !theirs.value) return 0;
  if (mine.value->size() != theirs.value->size()) fuzz::disagree("another number of tensors");
  for (const auto& [key, array] : *mine.value) {
    const auto found = theirs.value->find(key);
    if (found == theirs.value->end()) fuzz::disagree("other tensors");
    fuzz::require_same(array, found->second);
  }
  return 0;
}
