// Exact numbers of a dataset, read where they lie: binary arrays in their file; others in a text that is made
// of them (spool.hpp), as m * 2^e or m * 10^e in 16 bytes where m fits a machine word, as every ordinary
// decimal does, or as a fraction. So a short decimal with a large exponent is short there, until its value is
// asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proofs/checker/base/bytes.hpp"
#include "proofs/checker/base/exact.hpp"
#include "proofs/checker/base/spool.hpp"
#include "proofs/checker/base/survey.hpp"

namespace attest_check {

// How an entry of a binary array is written: kind f, b (fractions as IEEE 754 has them; b has 8 bits of
// exponent in 16), i, u (integers), U or S (a text), of `width` bytes; e: those of a NumberWriter.
struct ElementType {
  char kind = 0;
  std::size_t width = 1;
  bool big_endian = false;
};

class NumberArray {
 public:
  NumberArray() = default;
  // The numbers that are all of `bytes`; NaN and infinities are marks, refused where they are used.
  NumberArray(Bytes bytes, const ElementType& type);

  // Rows of `width` numbers of this array, in the order given: parts of equal length of its own rows, if it
  // has some.
  NumberArray rows(std::vector<std::size_t> chosen, std::size_t width) const;

  std::size_t size() const { return rows_.empty() ? raw_.size() / type_.width : rows_.size() * row_width_; }
  // The bytes they lie in.
  const Bytes& bytes() const { return raw_; }

  bool finite(std::size_t index) const { return entry(index).exponent != not_finite; }
  std::optional<std::size_t> first_not_finite() const {
    const std::size_t first = survey().first_not_finite;
    return first == SIZE_MAX ? std::nullopt : std::optional(first);
  }
  // Dyadic with a one-word odd mantissa (or 0 with exponent 0): then parts() are these two.
  bool small(std::size_t index) const { return entry(index).exponent > decimal; }
  std::pair<std::int64_t, std::int32_t> parts(std::size_t index) const {
    const Entry entry = this->entry(index);
    return {entry.mantissa, entry.exponent};
  }
  // The number if it is an integer below 2^62 in magnitude.
  std::optional<long> integer(std::size_t index) const;
  // What is known of all; those in a file are read for it once, by each process its share.
  const Survey& survey() const;
  Rational exact(std::size_t index) const;
  // Appends the canonical form to `text`.
  void append_canonical(std::size_t index, std::string& text) const;

 private:
  friend class NumberWriter;
  static constexpr std::int32_t wide =
      INT32_MIN;  // `tens` bytes of wide_ from there on, or an integer of the file
  static constexpr std::int32_t not_finite = INT32_MIN + 1;
  static constexpr std::int32_t decimal = INT32_MIN + 2;  // mantissa * 10^tens
  struct Entry {
    std::int64_t mantissa;
    std::int32_t exponent;
    std::int32_t tens = 0;
  };
  Entry entry(std::size_t index) const;
  // Where the number stands among all of the bytes.
  std::size_t place(std::size_t index) const {
    return rows_.empty() ? index : rows_[index / row_width_] + index % row_width_;
  }
  // What stands there.
  std::uint64_t bits_of(std::size_t index) const;
  static Entry odd(std::int64_t mantissa, std::int32_t exponent);
  static Entry ieee(std::uint64_t bits, int fraction_bits, int exponent_bits);
  void add_to_survey(const Entry& entry, std::size_t index) const;

  Bytes raw_, wide_;
  ElementType type_;
  std::vector<std::size_t> rows_;  // where in raw_ those begin that are meant; empty: all numbers
  std::size_t row_width_ = 1;
  mutable Survey survey_;
  mutable bool surveyed_ = true;
};

// Makes an array number by number.
class NumberWriter {
 public:
  std::size_t size() const { return made_; }
  // Appends mantissa * 2^exponent; |exponent| is small (callers decode fixed formats).
  void push(std::int64_t mantissa, std::int32_t exponent);
  void push(const Rational& value);
  // Appends mantissa * 10^exponent, exactly.
  void push_decimal(const Integer& mantissa, long exponent);
  // All of them; the writer ends.
  NumberArray numbers();

 private:
  // Appends the value as m * 2^e if m fits a word.
  bool push_small(const Rational& value);
  void append(const NumberArray::Entry& entry);

  Spool entries_{"the numbers"}, wide_{"long numbers"};
  std::size_t made_ = 0;
  NumberArray known_;  // what is known of them
};

// Appends the number written as a JSON number token: an exact decimal within the range of binary64, where it
// must not round to infinity, nor to zero unless it is zero.
void push_json_number(std::string_view token, NumberWriter& numbers);

// Appends the number written in a JSON string: a decimal, "p/q", "m*2^e" or a hex float; anything else is
// malformed.
void push_number_text(std::string_view text, NumberWriter& numbers);

}  // namespace attest_check
