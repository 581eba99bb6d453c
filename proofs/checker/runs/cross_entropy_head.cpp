// Selection cross-entropy, -log s_y: see runs/head.hpp. As T1 has it for the scores 1 of y and 0 of the
// others and l(f) = -log f, f = s_y, where y is selected: omega_c = (1/n) s_c, b_c = (1/n) s_y (k_c/k_y).
//
// Proofs in DYNAMICS.md section 11. In particular theta_c = -log(1 - q)/q >= 1 with q = 1 - s_y; |log(b_c/its
// limit)| = -log s_y = log(1 + E) <= E, E = sum_t s_t/s_y; and T12n's L'' <= Dm^2 Om, |Om'| <= Dm Om.
#include "proofs/checker/runs/scalar_head.hpp"

namespace attest_check {
namespace {

class CrossEntropyHead : public ScalarHead {
 public:
  CrossEntropyHead(const Problem& problem, unsigned bits) : ScalarHead(problem, bits) {}

  // Elsewhere b_c has no bound: the weight of y, whose attention may be as small as it likes, is -(1 -
  // s_y)/n.
  bool covers(std::size_t group) const override { return best(group) == 1; }
  Interval limit(const Constraint&) const override { return share_; }
  WeightBounds bounds(const Constraint&, const AttentionRange& range) const override {
    return {share_ * Interval(range.kept, bits_), share_, Interval(1)};
  }
  Interval most_magnitude(const Constraint&, const AttentionRange&) const override { return share_; }
  Interval bend(std::size_t, const AttentionRange&) const override { return Interval(0); }
  Interval limit_rate(std::size_t, const Rational&, const Rational&) const override { return Interval(1); }
};

}  // namespace

std::unique_ptr<const Head> cross_entropy_head(const Problem& problem, unsigned bits) {
  return std::make_unique<CrossEntropyHead>(problem, bits);
}

}  // namespace attest_check
