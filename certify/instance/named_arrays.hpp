// The arrays of one instance file, taken by name and checked against its sequences.
#pragma once

#include "certify/instance/instance.hpp"
#include "certify/instance/raw.hpp"

namespace attest {

// Refuses an array whose shape is not as `expected` in words.
[[noreturn]] void fail_shape(const std::string& key, const RawArray& array, const std::string& expected);
// "shape (2, 3)", "a ragged list" or "a string".
std::string shape_text(const RawArray& array);

// Entry `flat` as an integer of at least `least`; `what` says what is expected there.
long integer(const RawArray& array, const std::string& key, std::size_t flat, long least, const char* what);
std::size_t natural(const RawArray& array, const std::string& key, std::size_t flat, const char* what);

// "[i]", of a sequence.
std::string sequence_index(std::size_t i);

// All numbers of an array, which are to be finite.
ExactArray take_finite(RawArray& array, const std::string& key);

// Failures name key and index (InputFailure). What is taken has left its array.
class NamedArrays {
 public:
  // The lengths of sequences are those of `instance`, as far as they are known when something is taken.
  NamedArrays(RawInstance raw, const Instance& instance) : raw_(std::move(raw)), instance_(instance) {}

  // Refuses keys that no instance has, and text where numbers are expected.
  void check_keys() const;

  bool has(const std::string& key) const { return raw_.count(key) != 0; }
  // The text under a key; empty where there is none.
  std::string word(const std::string& key) const;
  void replace(const std::string& key, RawArray array) { raw_[key] = std::move(array); }

  RawArray& require(const std::string& key);
  // The same, where a list is expected: a column of one is read as one.
  RawArray& require_list(const std::string& key);

  // X or K: one row of `dimension` numbers per token; padding is dropped before finiteness is looked at.
  ExactArray take_tokens(const std::string& key, std::size_t& dimension);
  // One row of one number per token: (n, T), (n, T, 1), a ragged list, or with `lengths` one list.
  ExactArray take_token_numbers(const std::string& key);
  // One token index per sequence.
  Selection token_choice(const std::string& key);
  // Are these lists of tokens, instead of a token of each sequence? A column is no table.
  bool has_lists(const std::string& key);
  SelectedSets token_lists(const std::string& key);

 private:
  std::size_t n() const { return instance_.sequences(); }
  void drop_padding(const std::string& key, RawArray& array);
  std::size_t token_of(const RawArray& array, const std::string& key, std::size_t at, std::size_t i) const;

  RawInstance raw_;
  const Instance& instance_;
};

}  // namespace attest
