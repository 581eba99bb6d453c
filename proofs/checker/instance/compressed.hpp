// Bytes from files: plain, gzip-compressed (by its magic 1f 8b), and deflated zip members, all with limits
// against decompression bombs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace attest_check {

// How many bytes `compressed` bytes may decompress to before the input is refused with exit 5. Datasets and
// certificates compress by factors of 2 to 20.
constexpr std::size_t decompression_limit(std::size_t compressed) {
  return (1UL << 28) + 64 * compressed;
}

// Up to eight bytes as a number, the first the least significant.
constexpr std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

// Inflates a raw deflate stream that must decompress to exactly `size` bytes and end with the input.
std::string inflate_raw(std::string_view deflated, std::size_t size, const std::string& what);

// A file (exit 2 when it cannot be read) from front to back, decompressed when it is gzip (one member;
// anything after it is malformed).
class ByteSource {
 public:
  explicit ByteSource(const std::string& path);
  // The same of any stream; messages call it `name`.
  ByteSource(std::string name, std::unique_ptr<std::istream> input);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // The next piece of the text, empty at its end. Valid until the next call.
  std::string_view next();
  // All of the text that `next` has not given.
  std::string rest();
  bool compressed() const { return stream_ != nullptr; }

 private:
  bool fill();

  std::string path_;
  std::unique_ptr<std::istream> file_;
  std::string input_, output_;
  std::string_view unread_;
  std::unique_ptr<z_stream_s> stream_;  // null for a plain file
  std::size_t total_in_ = 0, total_out_ = 0;
  bool finished_ = false;
};

}  // namespace attest_check
