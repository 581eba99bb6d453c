// How far entries of W may be from the ray's while the divergence from it is bounded: Lemmas 9 and 10 of
// MIRROR.md.
#pragma once

#include <vector>

#include "proofs/checker/base/interval.hpp"

namespace attest_check {

class MirrorEntries {
 public:
  // D(a, a+e) <= energy for some a whose entries are in `ray`; exponent P.
  MirrorEntries(const Rational& exponent, const std::vector<Interval>& ray, const Interval& energy);

  // At least |sum h_j e_j|; `squares` has h_j^2.
  Interval reach(const std::vector<Interval>& h, const std::vector<Interval>& squares) const;
  // The divergence is at least e_j^2/(2 softness); 0 at loose entries, where that is not known.
  const std::vector<Interval>& softness() const { return softness_; }
  // At least |e_j|; P > 2.
  const Interval& farthest(std::size_t j) const { return farthest_[j]; }

 private:
  void soften(const std::vector<Interval>& ray);
  void hold(const Interval& entry);

  const Rational exponent_;
  const Interval energy_;
  Interval widest_;  // of a loose entry, and (sum |e_j|^P)^(1/P) of all loose ones
  std::vector<Interval> softness_, farthest_;
  std::vector<std::size_t> loose_;
};

}  // namespace attest_check
