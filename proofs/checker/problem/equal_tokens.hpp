// Equal tokens of a group are one token (theory.md T18): those whose feature rows are the same have the same
// logit for every W, so they make up a class, which its first token represents and its multiplicity weighs.
#pragma once

#include <cstdint>
#include <vector>

#include "proofs/checker/base/scaled_matrix.hpp"
#include "proofs/checker/instance/instance.hpp"

namespace attest_check {

// The classes of all groups; nothing is kept for the tokens of groups in which all are different.
class EqualTokens {
 public:
  // `rows`: the table of feature rows, X or K or that of a next-token stage. The instance must outlive it.
  EqualTokens(const Instance& instance, const ScaledMatrix& rows);

  // Are any equal?
  bool any() const { return !members_.empty(); }
  // The number of a group's classes.
  std::size_t different(std::size_t group) const;
  // The first token of the group with the same row.
  std::size_t representative(std::size_t group, std::size_t token) const {
    return all_differ(group) ? token : members_[first_[group] + token].representative;
  }
  // Of a representative its class's counts; else 0.
  std::uint64_t multiplicity(std::size_t group, std::size_t token) const {
    return all_differ(group) ? instance_.count(instance_.first_row[group] + token)
                             : members_[first_[group] + token].multiplicity;
  }

 private:
  struct Member {
    std::size_t representative = 0;
    std::uint64_t multiplicity = 0;
  };
  static constexpr std::size_t none = SIZE_MAX;
  bool all_differ(std::size_t group) const { return first_[group] == none; }

  const Instance& instance_;
  std::vector<std::size_t> first_;  // per group: the place of its tokens in members_, or none
  std::vector<Member> members_;
};

// Scores of all tokens, integers over one denominator, become the means of their classes by counts, integers
// over that denominator times the number returned. Exit 5 where a class has different scores and offsets.
Integer average_scores(const Instance& instance, const EqualTokens& equal, std::vector<Integer>& scores);

}  // namespace attest_check
