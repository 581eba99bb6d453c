// Fuzz target: both readers of zip archives. What both accept must have the same members.
#include <cstdint>
#include <map>

#include "certify/instance/zip.hpp"
#include "proofs/checker/instance/zip.hpp"
#include "tests/fuzz/checksums.hpp"
#include "tests/fuzz/reading.hpp"

using Members = std::map<std::string, std::string>;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t most,
                                               unsigned seed) {
  size = LLVMFuzzerMutate(bytes, size, most);
  if (seed % 4 != 0) fuzz::repair_checksums(bytes, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view file = fuzz::text(bytes, size);
  const auto mine = fuzz::checked([&]() -> Members {
    Members members;
    attest_check::read_zip(std::string(file), "input",
                           [&](const std::string& name, const attest_check::Bytes& content) {
                             members[name] = content.text(0, content.size());
                           });
    return members;
  });
  const auto theirs = fuzz::attested([&] {
    Members members;
    for (const attest::ZipMember& member : attest::read_zip_directory(file, fuzz::limits)) {
      if (!member.deflated) attest::check_stored(member, member.name);
      members[member.name] = member.deflated ? attest::expand(member, member.name) : std::string(member.data);
    }
    return members;
  });
  if (mine.value && theirs.value && *mine.value != *theirs.value) fuzz::disagree("other members");
  fuzz::require_agreement(mine, theirs);
  return 0;
}
