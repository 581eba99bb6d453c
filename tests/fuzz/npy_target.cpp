// Fuzz target: both readers of npy arrays. What both accept must be the same numbers. (Which shapes an
// instance may have is decided later, so one of them may refuse here what the other refuses then:
// instance_target.)
#include <cstdint>

#include "certify/instance/npy.hpp"
#include "tests/fuzz/arrays.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view file = fuzz::text(bytes, size);
  const auto mine = fuzz::checked([&] { return attest_check::read_npy(std::string(file), "input"); });
  const auto theirs = fuzz::attested([&] { return attest::decode_npy(file, "X"); });
  if (mine.value && theirs.value) fuzz::require_same(*mine.value, *theirs.value);
  return 0;
}
