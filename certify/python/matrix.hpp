// Arrays for people and plots: doubles near the exact numbers, nothing in them is proved.
#pragma once

#include <pybind11/numpy.h>

#include <vector>

#include "certify/catalogue/joint_problems.hpp"
#include "certify/instance/instance.hpp"
#include "certify/pictures/pictures.hpp"
#include "numerics/margin/solution.hpp"
#include "numerics/norms/optimum.hpp"
#include "numerics/runs/record.hpp"

namespace attest {

// W* (d x e), rounded, or a W near it, with its multipliers at the rows of the tokens; None while unsolved.
pybind11::object near_solution(const TokenData& data, const Selection& selection,
                               const MarginSolution& solution);
// The same of another norm: the certificate's matrix, rounded, and factors K, Q where it has them.
pybind11::object near_solution(const NormOptimum& optimum);

// v (d) and W, rounded, as far as they are solved.
pybind11::dict near_solutions(const JointProblems& problems, const TokenData& data,
                              const Selection& selection);

// Name -> one entry a recorded step, those of `more` too; and later_t, later_bound, the points of `later`.
pybind11::dict trace_arrays(const std::vector<TraceRow>& trace, const NamedColumns& more = {},
                            const ChartLine& later = {});

// Features and scores of the selection problem: x (tokens x d), z (n x e), scores (tokens), first_row (n +
// 1), counts (tokens): how often a token stands in its sequence, 0 where an equal one stands for it.
pybind11::dict problem_arrays(const Instance& instance);

// Is every number of the instance a binary64 one?
bool holds_binary64(const Instance& instance);

std::vector<std::size_t> token_counts(const Instance& instance);

}  // namespace attest
