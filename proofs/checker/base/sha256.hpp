// SHA-256 (FIPS 180-4), streamed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attest_check {

class Sha256 {
 public:
  // Appends bytes to the message.
  void update(std::string_view bytes);
  // Ends the message: 64 lower-case hexadecimal digits. Call once.
  std::string digest();

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t length_ = 0;  // bytes
};

}  // namespace attest_check
