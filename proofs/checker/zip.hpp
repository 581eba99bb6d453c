// Zip archives (stored and deflated members, zip64), as npz files use them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attest_check {

// All members of the archive as {name, content}, in the order of the central directory. Every size is checked
// against the file's length before anything is allocated, every content against its CRC-32; encrypted, split
// or overlapping members, duplicate names and other compression methods are malformed.
std::vector<std::pair<std::string, std::string>> read_zip(std::string_view file, const std::string& path);

}  // namespace attest_check
