#include "certify/instance/named_arrays.hpp"

#include <algorithm>
#include <utility>

#include "certify/process/input_error.hpp"

namespace attest {
namespace {

void require_finite(const RawArray& array, const std::string& key, std::size_t begin, std::size_t end) {
  const std::size_t k = array.values.first_not_finite(begin, end);
  if (k < end) fail_input("not a finite number", key, array.index(k));
}

}  // namespace

std::string shape_text(const RawArray& array) {
  if (array.text) return "a string";
  if (array.lengths) return "a ragged list";
  std::string text = "shape (";
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(array.shape[axis]);
  }
  return text + (array.shape.size() == 1 ? ",)" : ")");
}

void fail_shape(const std::string& key, const RawArray& array, const std::string& expected) {
  fail_input("expected " + expected + ", found " + shape_text(array), key);
}

std::string sequence_index(std::size_t i) {
  std::string text = "[";
  text += std::to_string(i);
  return text += "]";
}

long integer(const RawArray& array, const std::string& key, std::size_t flat, long least, const char* what) {
  if (array.values.finite(flat)) {
    const Rational value = array.values.exact(flat);
    if (denominator(value) == 1 && value >= least && value < Rational(Integer(1) << 62)) {
      return numerator(value).convert_to<long>();
    }
  }
  fail_input(std::string("expected ") + what, key, array.index(flat));
}

std::size_t natural(const RawArray& array, const std::string& key, std::size_t flat, const char* what) {
  return static_cast<std::size_t>(integer(array, key, flat, 0, what));
}

ExactArray take_finite(RawArray& array, const std::string& key) {
  require_finite(array, key, 0, array.values.size());
  return std::move(array.values).take();
}

void NamedArrays::check_keys() const {
  for (const auto& [key, array] : raw_) {
    if (!is_instance_key(key)) fail_input("unknown key (" + known_keys() + ")", key);
    if (array.text && key != "query" && key != "head" && key != "setting")
      fail_shape(key, array, "an array of numbers");
  }
}

std::string NamedArrays::word(const std::string& key) const {
  return has(key) ? raw_.at(key).text.value_or("") : "";
}

RawArray& NamedArrays::require(const std::string& key) {
  const auto found = raw_.find(key);
  if (found == raw_.end()) fail_input("missing", key);
  // The product of two sizes (rows, columns, sequences, tokens) is then less than 2^62.
  if (found->second.values.size() >> 31 != 0) fail_resource("has 2^31 numbers or more", key);
  return found->second;
}

RawArray& NamedArrays::require_list(const std::string& key) {
  RawArray& array = require(key);
  if (array.shape.size() == 2 && array.shape[1] == 1 && !array.lengths) array.shape.pop_back();
  return array;
}

ExactArray NamedArrays::take_tokens(const std::string& key, std::size_t& dimension) {
  RawArray& array = require(key);
  const std::size_t rows = instance_.first_row.back();
  if (array.lengths) {
    if (array.lengths->size() != n()) fail_shape(key, array, std::to_string(n()) + " sequences");
    for (std::size_t i = 0; i < n(); ++i) {
      if ((*array.lengths)[i] != instance_.tokens(i)) {
        fail_input("sequence has " + std::to_string((*array.lengths)[i]) + " tokens, expected " +
                       std::to_string(instance_.tokens(i)),
                   key, sequence_index(i));
      }
    }
    dimension = array.shape[2];
  } else if (array.shape.size() == 3) {
    drop_padding(key, array);
    dimension = array.shape[2];
  } else if (array.shape.size() == 2 && has("lengths")) {
    if (array.shape[0] != rows) {
      fail_input(
          "has " + std::to_string(array.shape[0]) + " rows, but lengths add up to " + std::to_string(rows),
          key);
    }
    dimension = array.shape[1];
  } else {
    fail_shape(key, array, "3 dimensions (n, T, d)");
  }
  if (dimension == 0) fail_shape(key, array, "tokens of at least one number");
  return take_finite(array, key);
}

void NamedArrays::drop_padding(const std::string& key, RawArray& array) {
  if (array.shape[0] != n()) {
    fail_input("has " + std::to_string(array.shape[0]) + " sequences, expected " + std::to_string(n()), key);
  }
  const std::size_t width = array.shape[1], dimension = array.shape[2];
  const auto full = [&](std::size_t i) { return instance_.tokens(i) == width; };
  std::size_t first = 0;
  while (first < n() && full(first)) ++first;
  if (first == n()) return;  // all numbers are looked at below
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t i = 0; i < n(); ++i) {
    const std::size_t tokens = instance_.tokens(i);
    if (tokens > width || (tokens < width && !has("lengths"))) {
      fail_input(
          "sequence has " + std::to_string(tokens) + " tokens, but the array holds " + std::to_string(width),
          key, sequence_index(i));
    }
    const std::size_t begin = i * width * dimension;
    require_finite(array, key, begin, begin + tokens * dimension);
    ranges.emplace_back(begin, begin + tokens * dimension);
  }
  array.values.keep_ranges(ranges);
}

ExactArray NamedArrays::take_token_numbers(const std::string& key) {
  RawArray& numbers = require(key);
  const RawArray given{numbers.shape, numbers.lengths, {}, {}};
  const bool list = given.shape.size() == 1 && has("lengths");
  if (list || given.shape.size() == 2) numbers.shape.push_back(1);
  if (numbers.shape.size() < 2 || numbers.shape.back() != 1) {
    fail_shape(key, given, "one number per token (n, T)");
  }
  std::size_t width = 1;
  return take_tokens(key, width);
}

Selection NamedArrays::token_choice(const std::string& key) {
  const RawArray& chosen = require_list(key);
  if (chosen.lengths || chosen.shape != std::vector<std::size_t>{n()}) {
    fail_shape(key, chosen, std::to_string(n()) + " token indices");
  }
  Selection selection;
  for (std::size_t i = 0; i < n(); ++i) selection.push_back(token_of(chosen, key, i, i));
  return selection;
}

bool NamedArrays::has_lists(const std::string& key) {
  const std::vector<std::size_t>& shape = require(key).shape;
  return shape.size() == 3 || (shape.size() == 2 && shape[1] != 1);
}

SelectedSets NamedArrays::token_lists(const std::string& key) {
  const RawArray& lists = require(key);
  if (lists.shape[0] != n() || (lists.shape.size() == 3 && lists.shape[2] != 1))
    fail_shape(key, lists, std::to_string(n()) + " lists of token indices");
  SelectedSets sets(n());
  for (std::size_t i = 0, at = 0; i < n(); ++i) {
    std::size_t left = lists.lengths ? (*lists.lengths)[i] : lists.shape[1];
    if (left == 0) fail_input("expected a list of one token at least", key, sequence_index(i));
    for (; left > 0; --left) sets[i].push_back(token_of(lists, key, at++, i));
  }
  return sets;
}

// Entry `at` as a token of sequence i.
std::size_t NamedArrays::token_of(const RawArray& array, const std::string& key, std::size_t at,
                                  std::size_t i) const {
  const std::size_t token = natural(array, key, at, "a token index");
  if (token >= instance_.tokens(i)) {
    fail_input("token " + std::to_string(token) + " chosen, but the sequence has " +
                   std::to_string(instance_.tokens(i)) + " tokens",
               key, array.index(at));
  }
  return token;
}

}  // namespace attest
