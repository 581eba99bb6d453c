// Reads the evidence of one claim: the rest of its first line ("claim N kind problem P" has been taken) and
// the lines that follow.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proofs/checker/text/context.hpp"

namespace attest_check {

class Reader {
 public:
  // Of the claim that comes next in `read`, which is about `problem`.
  Reader(CertificateText& text, Line& first, Certificate& read, const Problem& about)
      : problem(about), text_(text), line_(first), read_(read) {}

  const Problem& problem;
  const Features& features() const { return *problem.features; }

  // Takes what comes next: words as they are, values into the arguments.
  template <class... Values>
  void operator()(Values&&... values) {
    (take(values), ...);
  }
  // One of the words, by its place: the last unless another one comes next.
  template <class Words, class Place>
  void one_of(const Words& words, Place& place) {
    std::size_t k = 0;
    while (k + 1 < std::size(words) && !line_.accept(words[k])) ++k;
    if (k + 1 == std::size(words)) line_.expect(words[k]);
    place = static_cast<Place>(k);
  }
  // The value after the word, if the word comes next.
  template <class Value>
  void perhaps(std::string_view word, std::optional<Value>& value) {
    if (accept(word)) take(value.emplace());
  }
  // One of the words, by its place; `what` they are is said of any other word.
  template <class Words, class Place>
  void named(const Words& words, Place& place, const std::string& what) {
    const std::string word = line_.word();
    const auto found = std::find(std::begin(words), std::end(words), word);
    if (found == std::end(words)) bad("unknown " + what + " " + word);
    place = static_cast<Place>(found - std::begin(words));
  }
  // A number, malformed unless it is positive.
  void positive(Rational& number);
  bool accept(std::string_view word) { return line_.accept(word); }
  Integer denominator() { return line_.denominator(); }

  // Ends the line, after which nothing may follow on it.
  void end() const { line_.finish(); }
  // Ends the line and goes to the next one.
  void next();
  // The same, and takes what it begins with.
  template <class... Values>
  void next(Values&&... values) {
    next();
    (*this)(values...);
  }
  // "word count" on a line of its own.
  std::size_t count(std::string_view word);
  ConstraintVector vector(std::string_view name);
  // The same on the line that has been begun.
  ConstraintVector rest_of_vector(std::string_view name) { return text_.vector(line_, problem, name); }
  // `count` of them, one a line.
  std::vector<Constraint> constraints(std::size_t count);

  const Line& line() const { return line_; }
  [[noreturn]] void bad(const std::string& why) const { line_.bad(why); }

  // A run claim, to be told what is asked of it.
  ClaimHeader& asked(const Citation& run) { return read_.claims[run.claim - 1]; }

 private:
  void take(std::string_view word) { line_.expect(word); }
  void take(std::string& word) { word = line_.word(); }
  void take(std::size_t& index) { index = line_.index(); }
  void take(Rational& number) { number = line_.rational(); }
  void take(Integer& number) { number = line_.integer(); }
  void take(Constraint& constraint) { constraint = read_constraint(line_, problem); }
  void take(EigenvalueBound& bound) { bound = line_.eigenvalue_bound(); }
  void take(Citation& cited);
  template <class Value>
  void take(std::optional<Value>& value) {
    if (!accept("none")) take(value.emplace());
  }
  template <class Value>
  requires HasWords<Value, Reader>
  void take(Value& value) { Value::words(*this, value); }

  CertificateText& text_;
  Line& line_;
  Certificate& read_;
};

}  // namespace attest_check
