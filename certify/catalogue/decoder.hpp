// The decoder's margin problem: minimise ||v|| subject to Y_i v'x_{i,alpha_i} >= 1 for every sequence
// (papers.md A.vsvm).
#pragma once

#include <optional>

#include "certify/instance/instance.hpp"
#include "numerics/margin/solution.hpp"

namespace attest {

// In the form that the solver takes: group i has the tokens x_{i,alpha_i}, selected, and 0, with the query
// Y_i. Of instances with Y and v.
TokenData decoder_data(const Instance& instance, const Selection& selection);

// Its solution, in which the constraint of sequence i is (i, alpha_i), as certificates name it.
MarginSolution solve_decoder(const TokenData& decoder, const Selection& selection,
                             const MarginOptions& options);

// The first sequence, if any, whose selected token's equals (T18) have other rows of X, as equal keys of a
// prompt instance may: what its attention tends to is then not the row of one token.
std::optional<std::size_t> sequence_without_row(const Instance& instance, const TokenData& data,
                                                const Selection& selection);

}  // namespace attest
