// Infeasibility from a combination that only nearly vanishes (theory.md T19(b)): no exact solve, whatever the
// size.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/margin/span_point.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

// Tries to prove the rows infeasible with a measured point of coefficients at the constraints `at`, positive
// but for equalities; one of them asks for 1. Nothing when they do not span enough, or not well enough in
// double precision. Memory: 24 bytes times the square of the dimension of their span. Throws BudgetReached.
std::optional<SpanningConflict> prove_spanning_conflict(const IntegerConstraints& constraints,
                                                        const ScaledConstraints& scaled,
                                                        const std::vector<std::size_t>& at,
                                                        const SpanPoint& point, const Budget& budget);

// What the checker bounds the dimension of the span by: rank of the token differences times rank of the
// queries. Modulo a prime near 2^61: at most the ranks, and less with a probability of about 2^-60.
std::size_t span_dimension(const IntegerConstraints& constraints, const std::vector<std::size_t>& at);

}  // namespace attest
