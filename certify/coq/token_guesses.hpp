// What Coq needs of one-hot sentences beside what certificates say: vectors that bound how much the rows'
// weights curve, and rows that lead from one token to another (NEXT_TOKEN.md sections 4 and 5). Nothing
// trusts it: TokenSees.v and TokenShiftChecks.v check it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "proofs/checker/problem/problem.hpp"

namespace attest {

class AskingSentences {
 public:
  // Of a problem of the attention stage, which selects the tokens with the sentences' next ones.
  explicit AskingSentences(const attest_check::Problem& problem);

  // The terms of TokenForever's last two arguments.
  std::string square() const;
  std::string vectors() const;
  // The paths of a sentence with this context and next token (ShiftedSentence).
  std::string paths(const std::vector<std::size_t>& context, std::size_t next) const;

 private:
  struct Row {
    std::size_t group = 0, token = 0;  // the token that is below
    std::uint64_t count = 1, chosen = 1;
  };
  // By the token that is above and the one that is below, that with the largest ratio of counts.
  using Rows = std::map<std::uint32_t, std::map<std::uint32_t, Row>>;
  struct Column {
    std::uint32_t query = 0;
    std::vector<std::uint32_t> tokens;
    Rows rows;
  };
  using Vector = std::map<std::uint32_t, long>;

  static Vector vector_of(const Column& column, std::uint32_t token);
  const Column* column(std::uint32_t query) const;

  std::vector<Column> columns_;
  std::map<std::uint32_t, std::uint32_t> before_;  // of a next token
};

}  // namespace attest
