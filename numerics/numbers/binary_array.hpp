// Binary floating-point numbers of one precision, where they lie.
//
// The numbers of a dataset are most of what a computation holds, so they are kept once and in the precision
// they came in: in memory of their own, or in bytes that somebody else keeps, such as a mapped file. Copies
// of an array share its numbers, which nobody changes.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace attest {

class BinaryArray {
 public:
  enum class Precision : std::size_t { binary32 = sizeof(float), binary64 = sizeof(double) };

  BinaryArray() = default;
  static BinaryArray of(std::vector<float> values);
  static BinaryArray of(std::vector<double> values);
  // All of `bytes`, in the machine's byte order and at any alignment, which `owner` keeps.
  static BinaryArray in(std::string_view bytes, Precision precision, std::shared_ptr<const void> owner);

  std::size_t size() const { return size_; }
  Precision precision() const { return precision_; }
  // What the numbers occupy.
  std::size_t bytes() const { return size_ * static_cast<std::size_t>(precision_); }

  // Entry `index`, exactly; a zero without its sign.
  double operator[](std::size_t index) const {
    double value = 0;
    if (precision_ == Precision::binary32) {
      float narrow = 0;
      std::memcpy(&narrow, numbers_ + index * sizeof narrow, sizeof narrow);
      value = narrow;
    } else {
      std::memcpy(&value, numbers_ + index * sizeof value, sizeof value);
    }
    return value == 0 ? 0 : value;
  }

  // The entries [begin, end) of each range, one after the other, in memory of their own; one range of a file
  // that is mapped stays there.
  BinaryArray ranges(std::span<const std::pair<std::size_t, std::size_t>> ranges) const;

  std::vector<double> doubles() const;

  // Numbers [begin, end) are not needed soon: where they are a file's, they leave the process's memory.
  void give_back(std::size_t begin, std::size_t end) const;

  // The same numbers, whatever their precision.
  friend bool operator==(const BinaryArray& a, const BinaryArray& b);

 private:
  Precision precision_ = Precision::binary64;
  std::size_t size_ = 0;
  const char* numbers_ = nullptr;
  std::shared_ptr<const void> owner_;
};

// One look at all numbers of an array, in their order: of a file the process holds a few megabytes meanwhile,
// not all of it.
class PassedNumbers {
 public:
  explicit PassedNumbers(const BinaryArray& numbers, std::size_t first = 0)
      : numbers_(numbers), given_(first), passed_(first) {}
  ~PassedNumbers() { numbers_.give_back(given_, passed_); }
  PassedNumbers(const PassedNumbers&) = delete;
  PassedNumbers& operator=(const PassedNumbers&) = delete;

  // What comes before this number has been looked at.
  void before(std::size_t index) {
    passed_ = index;
    if (passed_ < given_ + at_once) return;
    numbers_.give_back(given_, passed_);
    given_ = passed_;
  }

 private:
  static constexpr std::size_t at_once = std::size_t{1} << 19;  // 4 MB of doubles
  const BinaryArray numbers_;
  std::size_t given_, passed_;
};

}  // namespace attest
