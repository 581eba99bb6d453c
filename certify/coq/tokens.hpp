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

}  // namespace attest
