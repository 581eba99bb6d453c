// Zip archives (stored and deflated members, zip64), as npz files use them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace attest_check {

// The content of every member of the archive by its name. Every size is checked
// against the file's length before anything is allocated, every content against its CRC-32; encrypted, split
// or overlapping members, duplicate names and other compression methods are malformed.
std::map<std::string, std::string> read_zip(std::string_view file, const std::string& path);

}  // namespace attest_check
