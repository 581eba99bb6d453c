// Fuzz target: the certificate's text, byte by byte, about one small instance. What is accepted must be a
// certificate by the grammar, as the reference reads it.
#include <cstdint>
#include <string>

#include "tests/fuzz/reading.hpp"
#include "tests/fuzz/whole_check.hpp"

using namespace attest_check;

// The instance of the seeds plane-….
constexpr std::string_view plane =
    R"({"X": [[[0, 0], [-1, -1], [-2, 1]]], "Y": [1], "v": [1, 0], "z": [[1]]})";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Instance instance = read_instance(fuzz::MemoryFile().hold(plane));
  static const std::string hash = canonical_sha256(instance);
  const std::string certificate = fuzz::with_hash(fuzz::text(bytes, size), hash);
  if (fuzz::takes_long(certificate)) return 0;
  const Exit status = fuzz::status_of(instance, certificate);
  const bool judged = !certificate.starts_with("\x1f\x8b");
  if (judged && (status == Exit::verified || status == Exit::vacuous)) fuzz::require_grammar(certificate);
  return 0;
}
