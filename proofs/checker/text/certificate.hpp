// Reading the certificate text (GRAMMAR.md section 1): lines, tokens, numbers, sparse vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proofs/checker/instance/compressed.hpp"
#include "proofs/checker/problem/problem.hpp"
#include "proofs/checker/problem/vectors.hpp"

namespace attest_check {

// Evidence that a Gram matrix has no eigenvalue below `bound`.
struct EigenvalueBound {
  Rational bound;
  unsigned bits = 0;
};

// An earlier claim, by its number.
struct Citation {
  std::size_t claim = 0;
};

// A cursor over the tokens of one line. Every reading function takes the next token, is malformed (exit 2)
// when the token does not have the form asked for.
class Line {
 public:
  Line(std::string text, std::size_t number) : text_(std::move(text)), number_(number) {}

  std::size_t number() const { return number_; }
  bool at_end() const { return at_ > text_.size(); }
  // The next token without taking it; empty at the end.
  std::string_view peek() const;

  std::string word();
  void expect(std::string_view word);
  // The next token if it is this word.
  bool accept(std::string_view word);
  std::size_t index();
  Integer integer();
  Rational rational();
  Integer denominator();
  // "lambda-min S bits count".
  EigenvalueBound eigenvalue_bound();
  // Nothing may follow.
  void finish() const;

  [[noreturn]] void bad(const std::string& why) const;

 private:
  std::string_view take();
  Integer parse_integer(std::string_view token) const;

  std::string text_;
  std::size_t number_;
  std::size_t at_ = 0;
};

class CertificateText {
 public:
  explicit CertificateText(const std::string& path) : CertificateText(path, Bytes::of_file(path)) {}
  CertificateText(std::string name, Bytes bytes) : source_(name, std::move(bytes)), path_(std::move(name)) {}

  // The next line; malformed at the end of the text.
  Line next();
  // No text may follow.
  void finish();
  std::size_t lines() const { return lines_; }

  // "vector NAME count over denominator", the first line, and the others, for constraints of `problem`.
  ConstraintVector vector(Line& first, const Problem& problem, std::string_view name);
  // `count` lines "index index", strictly increasing constraints of `problem`.
  std::vector<Constraint> constraints(const Problem& problem, std::size_t count);

 private:
  ByteSource source_;
  std::string path_;
  std::string piece_;
  std::size_t at_ = 0;
  std::size_t lines_ = 0;
};

// "index index" as a constraint of the problem.
Constraint read_constraint(Line& line, const Problem& problem);

}  // namespace attest_check
