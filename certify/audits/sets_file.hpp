// Selected sets, and the files of these and of their attention (certify/INSTANCES.md): JSON, a list for each
// sequence.
#pragma once

#include <string>
#include <vector>

#include "certify/instance/instance.hpp"
#include "certify/process/input_error.hpp"
#include "numerics/margin/finite_part.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

struct SetsFile {
  SelectedSets listed;  // as the file has them, but for equal tokens: each is the one that stands for it
  SelectedSets sets;    // the same, increasing, each token once
};

// The word that stands for the instance's own sets, its alpha, in place of a file.
inline constexpr const char* own_sets = "alpha";
// What a command is given, or own_sets where it is given nothing and the instance has sets.
std::string sets_or_own(const std::string& given, const Instance& instance);

Result<SetsFile> read_sets(const std::string& path, const Instance& instance, const TokenData& data);

// s_{i,first}/s_it of each equation, from a file that has the attention on each listed token, up to a factor
// for each sequence: positive numbers. Equal tokens have to have the same.
Result<std::vector<Rational>> read_ratios(const std::string& path, const TokenData& data,
                                          const SelectedSets& listed, const FiniteEquations& equations);

}  // namespace attest
