// Bytes that are read when they are asked for, and are the same ones each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace attest_check {

// Up to eight bytes as a number, the first the least significant.
constexpr std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

class Blocks;

// A text that is held, or a file, of which some blocks are: or a part of one of these. A block of a file that
// is given up leaves its SHA-256 behind, and must have it when it is read again. So whatever happens to the
// file meanwhile, all that is read of it here and in the copies and parts of this object is one text; else
// the file is refused (exit 2). Copies and parts are for one thread.
class Bytes {
 public:
  Bytes() = default;
  Bytes(std::string text);
  // The file (exit 2 when it cannot be read) in blocks of this size, of which one is held. What is no plain
  // file, a pipe, is copied to a temporary one (spool.hpp).
  static Bytes of_file(const std::string& path, std::size_t block_size = usual_block);
  // A plain file that is open, and is closed with the last of its bytes; messages call it `name`.
  static Bytes of_open_file(int descriptor, const std::string& name, std::size_t block_size = usual_block);
  static constexpr std::size_t usual_block = 1UL << 16;
  // How many bytes are held of all files of an instance: 64 MB, no more than an eighth of the memory limit.
  static std::size_t most_held();
  // Holds more blocks than one while any are left of these, which others may take, too. Whether it does: not
  // when it was told before, or holds all.
  bool hold(const std::shared_ptr<std::size_t>& left) const;

  std::size_t size() const { return size_; }
  // These must lie within.
  Bytes part(std::size_t at, std::size_t count) const;
  // As many of these as there are.
  std::string text(std::size_t at, std::size_t count) const;
  // The bytes from there on that lie in one block, none at the end; until others are asked for.
  std::string_view stretch(std::size_t at) const;
  // At most eight bytes from there on, which must lie within; until others are asked for.
  std::string_view few(std::size_t at, std::size_t count) const {
    const std::size_t place = begin_ + at - block_begin_;
    if (place < block_.size() && count <= block_.size() - place) return block_.substr(place, count);
    return few_of_others(at, count);
  }

 private:
  std::string_view few_of_others(std::size_t at, std::size_t count) const;

  std::shared_ptr<Blocks> blocks_;
  std::size_t begin_ = 0, size_ = 0;
  mutable std::shared_ptr<const std::string> kept_;  // the block that was read last
  mutable std::string_view block_;                   // its text
  mutable std::size_t block_begin_ = 0;
  mutable char apart_[8] = {};  // bytes of two blocks
};

}  // namespace attest_check
