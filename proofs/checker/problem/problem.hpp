// The selection problem a certificate speaks about: groups of tokens with rank-one features x z', exact
// scores, and a selected token per group. Everything here is rebuilt from the instance.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

#include "proofs/checker/base/job.hpp"
#include "proofs/checker/base/scaled_matrix.hpp"
#include "proofs/checker/instance/instance.hpp"
#include "proofs/checker/problem/equal_tokens.hpp"
#include "proofs/checker/problem/loss.hpp"
#include "proofs/checker/problem/outputs.hpp"

namespace attest_check {

// Features and scores of the instance, shared by all its problems. The feature of token t of group i is
// a_it = tokens.row(row(i,t)) queries.row(i)', a left x right matrix; prompt problems have right = 1 and
// queries all 1. In next-token problems rows are those of a table, which tokens share.
//
// Equal tokens of a group are one, which the first of them stands for; the others are not *present*: they are
// no constraints, cannot be selected and have no attention. Indices stay those of the instance.
class Features {
 public:
  // Whose problem they are of: the attention's, or the decoder's, where the feature of token t of group i is
  // Y_i x_it, a column, and nothing has a score. Then the instance has Y and X.
  enum class Unknown { attention, decoder };
  explicit Features(const Instance& instance, Unknown unknown = Unknown::attention);

  const Instance& instance() const { return instance_; }
  std::size_t groups() const { return instance_.groups(); }
  std::size_t tokens_of(std::size_t group) const { return instance_.tokens(group); }
  std::size_t row(std::size_t group, std::size_t token) const {
    return instance_.feature_row(position(group, token));
  }
  // How many different tokens a group has, and which one stands for a token.
  std::size_t different(std::size_t group) const { return equal_.different(group); }
  std::size_t representative(std::size_t group, std::size_t token) const {
    return equal_.representative(group, token);
  }
  bool present(std::size_t group, std::size_t token) const { return multiplicity(group, token) > 0; }
  // How often the token stands in its group: the counts of all that are equal to it; 0 when it is not
  // present.
  std::uint64_t multiplicity(std::size_t group, std::size_t token) const {
    return equal_.multiplicity(group, token);
  }
  const ScaledMatrix& tokens() const { return tokens_; }
  const ScaledMatrix& queries() const { return queries_; }
  std::size_t left_dimension() const { return tokens_.columns(); }
  std::size_t right_dimension() const { return queries_.columns(); }
  // (denominator of tokens x denominator of queries)^2: inner products of features are integers over it.
  const Integer& product_denominator() const { return product_denominator_; }

  // Score g_it = Y_i v'x_it as an integer over score_denominator(); of equal tokens the mean by their counts.
  // Where the head is selection cross-entropy: 1 for the token to be selected, 0 for the others.
  Integer score(std::size_t group, std::size_t token) const;
  const Integer& score_denominator() const { return score_denominator_; }
  Rational exact_score(std::size_t group, std::size_t token) const;
  // The head's outputs, if it has several: then there are no scores.
  const Outputs* outputs() const { return outputs_ ? &*outputs_ : nullptr; }

 private:
  std::size_t position(std::size_t group, std::size_t token) const {
    return instance_.first_row[group] + token;
  }
  Integer decoded_score(std::size_t group, std::size_t token) const;

  const Instance& instance_;
  ScaledMatrix tokens_;
  EqualTokens equal_;
  std::optional<Outputs> outputs_;
  ScaledMatrix queries_;
  Integer product_denominator_;
  // What scores are made of when they are asked for: v, where they are functions of the feature rows, or the
  // given ones.
  std::optional<ScaledMatrix> decoder_, given_;
  mutable std::vector<Integer> scores_;  // in prompt problems, and means; of few tokens when first asked for
  Integer score_denominator_;
};

// Token `token` of group `group` against the group's selected token.
struct Constraint {
  std::size_t group = 0;
  std::size_t token = 0;
  friend auto operator<=>(const Constraint&, const Constraint&) = default;  // NOLINT: compares with 0
};

// What a constraint asks of W: <a_winner - a_loser, W> in the sense named, for two tokens of a group.
// Rows of the decoder's problem have no loser.
enum class Sense { at_least_one, at_least_zero, equal_to_zero };
struct MarginRow {
  std::size_t group, winner, loser;
};

// "(group, token)", for messages.
std::string show(const Constraint& constraint);

// Minimise ||W||_F subject to a row for each constraint c = (i, t): <Delta_c, W> in the sense of c.
//
// SVM(selection): t != selected, Delta_c = a_{i,selected} - a_it, senses are >= 1; in *relaxed* groups >= 0.
// Selected sets: `selection` has the first token of each; it is = 0 for the others of the set. The decoder's
// problem: t is the selected token, Delta_c = a_it = Y_i x_it, senses are >= 1.
struct Problem {
  std::size_t number = 0;
  const Features* features = nullptr;
  Loss loss = Loss::none;
  std::vector<std::size_t> selection;
  bool decoder = false;
  std::vector<std::size_t> relaxed;            // groups, strictly increasing
  std::vector<std::vector<std::size_t>> sets;  // one a group, strictly increasing; empty: no selected sets

  // Is it SVM(selection) with all rows >= 1?
  bool plain() const { return !decoder && relaxed.empty() && sets.empty(); }
  bool is_constraint(const Constraint& c) const {
    return c.group < selection.size() && c.token < features->tokens_of(c.group) &&
           (c.token == selection[c.group]) == decoder && features->present(c.group, c.token);
  }
  std::size_t constraint_count() const;
  Sense sense(const Constraint& c) const;
  MarginRow row(const Constraint& c) const { return {c.group, selection[c.group], c.token}; }
  // x_winner - x_loser, integers over the tokens' denominator: Delta_c is this times z'.
  std::vector<Integer> difference(const Constraint& c) const;
  // Sign of the winner's score less the loser's, or of the gap of several outputs.
  int gap_sign(const Constraint& c) const;
  // ||Delta_c||^2 as an integer over features->product_denominator().
  Integer distance_squared(const Constraint& c) const;
};

// Calls visit(constraint) for every constraint of the problem, or of these groups, in order.
template <class Visitor>
void for_each_constraint(const Problem& problem, Visitor&& visit, const Share& groups = {0, SIZE_MAX}) {
  for (std::size_t group = groups.begin; group < std::min(groups.end, problem.features->groups()); ++group) {
    for (std::size_t t = 0; t < problem.features->tokens_of(group); ++t) {
      if (problem.is_constraint({group, t})) visit(Constraint{group, t});
    }
  }
}

}  // namespace attest_check
