// Text for a JSON parser that does not say where it is: what it has read is counted.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

namespace attest {

class CountedText {
 public:
  explicit CountedText(std::string_view text) : text_(text) {}

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Iterator(const char* at, std::size_t* read) : at_(at), read_(read) {}
    const char& operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      ++*read_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const char* at_;
    std::size_t* read_;
  };

  Iterator begin() { return {text_.data(), &read_}; }
  Iterator end() { return {text_.data() + text_.size(), &read_}; }
  // How many bytes were read: of a key that was just read, those to its closing quote.
  std::size_t read() const { return read_; }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  std::size_t read_ = 0;
};

}  // namespace attest
