// The scalar head, l(sum_t s_t g_t) for a loss l of a score with l'' <= |l'|: see runs/head.hpp.
#include <algorithm>

#include "proofs/checker/runs/head.hpp"

namespace attest_check {
namespace {

class ScalarHead : public Head {
 public:
  ScalarHead(const Problem& problem, unsigned bits) : Head(problem, bits) {}

  bool covers(const Rational&) const override { return true; }
  Interval limit(const Rational& best, const Rational& gap) const override {
    return share_ * slope(best) * Interval(gap, bits_);
  }
  WeightBounds bounds(const Rational& best, const Rational& gap, const AttentionRange& range) const override {
    const Interval least = slope(best + range.up), most = slope(best - range.down);
    return {share_ * least * Interval(range.kept * (gap - range.down), bits_),
            share_ * most * Interval(gap + range.up, bits_), least / most};
  }
  Interval most_magnitude(const Rational& best, const Rational& gap,
                          const AttentionRange& range) const override {
    return share_ * slope(best - range.down) * Interval(abs(gap) + std::max(range.down, range.up), bits_);
  }
  Rational curvature() const override { return loss_is_linear(problem_.loss) ? 0 : 1; }
  // 1 + lambda Gm + (2 log 2) Gm/least (DYNAMICS.md section 9).
  Interval limit_rate(const Rational& widest, const Rational& least) const override {
    const Interval double_log = Interval(2) * logarithm(Interval::between(2, 2, 0, bits_));
    return Interval(1 + widest * curvature(), bits_) + double_log * Interval(widest / least, bits_);
  }

 private:
  Interval slope(const Rational& score) const { return loss_slope(problem_.loss, Interval(score, bits_)); }
};

}  // namespace

std::unique_ptr<const Head> scalar_head(const Problem& problem, unsigned bits) {
  return std::make_unique<ScalarHead>(problem, bits);
}

}  // namespace attest_check
