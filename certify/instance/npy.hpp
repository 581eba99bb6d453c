// NumPy's .npy arrays: decoding (any byte order, C or Fortran order) and encoding of binary64 and integer
// arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "certify/instance/raw.hpp"

namespace attest {

// How the entries of a binary array are written: kind 'f', 'b' (fractions; 'b' has 8 bits of exponent), 'i',
// 'u' (integers), of `size` bytes.
struct EntryType {
  char kind = 'f';
  std::size_t size = 8;
  bool big_endian = false;
};

// The array of that shape whose entries are all of `data`, exactly; binary32 and narrower stay binary32.
// Throws InputFailure when shape and data do not agree, before anything is allocated. With an `owner` that
// keeps `data`, entries in the machine's form and in C order stay where they are.
RawArray decode_entries(std::string_view data, const EntryType& type, const std::vector<std::size_t>& shape,
                        bool fortran, const std::string& key, const std::shared_ptr<const void>& owner = {});

// Decodes one .npy file image. float16, float32, float64, signed and unsigned integers of 1 to 8 bytes, and
// (for texts) one unicode or byte string. `key` is named in errors. Throws InputFailure; the data length is
// checked before allocation. `owner`: as above.
RawArray decode_npy(std::string_view bytes, const std::string& key,
                    const std::shared_ptr<const void>& owner = {});

// A version 1.0 .npy image, little endian, C order.
std::string encode_npy(const BinaryArray& values, const std::vector<std::size_t>& shape);
std::string encode_npy(const std::vector<double>& values, const std::vector<std::size_t>& shape);
std::string encode_npy(const std::vector<std::int64_t>& values, const std::vector<std::size_t>& shape);

// A 0-dimensional unicode array holding the ASCII `text`.
std::string encode_npy_text(const std::string& text);

}  // namespace attest
