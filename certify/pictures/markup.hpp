// Text and numbers inside markup, SVG and HTML alike.
#pragma once

#include <string>
#include <string_view>

namespace attest {

// The text as content or as the value of an attribute: well-formed XML in UTF-8 whatever its bytes are. Bytes
// that are no UTF-8 and characters that XML has none of become U+FFFD.
std::string escaped(std::string_view text);

// A length or a coordinate, to a hundredth of a pixel.
std::string pixels(double length);

}  // namespace attest
