// Files of the safetensors format, which users of PyTorch and JAX write.
#pragma once

#include <memory>
#include <string_view>

#include "certify/instance/raw.hpp"

namespace attest {

// Whether the bytes are such a file rather than a text: no text has a zero byte, no header 2^56 bytes.
inline bool begins_safetensors(std::string_view bytes) {
  return bytes.size() > 8 && bytes[7] == 0;
}

// Which names tensors may have: those of an instance, or any, as in the file of a trained model.
enum class TensorNames { of_instances, any };

// Reads F16, BF16, F32, F64, I8 to I64 and U8 to U64 tensors, each exactly. The file
// has one reading (certify/INSTANCES.md, "One file, one dataset"); InputFailure names key or byte otherwise.
// `owner`: as in decode_npy().
RawInstance read_safetensors(std::string_view bytes, const std::shared_ptr<const void>& owner = {},
                             TensorNames names = TensorNames::of_instances);

}  // namespace attest
