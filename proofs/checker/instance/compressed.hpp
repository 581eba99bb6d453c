// Bytes from files: plain, gzip-compressed (by its magic 1f 8b), and deflated zip members, all with limits
// against decompression bombs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "proofs/checker/base/bytes.hpp"

struct z_stream_s;

namespace attest_check {

// How many bytes `compressed` bytes may decompress to before the input is refused with exit 5. Datasets and
// certificates compress by factors of 2 to 20.
constexpr std::size_t decompression_limit(std::size_t compressed) {
  return (1UL << 28) + 64 * compressed;
}

// Inflates a raw deflate stream that must decompress to exactly `size` bytes and end with the input.
Bytes inflate_raw(const Bytes& deflated, std::size_t size, const std::string& what);

// Bytes from front to back, decompressed when they are gzip (one member; anything after it is malformed).
class ByteSource {
 public:
  enum class Format { plain_or_gzip, raw_deflate };
  // Messages call them `name`.
  ByteSource(std::string name, Bytes bytes, Format format = Format::plain_or_gzip);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // The next piece of the text, empty at its end. Valid until the next call.
  std::string_view next();
  bool compressed() const { return stream_ != nullptr; }

 private:
  bool fill();

  std::string name_;
  Bytes bytes_;
  std::string output_;
  std::string_view unread_;
  std::unique_ptr<z_stream_s> stream_;  // null for a plain file
  std::size_t total_in_ = 0, total_out_ = 0;
  bool finished_ = false;
};

}  // namespace attest_check
