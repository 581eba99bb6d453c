// Margin problems of many more rows than unknowns, by working sets: a problem of few rows is solved with
// proof, and one pass over all others shows that they are slack at its solution, whatever that is within its
// enclosure. What is not certainly slack joins the few. So a large problem costs some passes over its
// numbers, which stay where they lie, and the memory of the few rows.
//
// An optimum of some rows at which all others are slack is the optimum of all; some rows that no W separates
// prove that nothing separates all.
#pragma once

#include <optional>

#include "numerics/margin/scan.hpp"
#include "numerics/margin/solution.hpp"

namespace attest {

// Is this the way to solve it? By sizes alone: at least 50,000 rows in binary64, 512 times as many as
// unknowns.
bool suits_working_sets(const TokenData& data);

// solve_margin_problem() with the passes of `scan`; nothing where the set would grow large (ties), and at the
// limit of time. At that of memory, or when stopped: undecided.
std::optional<MarginSolution> solve_by_working_sets(const TokenData& data, const Selection& selection,
                                                    MarginScan& scan, const MarginOptions& options);

// solve_margin_problem() where somebody else makes such passes: the same answer.
MarginSolution solve_margin_problem(const TokenData& data, const Selection& selection, MarginScan& scan,
                                    const MarginOptions& options);

}  // namespace attest
