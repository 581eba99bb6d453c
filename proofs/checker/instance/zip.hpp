// Zip archives (stored and deflated members, zip64), as npz files use them.
#pragma once

#include <functional>
#include <string>

#include "proofs/checker/base/bytes.hpp"

namespace attest_check {

// The content of every member of the archive by its name. An archive has one reading (certify/INSTANCES.md,
// "One file, one dataset"): members from the first byte on, one after the other, their directory, one end
// record without a comment; whatever the headers say twice, they say equally. Anything else is malformed, and
// so are contents that fail their CRC-32; messages name the byte. Every size is checked against the file's
// length before anything is allocated.
using UseMember = std::function<void(const std::string& name, const Bytes& content)>;
void read_zip(const Bytes& file, const std::string& path, const UseMember& use);

}  // namespace attest_check
