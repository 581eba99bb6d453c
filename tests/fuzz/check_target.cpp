// Fuzz target: the whole check. The input is an instance file followed by a certificate, which begins where
// its first line does for the last time. Its hash is made right, for a wrong one would end the check; changes
// are of bytes, or of the certificate's words and lines.
#include <cstdint>
#include <cstring>
#include <string>

#include "tests/fuzz/certificate_changes.hpp"
#include "tests/fuzz/checksums.hpp"
#include "tests/fuzz/reading.hpp"
#include "tests/fuzz/whole_check.hpp"

using namespace attest_check;

namespace {

std::size_t start_of_certificate(std::string_view input) {
  return std::min(input.rfind("attest-certificate "), input.size());
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t most,
                                               unsigned seed) {
  const std::string_view input = fuzz::text(bytes, size);
  const std::size_t start = start_of_certificate(input);
  if (seed % 4 != 0 && start < size) {
    const fuzz::ChangeableCertificate certificate{std::string(input.substr(start))};
    const std::string changed = certificate.changed(seed);
    if (start + changed.size() <= most) {
      std::memcpy(bytes + start, changed.data(), changed.size());
      return start + changed.size();
    }
  }
  size = LLVMFuzzerMutate(bytes, size, most);
  if (seed % 8 != 0) fuzz::repair_checksums(bytes, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const fuzz::MemoryFile file;
  const std::string_view input = fuzz::text(bytes, size);
  const std::size_t start = start_of_certificate(input);
  const auto instance = fuzz::checked([&] { return read_instance(file.hold(input.substr(0, start))); });
  if (!instance.value) return 0;
  const std::string certificate = fuzz::with_hash(input.substr(start), canonical_sha256(*instance.value));
  if (fuzz::takes_long(certificate)) return 0;
  const Exit status = fuzz::status_of(*instance.value, certificate);
  if (status == Exit::verified || status == Exit::vacuous) fuzz::require_grammar(certificate);
  return 0;
}
