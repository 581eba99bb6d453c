// Loss and gradient at an iterate, group by group, of iterations that are replayed number by number.
#pragma once

#include <vector>

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/problem/problem.hpp"

namespace attest_check {

// Of a head of one output.
class GroupPulls {
 public:
  // The problem must outlive them, and names a loss.
  GroupPulls(const Problem& problem, unsigned bits);

  std::size_t groups() const { return queries_.size(); }
  const std::vector<Interval>& query(std::size_t group) const { return queries_[group]; }
  // At another W, no group has pulled yet.
  void begin();
  // y, where W z is `image`: the group adds y z' to -grad L, z its query.
  std::vector<Interval> pull(std::size_t group, const std::vector<Interval>& image);
  // Once all groups have pulled:
  Interval loss_gap() const;                                  // L - L*
  const Interval& unselected() const { return unselected_; }  // max_i 1 - s of the selected tokens

  // Goes on with so many bits: features are rounded outward.
  void narrow(unsigned bits);

 private:
  std::vector<Interval> logits(std::size_t group, const std::vector<Interval>& image) const;

  const Problem& problem_;
  unsigned bits_;
  std::vector<std::vector<Interval>> tokens_, queries_;
  Interval excess_, unselected_;
};

}  // namespace attest_check
