// Exact numbers and lists as text of the exported Coq files (proofs/coq/theories/Exported.v).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs/checker/exact.hpp"
#include "proofs/checker/scaled_matrix.hpp"

namespace attest {

// `x` as a list of digits in base 2^62, least significant first, each with the sign of `x`: "[:: 5]", "[:: -3; -1]"; 0
// is "[::]".
std::string coq_digits(const attest_check::Integer& x);

// The terms `number_of …`, `fraction_of … …` (in parentheses) that stand for exactly `x`.
std::string coq_number(const attest_check::Integer& x);
std::string coq_fraction(const attest_check::Rational& x);

// "[:: a; b; c]" of `count` items, a line break every few items.
std::string coq_list(std::size_t count, const std::function<std::string(std::size_t)>& item);

// The numerators of the rows [first, last) of a matrix, as a list of rows of numbers.
std::string coq_rows(const attest_check::ScaledMatrix& matrix, std::size_t first, std::size_t last);

// One row of numbers.
std::string coq_row(const attest_check::ScaledMatrix& matrix, std::size_t row);

}  // namespace attest
