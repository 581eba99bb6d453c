// Enclosures of the singular values of a matrix of balls, whatever their multiplicity.
#pragma once

#include <vector>

#include "numerics/numbers/ball.hpp"

namespace attest {

// Of a rows x columns matrix, row-major; min(rows, columns) of them, the largest first. For U and V square
// with ||U'U - I||, ||V'V - I|| <= a, b < 1 and B = U'WV, Weyl and Ostrowski: the singular values s_i of any
// D have |s_i - s_i(B)| <= ||B - D||, and s_i(B) lies between sqrt((1 - a)(1 - b)) and sqrt((1 + a)(1 + b))
// times s_i(W). U, V and the diagonal D come from a decomposition in doubles. Values that are not finite
// where W is not.
std::vector<Ball> singular_values(const std::vector<Ball>& matrix, std::size_t rows, std::size_t columns,
                                  long bits);

}  // namespace attest
