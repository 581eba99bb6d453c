// Tokens as the exported data has them: equal ones of a group are one (EqualTokens.v), and those that are
// left are numbered in their order.
#pragma once

#include <cstddef>
#include <vector>

#include "proofs/checker/problem/problem.hpp"

namespace attest {

// The instance's tokens of a group that the data has.
inline std::vector<std::size_t> data_tokens(const attest_check::Features& features, std::size_t group) {
  std::vector<std::size_t> tokens;
  for (std::size_t t = 0; t < features.tokens_of(group); ++t) {
    if (features.present(group, t)) tokens.push_back(t);
  }
  return tokens;
}

// The number in the data of a token that is present.
inline std::size_t data_token(const attest_check::Features& features, std::size_t group, std::size_t token) {
  std::size_t number = 0;
  for (std::size_t t = 0; t < token; ++t) number += features.present(group, t) ? 1 : 0;
  return number;
}

// The number in the problem's data of a constraint's token: the decoder's has two tokens a group, the second
// of which stands for the constraint (DecoderData.v).
inline std::size_t data_constraint(const attest_check::Problem& problem, const attest_check::Constraint& c) {
  return problem.decoder ? 1 : data_token(*problem.features, c.group, c.token);
}

// The instance's tokens of a group in the order of the problem's data; one that no group has for the first of
// a decoder's two.
inline std::vector<std::size_t> problem_tokens(const attest_check::Problem& problem, std::size_t group) {
  if (problem.decoder) return {problem.features->tokens_of(group), problem.selection[group]};
  return data_tokens(*problem.features, group);
}

}  // namespace attest
