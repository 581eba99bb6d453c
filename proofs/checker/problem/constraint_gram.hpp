// The Gram matrix of constraint vectors Delta_c, as the product of the Gram matrices of token differences and
// of queries.
#pragma once

#include <vector>

#include "proofs/checker/base/smallest_eigenvalue.hpp"
#include "proofs/checker/problem/problem.hpp"

namespace attest_check {

std::vector<GramFactor> constraint_gram(const Problem& problem, const std::vector<Constraint>& listed);

}  // namespace attest_check
