// The one problem all settings reduce to (theory.md section 0): rank-one features, exact scores, one selected
// token per group.
//
// Group i (0-based, i < groups()) has tokens(i) tokens. Token t of group i has the feature a_it = x_it z_i',
// a d x e matrix kept as its two factors: x_it is a row of `token_factor` (rows(i) tells which), z_i a row of
// `query_factor`. Prompt problems have features in R^d: e = 1 and z_i = 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "numerics/numbers/exact_array.hpp"
#include "numerics/numbers/rational.hpp"
#include "numerics/problem/logit_offsets.hpp"
#include "numerics/problem/outputs.hpp"
#include "numerics/problem/scores.hpp"

namespace attest {

// A constraint c = (group, token), token != selected(group): margin <a_{i,selected} - a_it, W> >= 1.
struct Constraint {
  std::size_t group = 0;
  std::size_t token = 0;
  friend auto operator<=>(const Constraint&, const Constraint&) = default;  // NOLINT: compares with 0
};

// What a row asks of <a_{group,winner} - a_{group,loser}, W>: >= 1 (a selected token against another), >= 0,
// or = 0 (two tokens that are selected together, papers.md B.gen).
enum class Sense { at_least_one, at_least_zero, equal_to_zero };

// A row of a margin problem.
struct MarginRow {
  std::size_t group = 0;
  std::size_t winner = 0;
  std::size_t loser = 0;
  Sense sense = Sense::at_least_one;
  Constraint constraint() const { return {group, loser}; }
};

// Features and scores before a selection is made. Immutable after construction; shared by every selection.
//
// Equal tokens of a group are one (theory.md T18), which the first of them stands for with their
// multiplicity; the others are not *present*: no constraints, never selected, without attention.
struct TokenData {
  std::size_t left_dimension = 0;   // d
  std::size_t right_dimension = 1;  // e
  std::vector<std::size_t>
      first_row;            // groups + 1 entries: rows of group i are [first_row[i], first_row[i+1])
  ExactArray token_factor;  // total tokens x d, row-major
  ExactArray query_factor;  // groups x e, row-major
  Scores scores;            // total tokens, g_it exactly; of equal tokens the mean by their counts
  // Total tokens: how often the token stands in its group, 0 where another one stands for it. Empty: once
  // each.
  std::vector<std::uint64_t> multiplicities;
  // Given: the logits have offsets, so that what weighs a token's attention is not its multiplicity above but
  // that of these. Rows and scores are as without: of equal tokens with different offsets scores are equal.
  std::shared_ptr<const LogitOffsets> offsets;
  // Given: the head is selection cross-entropy, -log of the attention on these tokens (theory.md T16), all
  // present. Scores are 1 for them and 0 for the others, and the loss is Loss::cross_entropy.
  std::optional<std::vector<std::size_t>> targets;
  // Given: the head has several outputs. Scores, vertex_score(), then only propose; what decides is
  // score_gap().
  std::shared_ptr<const OutputTable> outputs;

  std::size_t groups() const { return first_row.empty() ? 0 : first_row.size() - 1; }
  std::size_t tokens(std::size_t group) const { return first_row[group + 1] - first_row[group]; }
  std::size_t row(std::size_t group, std::size_t token) const { return first_row[group] + token; }
  Rational score(std::size_t group, std::size_t token) const { return scores[row(group, token)]; }
  std::uint64_t multiplicity(std::size_t group, std::size_t token) const {
    return multiplicities.empty() ? 1 : multiplicities[row(group, token)];
  }
  bool present(std::size_t group, std::size_t token) const { return multiplicity(group, token) > 0; }
  // How many tokens of the group are present.
  std::size_t different(std::size_t group) const;
};

// One look at all groups in their order: of what lies in a file the process holds a few megabytes meanwhile.
class PassedGroups {
 public:
  explicit PassedGroups(const TokenData& data);
  // The groups before this one have been looked at.
  void before(std::size_t group);

 private:
  const TokenData& data_;
  PassedNumbers tokens_, queries_, scores_;
  std::size_t score_width_;
};

// <x, y> of two rows, exactly.
Rational exact_dot(const ExactArray& x, std::size_t x_row, const ExactArray& y, std::size_t y_row,
                   std::size_t dimension);

// A selection alpha: the token of each group that must win. Its constraints are all (i,t), t != alpha_i.
using Selection = std::vector<std::size_t>;

// Merges equal tokens: sets the multiplicities, and the scores of equal tokens to their mean. `counts`: how
// often each row stands in its group; empty: once each. Exact; linear time but for a sort within each group.
void merge_equal_tokens(TokenData& data, const std::vector<std::uint64_t>& counts);

// Per row the first row of its group that equals it.
std::vector<std::uint32_t> first_equal_rows(const TokenData& data);

// Makes selection cross-entropy the head, with this token of every group; data without scores, equal tokens
// not yet merged, which this does, too.
void set_targets(TokenData& data, const std::vector<std::size_t>& tokens,
                 const std::vector<std::uint64_t>& counts);

// Makes this table the head, of data without scores, equal tokens not yet merged, which this does, too: of
// equal tokens the table's rows become their mean by the counts.
void set_outputs(TokenData& data, OutputTable table, const std::vector<std::uint64_t>& counts);

// The classes of more than one equal token, as (group, tokens in increasing order), the first stands for all.
struct TokenClass {
  std::size_t group = 0;
  std::vector<std::size_t> tokens;
  friend bool operator==(const TokenClass&, const TokenClass&) = default;
};
std::vector<TokenClass> equal_tokens(const TokenData& data);

// Number of constraints of any selection: sum over groups of (different tokens - 1).
std::size_t constraint_count(const TokenData& data);

// All constraints of `selection`, whose tokens are present, in increasing (group, token) order.
std::vector<Constraint> constraints(const TokenData& data, const Selection& selection);

// The same as rows.
std::vector<MarginRow> margin_rows(const TokenData& data, const Selection& selection);

// A set of tokens of each group that are to share the attention: strictly increasing, at least one present
// token each.
using SelectedSets = std::vector<std::vector<std::size_t>>;

// The rows of sets (papers.md B.gen), in increasing (group, loser) order: the first token of each set wins by
// 1 against every token outside and by 0 against the others inside.
std::vector<MarginRow> margin_rows(const TokenData& data, const SelectedSets& sets);

// gap_c = g_{i,alpha_i} - g_it, exactly; of several outputs limit_gap(), whose sign is exact.
Rational score_gap(const TokenData& data, const MarginRow& row);
Rational score_gap(const TokenData& data, const Selection& selection, const Constraint& constraint);

// A group whose best score is attained more than once, with two of the tokens attaining it.
struct ScoreTie {
  std::size_t group = 0;
  std::size_t first_token = 0;
  std::size_t second_token = 0;
};

// The first group whose best score is tied, if any (exact); of several outputs none.
std::optional<ScoreTie> first_tie(const TokenData& data);

// argmax_t g_it of each group, the first one on ties (exact).
Selection best_selection(const TokenData& data);

// Global optimality (theory.md section 2): selected token is the unique argmax of every group. Returns the
// first constraint (group, token) with a gap that is not positive, or nothing when globally optimal. Exact.
std::optional<Constraint> global_optimality_witness(const TokenData& data, const Selection& selection);

}  // namespace attest
