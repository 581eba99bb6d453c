// Fuzz target: both readers of gzip. Both give the same text, or both refuse.
#include <cstdint>

#include "certify/process/file_bytes.hpp"
#include "proofs/checker/instance/compressed.hpp"
#include "tests/fuzz/checksums.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t most,
                                               unsigned seed) {
  size = LLVMFuzzerMutate(bytes, size, most);
  if (seed % 4 != 0) fuzz::repair_checksums(bytes, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view file = fuzz::text(bytes, size);
  const auto mine = fuzz::checked([&] {
    attest_check::ByteSource source("input", std::string(file));
    std::string text;
    for (std::string_view piece = source.next(); !piece.empty(); piece = source.next()) text += piece;
    return text;
  });
  if (!file.starts_with("\x1f\x8b")) {
    if (mine.value != file) fuzz::disagree("a plain file was changed");
    return 0;
  }
  const auto theirs = fuzz::attested([&] { return attest::gunzip(file, fuzz::limits); });
  if (mine.value && theirs.value && *mine.value != *theirs.value) fuzz::disagree("other texts");
  fuzz::require_agreement(mine, theirs);
  return 0;
}
