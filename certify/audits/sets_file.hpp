// The files of selected sets and of their attention (certify/INSTANCES.md): JSON, a list for each sequence.
#pragma once

#include <string>
#include <vector>

#include "certify/process/input_error.hpp"
#include "numerics/margin/finite_part.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

struct SetsFile {
  SelectedSets listed;  // as the file has them, but for equal tokens: each is the one that stands for it
  SelectedSets sets;    // the same, increasing, each token once
};

Result<SetsFile> read_sets(const std::string& path, const TokenData& data);

// s_{i,first}/s_it of each equation, from a file that has the attention on each listed token, up to a factor
// for each sequence: positive numbers. Equal tokens have to have the same.
Result<std::vector<Rational>> read_ratios(const std::string& path, const TokenData& data,
                                          const SelectedSets& listed, const FiniteEquations& equations);

}  // namespace attest
