// Vectors and matrices of intervals; matrices row by row.
#pragma once

#include <vector>

#include "proofs/checker/base/interval.hpp"

namespace attest_check {

// <x, y>.
Interval inner_product(const std::vector<Interval>& x, const std::vector<Interval>& y);
// ||x||.
Interval length_of(const std::vector<Interval>& x);
// x - y.
std::vector<Interval> difference(const std::vector<Interval>& x, const std::vector<Interval>& y);
// A B' of matrices with so many columns; A y where B is the one row y.
std::vector<Interval> product_of(const std::vector<Interval>& a, const std::vector<Interval>& b,
                                 std::size_t columns);
// Adds x y' to the matrix.
void add_outer(const std::vector<Interval>& x, const std::vector<Interval>& y, std::vector<Interval>& matrix);

}  // namespace attest_check
