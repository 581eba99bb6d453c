#include "numerics/numbers/binary_array.hpp"

#include "numerics/numbers/file_pages.hpp"

namespace attest {
namespace {

template <class Number>
BinaryArray keep(std::vector<Number> values) {
  const auto kept = std::make_shared<const std::vector<Number>>(std::move(values));
  const std::string_view bytes(reinterpret_cast<const char*>(kept->data()), kept->size() * sizeof(Number));
  return BinaryArray::in(bytes, BinaryArray::Precision{sizeof(Number)}, kept);
}

}  // namespace

BinaryArray BinaryArray::of(std::vector<float> values) {
  return keep(std::move(values));
}

BinaryArray BinaryArray::of(std::vector<double> values) {
  return keep(std::move(values));
}

BinaryArray BinaryArray::in(std::string_view bytes, Precision precision, std::shared_ptr<const void> owner) {
  BinaryArray array;
  array.precision_ = precision;
  array.size_ = bytes.size() / static_cast<std::size_t>(precision);
  array.numbers_ = bytes.data();
  array.owner_ = std::move(owner);
  return array;
}

BinaryArray BinaryArray::ranges(std::span<const std::pair<std::size_t, std::size_t>> ranges) const {
  const auto width = static_cast<std::size_t>(precision_);
  if (ranges.size() == 1 && lies_in_file(owner_)) {
    const auto [begin, end] = ranges.front();
    return in({numbers_ + begin * width, (end - begin) * width}, precision_, owner_);
  }
  std::size_t count = 0;
  for (const auto& [begin, end] : ranges) count += end - begin;
  const auto kept = std::make_shared<std::vector<char>>(count * width);
  char* to = kept->data();
  PassedNumbers passed(*this);
  for (const auto& [begin, end] : ranges) {
    passed.before(begin);
    if (begin == end) continue;
    std::memcpy(to, numbers_ + begin * width, (end - begin) * width);
    to += (end - begin) * width;
  }
  return in({kept->data(), kept->size()}, precision_, kept);
}

std::vector<double> BinaryArray::doubles() const {
  std::vector<double> values(size_);
  for (std::size_t k = 0; k < size_; ++k) values[k] = (*this)[k];
  return values;
}

void BinaryArray::give_back(std::size_t begin, std::size_t end) const {
  const auto width = static_cast<std::size_t>(precision_);
  if (begin < end) attest::give_back(owner_, numbers_ + begin * width, numbers_ + end * width);
}

bool operator==(const BinaryArray& a, const BinaryArray& b) {
  if (a.size() != b.size()) return false;
  std::size_t k = 0;
  while (k < a.size() && a[k] == b[k]) ++k;
  return k == a.size();
}

}  // namespace attest
