// What a claim says, in words: written by the check that has proved it, from the values it has checked, and
// printed when the certificate is accepted (GRAMMAR.md section 6).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proofs/checker/problem/vectors.hpp"

namespace attest_check {

class Statement {
 public:
  // Appends words, each after a space: text as it is, indices, constraints as "group token", numbers in
  // canonical form.
  template <class... Values>
  Statement& says(const Values&... values) {
    (append(values), ...);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  void append(std::string_view words);
  void append(std::size_t index);
  void append(const Rational& number);
  void append(const Constraint& constraint);
  void append(const std::vector<Constraint>& constraints);

  std::string text_;
};

// "sha256 HEX": the hash that stands for a list of numbers or for a vector where writing it out would take
// too long.
std::string hash_words(const std::vector<Rational>& numbers);
std::string hash_words(const ConstraintVector& vector);

}  // namespace attest_check
