// Truth of claims about groups that are left out and rows that move, by trying.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/margin.hpp"

namespace reference {

// Whether some W has margins >= 1 in all groups but these.
bool separable_without(const Dataset& data, const Choice& choice, const std::vector<std::size_t>& left_out);

// Why "unless at least `count` groups are left out, no W has margins >= 1 in the others" is false; empty when
// it is true. Tries all sets of count - 1 groups.
std::string conflicts_objection(const Dataset& data, const Choice& choice, std::size_t count);

// Why it is not known that all margins stay positive however the feature rows move by at most `radius`: the
// bound with the exact norm of the solution does not say so, or the moves that are worst for the solution
// make the problem infeasible. The answer is that of a feasible problem.
std::string robust_objection(const Dataset& data, const Choice& choice, const MarginAnswer& answer,
                             const Number& radius);

}  // namespace reference
