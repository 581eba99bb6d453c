// Files of the safetensors format, which PyTorch's and JAX's users write.
#pragma once

#include <string>
#include <string_view>

#include "proofs/checker/instance/json.hpp"

namespace attest_check {

// Whether the file is one of these rather than a text: no text has a zero byte, no header 2^56 bytes.
inline bool begins_safetensors(std::string_view file) {
  return file.size() > 8 && file[7] == 0;
}

// Calls use(name, array) for every tensor: F16, BF16, F32, F64, I8 to I64 and U8 to U64 of at most three
// dimensions. The file has one reading (certify/INSTANCES.md, "One file, one dataset"); anything else is
// malformed.
void read_safetensors(const Bytes& file, const std::string& path, const UseArray& use);

}  // namespace attest_check
