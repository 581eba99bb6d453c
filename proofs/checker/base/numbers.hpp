// Exact numbers of a dataset, stored compactly: binary32 and binary64 numbers as they stand in a file whose
// bytes are kept; else what is a binary64 below 2^972 in 8 bytes, whatever format it came in; m * 2^e or m *
// 10^e in 16 bytes more where m fits a machine word, as every ordinary decimal does; anything else as a
// rational. So a short decimal with a large exponent is short in memory too, until its value is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proofs/checker/base/exact.hpp"

namespace attest_check {

// The bytes of a file, or a part that was decompressed, kept by all that points into them.
using Bytes = std::shared_ptr<const std::string>;

class NumberArray {
 public:
  NumberArray() = default;
  // The IEEE numbers of 4 or 8 bytes each, least byte first, that are all of `bytes`, a part of `owner`.
  // Nothing is appended to it.
  NumberArray(std::string_view bytes, std::size_t width, Bytes owner)
      : raw_(bytes), width_(width), owner_(std::move(owner)) {}

  std::size_t size() const { return words_.size() + raw_.size() / width_; }
  void reserve(std::size_t count) { words_.reserve(count); }

  // Appends mantissa * 2^exponent; |exponent| is small (callers decode fixed formats).
  void push(std::int64_t mantissa, std::int32_t exponent);
  void push(const Rational& value);
  // Appends mantissa * 10^exponent, exactly.
  void push_decimal(const Integer& mantissa, long exponent);
  // Appends the exact value of an IEEE bit pattern (binary64: 52 and 11 bits, binary32: 23 and 8); NaN and
  // infinities are kept as marks, refused where they are used.
  void push_ieee(std::uint64_t bits, int fraction_bits, int exponent_bits);
  // Appends entry `index` of another array.
  void push_from(const NumberArray& other, std::size_t index);

  bool finite(std::size_t index) const { return entry(index).exponent != not_finite; }
  // Dyadic with a one-word odd mantissa (or 0 with exponent 0): mantissa(), exponent() are its parts.
  bool small(std::size_t index) const { return entry(index).exponent > decimal; }
  std::int64_t mantissa(std::size_t index) const { return entry(index).mantissa; }
  std::int32_t exponent(std::size_t index) const { return entry(index).exponent; }
  Rational exact(std::size_t index) const;
  // Appends the canonical form to `text`.
  void append_canonical(std::size_t index, std::string& text) const;

 private:
  // Appends the value as m * 2^e if m fits a word.
  bool push_small(const Rational& value);
  static constexpr std::int32_t wide = INT32_MIN;  // mantissa is an index into wide_
  static constexpr std::int32_t not_finite = INT32_MIN + 1;
  static constexpr std::int32_t decimal = INT32_MIN + 2;  // mantissa * 10^tens
  struct Entry {
    std::int64_t mantissa;
    std::int32_t exponent;
    std::int32_t tens = 0;
  };
  Entry entry(std::size_t index) const;
  void append(const Entry& entry);
  static Entry odd(std::int64_t mantissa, std::int32_t exponent);
  static Entry ieee(std::uint64_t bits, int fraction_bits, int exponent_bits);

  std::vector<std::int64_t> words_;
  std::vector<Entry> others_;
  std::vector<Rational> wide_;
  std::string_view raw_;
  std::size_t width_ = 8;
  Bytes owner_;
};

// Appends the number written as a JSON number token: an exact decimal within the range of binary64, where it
// must not round to infinity, nor to zero unless it is zero.
void push_json_number(std::string_view token, NumberArray& numbers);

// Appends the number written in a JSON string: a decimal, "p/q", "m*2^e" or a hex float; anything else is
// malformed.
void push_number_text(std::string_view text, NumberArray& numbers);

}  // namespace attest_check
