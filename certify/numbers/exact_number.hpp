// Reads and writes one number exactly: decimals, fractions, dyadics m*2^e and hexadecimal floats.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "numerics/numbers/exact_array.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// Limits checked before anything is allocated, since GMP aborts when it runs out of memory.
inline constexpr long largest_exponent = 65536;               // of 2, 10 or 16 in the text of a number
inline constexpr std::size_t largest_number_bits = 1u << 24;  // of a numerator or denominator

// A number read exactly: a double when the value is a binary64 number that was found cheaply, otherwise a
// rational; or the reason why the text is not a number (a clause for an error line).
using ParsedNumber = std::variant<double, Rational, std::string>;

// Accepts [+-] followed by a decimal "12", "0.5", ".5", "1e-3", a fraction "p/q" (q > 0), a dyadic "m*2^e",
// or a hexadecimal float "0x1.8p-3". Nothing else: no spaces, NaN or infinity. The value is exact.
ParsedNumber parse_number(std::string_view text);

// Appends the canonical form (proofs/statements/GRAMMAR.md section 5): integer, m*2^e with m odd, or p/q in
// lowest terms.
void append_canonical(std::string& out, double value);
void append_canonical(std::string& out, const Rational& value);

// Appends the decimal digits of an integer.
void append_integer(std::string& out, const Integer& value);

// A list of numbers that stays in binary floating point while every entry is a binary64 number. Numbers that
// are not finite are kept: the padding of a ragged array may hold them, and who uses an entry must reject it.
class NumberList {
 public:
  void push(double value);
  void push(Rational value);
  void reserve(std::size_t count) { doubles_.reserve(count); }

  std::size_t size() const {
    return given_ ? given_->size() : all_doubles_ ? doubles_.size() : rationals_.size();
  }
  bool finite(std::size_t index) const;
  // The first of the entries [begin, end) that is not finite, else `end`.
  std::size_t first_not_finite(std::size_t begin, std::size_t end) const;
  Rational exact(std::size_t index) const;  // the entry must be finite
  // The entries while every one is a binary64 number or not finite, else nothing.
  std::optional<std::vector<double>> doubles() const;

  // The listed entries must be finite. Takes rows [first, first + count) when not everything is wanted.
  ExactArray take() &&;
  void keep_ranges(
      const std::vector<std::pair<std::size_t, std::size_t>>& ranges);  // [begin, end) of entries

  // Numbers as they lie; none are pushed to them.
  static NumberList of(BinaryArray values);

 private:
  std::optional<BinaryArray> given_;
  bool all_doubles_ = true;
  std::vector<double> doubles_;
  std::vector<Rational> rationals_;
};

}  // namespace attest
