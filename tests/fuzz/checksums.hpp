// Checksums made right again after a change of the bytes, so that changes get past them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuzz {

// In a zip archive: the checksums, and the expanded sizes where they have 32 bits, of all members that can be
// found; in a gzip file without optional fields: its checksum and length. Anything else stays as it is.
void repair_checksums(std::uint8_t* bytes, std::size_t size);

}  // namespace fuzz
