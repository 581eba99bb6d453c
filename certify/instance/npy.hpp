// NumPy's .npy arrays: decoding (any byte order, C or Fortran order) and encoding of binary64 and integer
// arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "certify/instance/raw.hpp"

namespace attest {

// Decodes one .npy file image. float32, float64, signed and unsigned integers of 1 to 8 bytes, and (for
// texts) one unicode or byte string. `key` is named in errors. Throws InputFailure; the data length is
// checked before allocation.
RawArray decode_npy(std::string_view bytes, const std::string& key);

// A version 1.0 .npy image, little endian, C order.
std::string encode_npy(const std::vector<double>& values, const std::vector<std::size_t>& shape);
std::string encode_npy(const std::vector<std::int64_t>& values, const std::vector<std::size_t>& shape);

// A 0-dimensional unicode array holding the ASCII `text`.
std::string encode_npy_text(const std::string& text);

}  // namespace attest
