// Fuzz target: an instance file of any kind read to its end by both programs' readers. Both refuse, or both
// get the same canonical instance.
#include <cstdint>

#include "certify/instance/read.hpp"
#include "proofs/checker/instance/instance.hpp"
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
  static const fuzz::MemoryFile file;
  const std::string path = file.hold(fuzz::text(bytes, size));
  const auto mine = fuzz::checked([&] { return canonical_sha256(attest_check::read_instance(path)); });
  const auto theirs = fuzz::attested([&] {
    auto result = attest::read_dataset(path, fuzz::limits);
    if (auto* error = std::get_if<attest::InputError>(&result)) throw attest::InputFailure{*error};
    return std::visit([](const auto& dataset) { return canonical_sha256(dataset); },
                      std::get<attest::Dataset>(result));
  });
  if (mine.value && theirs.value && *mine.value != *theirs.value) fuzz::disagree("other instances");
  fuzz::require_agreement(mine, theirs);
  return 0;
}
