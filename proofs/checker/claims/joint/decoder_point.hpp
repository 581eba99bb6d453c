// A decoder beside its limit, where every sequence supports it with a positive multiplier: what T20 asks of v
// (JOINT.md section 4, whose names these are).
#pragma once

#include "proofs/checker/claims/joint/decoder_limit.hpp"

namespace attest_check {

class DecoderPoint {
 public:
  // Rejects where <v, u_v> is not positive; Imprecise where the kappa_i may be linearly dependent.
  DecoderPoint(const Claim& claim, const DecoderLimit& limit, const std::vector<Interval>& v, unsigned bits);

  std::size_t groups() const { return kappa_.size(); }
  const std::vector<Interval>& kappa(std::size_t group) const { return kappa_[group]; }
  // <kappa_i, x>.
  std::vector<Interval> products(const std::vector<Interval>& x) const;
  // The square of the vector in the span of the kappa_i that has these products with them.
  Interval span_square(const std::vector<Interval>& products) const;

  const Interval& along() const { return along_; }                        // y
  const Interval& inner() const { return inner_; }                        // ||q - q*||
  const Interval& longest() const { return longest_; }                    // k
  const Interval& centre(std::size_t i) const { return centre_[i]; }      // z*_i
  const Interval& sideways(std::size_t i) const { return sideways_[i]; }  // ||kappa_i^perp||
  const std::vector<Interval>& still() const { return still_; }           // q* + r

  // Rejects unless log Z' >= level wherever ||q - q*|| >= reach, as one box b_i > 0 for each group shows.
  void require_held(const Claim& claim, const Interval& level, const Interval& reach,
                    const std::vector<Interval>& boxes) const;

 private:
  const DecoderLimit& limit_;
  std::vector<std::vector<Interval>> kappa_, inverse_;  // of their Gram matrix
  std::vector<Interval> centre_, sideways_, still_;
  Interval along_, inner_, longest_;
};

}  // namespace attest_check
