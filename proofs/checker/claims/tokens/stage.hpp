// The attention stage of sentences with one-hot embeddings, trained with W_ov frozen (NEXT_TOKEN.md section
// 1), without a matrix: of W only the entries (x, q) move whose token x stands in a context with the query q.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// The pairs x, n(x) that the sentences say, and how many outputs there are.
struct TokenPairs {
  // Rejects unless the claim's problem is of this stage of one-hot sentences of two outputs or more.
  TokenPairs(const Claim& claim, Stage stage);

  std::size_t outputs = 0;                              // V
  std::map<std::uint32_t, std::uint32_t> next, before;  // n, and its inverse
  Rational squared_norm() const;                        // ||W*||^2 of the feed-forward stage
  // c after `steps` of length `step` from 0: the output n(x) is above all others by it.
  Interval scale(const Rational& step, std::size_t steps, unsigned bits) const;
};

// A different token of a context.
struct StageToken {
  std::size_t entry = 0;  // of W
  long count = 1;         // how often it stands in the context
  bool paired = false;    // has it a next token?
};

// Groups and their tokens are those of the problem.
struct StageGroup {
  std::size_t selected = 0;
  std::vector<StageToken> tokens;
};

struct TokenStage {
  // Rejects as TokenPairs, and unless the problem's selection is the one that n asks for.
  explicit TokenStage(const Claim& claim);

  TokenPairs pairs;
  std::vector<StageGroup> groups;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> entry;  // of (query, token)
};

// Both stages' steps: of normalised gradient descent from 0.
struct TokenTraining {
  Rational fed_step, step;
  std::size_t fed_steps = 0;

  static void words(auto& say, auto& self) {
    say("feed-forward-step");
    say.positive(self.fed_step);
    say("feed-forward-steps", self.fed_steps, "step");
    say.positive(self.step);
  }
};

// W* of the stage in the same entries.
struct TokenDirection {
  TokenDirection(const Claim& claim, const TokenStage& stage, const Citation& solution);

  struct Share {  // of a constraint with a multiplier > 0
    Constraint at;
    Rational multiplier;
  };
  std::vector<Rational> entries;
  std::vector<Share> shares;
  Rational norm_squared;  // the sum of the multipliers

  Interval norm(unsigned bits) const { return square_root(Interval(norm_squared, bits)); }
  // <W, u>, u = W*/||W*||.
  Interval along(const std::vector<Interval>& w, unsigned bits) const;
};

}  // namespace attest_check
