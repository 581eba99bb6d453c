// The attention stage with one-hot embeddings and W_ov frozen (theory.md section 14), without a matrix: of W
// only the entries (x, q) move whose token x stands in a context with the query q. Columns of W, one a query,
// share nothing but the length of a normalised step.
//
// Statements and proofs: proofs/statements/NEXT_TOKEN.md, whose names are used here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/next_token/sentences.hpp"

namespace attest {

// A different token of a context.
struct StageToken {
  std::size_t entry = 0;    // of W
  std::uint64_t count = 1;  // how often it stands in the context
  bool paired = false;      // has it a next token?
};

struct StageGroup {
  std::size_t column = 0;    // of its query
  std::size_t selected = 0;  // among its tokens
  std::vector<StageToken> tokens;
};

// R^2 with sum_c omega_c <Delta_c, v>^2 <= R ||sum_c omega_c Delta_c|| for all omega >= 0 and ||v|| = 1: max
// over the rows a > b of ||w_a + w_b||^2, <Delta_c, w_x> >= 1 for the rows c of x and >= 0 for the others.
// Rows are pairs of entries; the relation must have no cycle.
std::uint64_t squared_curvature_ratio(std::size_t entries,
                                      const std::vector<std::pair<std::size_t, std::size_t>>& rows);

struct AttentionStage {
  // Each group must have its selected token, and no order a cycle.
  AttentionStage(const Sentences& sentences, const std::vector<AttentionGroup>& groups,
                 const Collocation& collocation);

  std::size_t outputs = 0;  // the vocabulary's size
  std::size_t columns = 0;
  std::vector<StageGroup> groups;                            // as the attention groups
  std::map<std::pair<TokenId, TokenId>, std::size_t> entry;  // of (query, token)
  // The rows (winner, loser) as entries, each with the largest k_t/k_alpha of the sentences that say it.
  std::map<std::pair<std::size_t, std::size_t>, Rational> rows;
  std::uint64_t curvature = 0;  // R^2
};

// W* of the stage in the same entries, from its exact solution.
struct AttentionOptimum {
  struct Share {  // of a constraint with a multiplier > 0
    std::size_t group = 0, token = 0;
    Rational multiplier;
  };
  AttentionOptimum(const AttentionStage& stage, const ExactOptimum& optimum);

  std::vector<Rational> entries;
  std::vector<Share> shares;
  Rational norm_squared;
};

}  // namespace attest
