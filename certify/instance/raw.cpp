#include "certify/instance/raw.hpp"

#include <algorithm>

namespace attest {

std::string RawArray::index(std::size_t flat) const {
  if (shape.empty()) return {};
  std::vector<std::size_t> position(shape.size());
  if (lengths && shape.size() == 3) {
    const std::size_t width = std::max<std::size_t>(shape[2], 1);
    std::size_t row = flat / width, sequence = 0;
    while (sequence < lengths->size() && row >= (*lengths)[sequence]) row -= (*lengths)[sequence++];
    position = {sequence, row, flat % width};
  } else {
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const std::size_t extent = std::max<std::size_t>(shape[axis], 1);
      position[axis] = flat % extent;
      flat /= extent;
    }
  }
  std::string out = "[";
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    if (axis > 0) out.push_back(',');
    out += std::to_string(position[axis]);
  }
  return out + "]";
}

bool is_instance_key(const std::string& key) {
  return std::any_of(std::begin(instance_keys), std::end(instance_keys),
                     [&](const char* known) { return key == known; });
}

std::string known_keys() {
  std::string text = "known:";
  for (const char* key : instance_keys) text += std::string(text.ends_with(':') ? " " : ", ") + key;
  return text;
}

}  // namespace attest
