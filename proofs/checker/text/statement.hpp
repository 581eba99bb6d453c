// What a claim says, in words: from the values that its check has used, printed when the certificate is
// accepted (GRAMMAR.md section 6).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proofs/checker/text/certificate.hpp"

namespace attest_check {

// Where certificates and statements have the same words, one function `words(say, self)` names them and the
// values between them: `say` is a Reader (text/reader.hpp), which takes them from the certificate, or a
// Statement, which writes them. So what is printed cannot differ from what was read.
template <class Value, class Words>
concept HasWords = requires(Words& say, Value& value) {
  Value::words(say, value);
};

class Statement {
 public:
  // Appends words, each after a space: text as it is, indices, constraints as "group token", numbers in
  // canonical form.
  template <class... Values>
  Statement& operator()(const Values&... values) {
    (append(values), ...);
    return *this;
  }
  // The word at a place of a list.
  template <class Words, class Place>
  void one_of(const Words& words, const Place& place) {
    append(std::string_view(words[static_cast<std::size_t>(place)]));
  }
  // The word and what follows it, if there is a value.
  template <class Value>
  void perhaps(std::string_view word, const std::optional<Value>& value) {
    if (value) (*this)(word, *value);
  }
  void positive(const Rational& number) { append(number); }
  const std::string& text() const { return text_; }

 private:
  void append(std::string_view words);
  void append(std::size_t index);
  void append(const Citation& cited) { append(cited.claim); }
  void append(const Rational& number);
  void append(const Constraint& constraint);
  void append(const std::vector<Constraint>& constraints);
  template <class Value>
  void append(const std::optional<Value>& value) {
    value ? append(*value) : append(std::string_view("none"));
  }
  template <class Value>
  requires HasWords<const Value, Statement>
  void append(const Value& value) { Value::words(*this, value); }

  std::string text_;
};

// "sha256 HEX": the hash that stands for a list of numbers or for a vector where writing it out would take
// too long.
std::string hash_words(const std::vector<Rational>& numbers);
std::string hash_words(const ConstraintVector& vector);

}  // namespace attest_check
