// The exact scores of a dataset's tokens, compactly: there are as many as tokens, and a rational takes 96
// bytes and more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "numerics/numbers/rational.hpp"
#include "numerics/problem/row_products.hpp"

namespace attest {

// A list of rationals, read by value. A dyadic number with an odd part below 2^192, as products of binary64
// rows with a decoder nearly always are, takes 32 bytes; any other is kept as a rational. Of many products
// none is kept: each is computed when it is asked for.
class Scores {
 public:
  Scores() = default;
  // The products with their signs, `negated` of them turned.
  Scores(RowProducts products, std::vector<bool> negated);

  std::size_t size() const { return computed_ ? computed_->products.rows() : entries_.size(); }
  bool empty() const { return size() == 0; }
  // How many are held.
  std::size_t kept() const { return entries_.size(); }
  // What they are computed from when they are asked for; null when they are kept.
  const BinaryArray* source() const { return computed_ ? &computed_->products.matrix() : nullptr; }
  void clear() { *this = Scores(); }
  void reserve(std::size_t count) { entries_.reserve(count); }
  void assign(std::size_t count, const Rational& value);
  void push_back(const Rational& value);
  void set(std::size_t index, const Rational& value);
  Rational operator[](std::size_t index) const;
  // The sign of entry a minus entry b, exactly. Faster than by their values.
  int compare(std::size_t a, std::size_t b) const;
  bool equal(std::size_t a, std::size_t b) const { return compare(a, b) == 0; }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Rational;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Rational;
    Iterator(const Scores* scores, std::size_t index) : scores_(scores), index_(index) {}
    Rational operator*() const { return (*scores_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {scores_, index_++}; }
    Iterator operator+(std::ptrdiff_t by) const { return {scores_, index_ + static_cast<std::size_t>(by)}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Scores* scores_;
    std::size_t index_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  friend bool operator==(const Scores& a, const Scores& b);

 private:
  // sign * magnitude * 2^exponent with an odd magnitude, least word first; zero has sign 0 and nothing else.
  // A rational has sign `kept_apart`, and magnitude[0] is its place in others_.
  struct Entry {
    std::array<std::uint64_t, 3> magnitude{};
    std::int32_t exponent = 0, sign = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  static constexpr std::int32_t kept_apart = 2;
  Entry entry_of(const Rational& value);
  struct Computed {
    RowProducts products;
    std::vector<bool> negated;
  };
  void keep_all();

  std::shared_ptr<const Computed> computed_;  // given: entries_ is empty
  std::vector<Entry> entries_;
  std::vector<Rational> others_;
};

}  // namespace attest
