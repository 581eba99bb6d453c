// Columns of text.
#pragma once

#include <cstddef>
#include <string>

namespace attest {

// Filled with spaces up to `width`; longer texts stay as they are.
inline std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

}  // namespace attest
