// SHA-256 of bytes in memory, as sha256sum prints it.
#pragma once

#include <string>
#include <string_view>

namespace attest {

// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace attest
