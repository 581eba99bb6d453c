// Zip archives as numpy writes them: stored and deflated members, zip64.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "certify/process/file_bytes.hpp"

namespace attest {

struct ZipMember {
  std::string name;
  std::string_view data;     // as stored in the archive
  std::size_t expanded = 0;  // size after expansion
  unsigned long crc = 0;
  bool deflated = false;
};

// The members of an archive image, in order. Throws InputFailure, naming the byte, for an archive that could
// be read in another way (certify/INSTANCES.md, "One file, one dataset"), an encrypted or otherwise
// unsupported one, and sizes beyond `limits`.
std::vector<ZipMember> read_zip_directory(std::string_view archive, const ReadLimits& limits);

// Verifies the checksum of a stored (not deflated) member. Errors name `key`.
void check_stored(const ZipMember& member, const std::string& key);

// The bytes of a deflated member, checksum verified. Errors name `key`.
std::string expand(const ZipMember& member, const std::string& key);

// A deterministic archive (dates of 1980) of deflated members {name, bytes}.
std::string make_zip(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace attest
