// Checksums made right again: see checksums.hpp.
#include "tests/fuzz/checksums.hpp"

#include <zlib.h>

#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace fuzz {
namespace {

constexpr std::uint64_t most_expanded = 1UL << 22;

class Bytes {
 public:
  Bytes(std::uint8_t* bytes, std::size_t size) : bytes_(bytes), size_(size) {}

  std::size_t size() const { return size_; }
  bool holds(std::uint64_t at, std::uint64_t count) const { return at <= size_ && count <= size_ - at; }
  bool starts(std::uint64_t at, std::string_view magic) const {
    return holds(at, magic.size()) && std::memcmp(bytes_ + at, magic.data(), magic.size()) == 0;
  }
  std::uint8_t* at(std::uint64_t offset) { return bytes_ + offset; }
  std::uint64_t number(std::uint64_t at, unsigned count) const {
    std::uint64_t value = 0;
    for (unsigned k = count; k-- > 0;) value = value << 8 | bytes_[at + k];
    return value;
  }
  void put(std::uint64_t at, std::uint64_t value) {
    for (unsigned k = 0; k < 4; ++k) bytes_[at + k] = static_cast<std::uint8_t>(value >> 8 * k);
  }

 private:
  std::uint8_t* bytes_;
  std::size_t size_;
};

struct Content {
  std::uint64_t checksum = 0, size = 0, consumed = 0;
};

// What a raw deflate stream holds, if it ends.
std::optional<Content> inflated(const std::uint8_t* bytes, std::size_t size) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  stream.next_in = const_cast<Bytef*>(bytes);
  stream.avail_in = static_cast<uInt>(size);
  Content content;
  Bytef output[1 << 14];
  int state = Z_OK;
  while (state == Z_OK && content.size < most_expanded) {
    stream.next_out = output;
    stream.avail_out = sizeof output;
    state = inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = sizeof output - stream.avail_out;
    content.checksum = crc32_z(content.checksum, output, made);
    content.size += made;
  }
  content.consumed = size - stream.avail_in;
  inflateEnd(&stream);
  if (state != Z_STREAM_END) return std::nullopt;
  return content;
}

// The member whose entry of the central directory starts at `entry`.
void repair_member(Bytes& file, std::uint64_t entry) {
  const std::uint64_t method = file.number(entry + 10, 2), compressed = file.number(entry + 20, 4);
  const std::uint64_t local = file.number(entry + 42, 4);
  if (!file.holds(local, 30) || !file.starts(local, "PK\3\4")) return;
  const std::uint64_t start = local + 30 + file.number(local + 26, 2) + file.number(local + 28, 2);
  if (!file.holds(start, compressed)) return;
  std::optional<Content> content;
  if (method == 8) content = inflated(file.at(start), compressed);
  if (method == 0) content = Content{crc32_z(0, file.at(start), compressed), compressed, compressed};
  if (!content) return;
  for (const std::uint64_t checksum : {entry + 16, local + 14}) {
    file.put(checksum, content->checksum);
    if (file.number(checksum + 8, 4) != UINT32_MAX) file.put(checksum + 8, content->size);
  }
}

}  // namespace

void repair_checksums(std::uint8_t* bytes, std::size_t size) {
  Bytes file(bytes, size);
  if (file.starts(0, "PK")) {
    for (std::size_t at = 0; file.holds(at, 46); ++at) {
      if (file.starts(at, "PK\1\2")) repair_member(file, at);
    }
  } else if (file.holds(0, 18) && file.starts(0, "\x1f\x8b\x08") && bytes[3] == 0) {
    const std::optional<Content> content = inflated(file.at(10), size - 10);
    if (!content || !file.holds(10 + content->consumed, 8)) return;
    file.put(10 + content->consumed, content->checksum);
    file.put(14 + content->consumed, content->size);
  }
}

}  // namespace fuzz
