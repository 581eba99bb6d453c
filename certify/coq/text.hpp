// Exact numbers and lists as text of the exported Coq files (proofs/coq/theories/claims/Exported.v).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs/checker/base/exact.hpp"
#include "proofs/checker/base/scaled_matrix.hpp"

namespace attest {

// `x` as a list of signed digits in base 2^63, least significant first, each at least -2^62 and below it:
// "[:: 5]",
// "[:: -3; -1]"; 0 is "[::]".
std::string coq_digits(const attest_check::Integer& x);

// The terms `number_of …`, `fraction_of … …` (in parentheses) that stand for exactly `x`.
std::string coq_number(const attest_check::Integer& x);
std::string coq_fraction(const attest_check::Rational& x);

// A number that a statement shows, as Coq reads it in R (StatedRuns.v's `written`), and the fraction it is.
struct CoqReal {
  std::string text;  // "5", "1 / 10", "-0.125"
  attest_check::Integer numerator, denominator;

  std::string fraction() const {
    return "(fraction_of " + coq_digits(numerator) + " " + coq_digits(denominator) + ")";
  }
};
CoqReal coq_real(const attest_check::Rational& x);
// The least decimal above a number that is not negative, and a thousand-millionth of it.
CoqReal coq_upper(const attest_check::Rational& x);

// The ends of a band as decimals, rounded outward by less than a thousandth of its width each.
struct CoqBand {
  CoqReal lo, hi;

  std::string pair() const { return "(" + lo.fraction() + ", " + hi.fraction() + ")"; }
  // That it holds `what`.
  std::string around(const std::string& what) const { return lo.text + " <= " + what + " <= " + hi.text; }
};
CoqBand coq_band(const attest_check::Rational& lo, const attest_check::Rational& hi);

// A number of a statement with a comment that says roughly which.
std::string coq_about(const CoqReal& x);

// Of type nat.
inline std::string coq_natural(std::size_t n) {
  return std::to_string(n) + "%nat";
}

// Parts of a statement, one a line, joined by "and".
class CoqParts {
 public:
  void add(const std::string& part) {
    text_ += (text_.empty() ? "" : " /\\\n    ") + comment_ + part;
    comment_.clear();
  }
  // Stands before the next part.
  void comment(const std::string& words) { comment_ = "(* " + words + " *)\n    "; }
  const std::string& text() const { return text_; }

 private:
  std::string text_, comment_;
};

// That the band holds the most attention that any selected token lacks at `w`.
void add_unselected(CoqParts& parts, const CoqBand& band, const std::string& w, const std::string& alpha);

// "[:: a; b; c]" of `count` items, a line break every few items.
std::string coq_list(std::size_t count, const std::function<std::string(std::size_t)>& item);

// The numerators of the rows [first, last) of a matrix, as a list of rows of numbers.
std::string coq_rows(const attest_check::ScaledMatrix& matrix, std::size_t first, std::size_t last);

// One row of numbers.
std::string coq_row(const attest_check::ScaledMatrix& matrix, std::size_t row);

}  // namespace attest
