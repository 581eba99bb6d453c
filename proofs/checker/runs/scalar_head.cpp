// The scalar head: see runs/scalar_head.hpp.
#include "proofs/checker/runs/scalar_head.hpp"

#include <algorithm>

namespace attest_check {

ScalarHead::ScalarHead(const Problem& problem, unsigned bits)
    : Head(problem, bits), loss_(loss_of_output(problem.loss)) {}

Rational ScalarHead::best(std::size_t group) const {
  return problem_.features->exact_score(group, problem_.selection[group]);
}

Rational ScalarHead::gap(const Constraint& c) const {
  return best(c.group) - problem_.features->exact_score(c.group, c.token);
}

Interval ScalarHead::limit(const Constraint& c) const {
  return share_ * slope(best(c.group)) * Interval(gap(c), bits_);
}

WeightBounds ScalarHead::bounds(const Constraint& c, const AttentionRange& range) const {
  const Rational top = best(c.group), apart = gap(c);
  const Interval least = slope(top + range.up), most = slope(top - range.down);
  return {share_ * least * Interval(range.kept * (apart - range.down), bits_),
          share_ * most * Interval(apart + range.up, bits_), least / most};
}

Interval ScalarHead::most_magnitude(const Constraint& c, const AttentionRange& range) const {
  return share_ * slope(best(c.group) - range.down) *
         Interval(abs(gap(c)) + std::max(range.down, range.up), bits_);
}

Interval ScalarHead::bend(std::size_t, const AttentionRange& range) const {
  return linear() ? Interval(0) : Interval(range.down, bits_);
}

bool ScalarHead::settled(const Constraint& c, const Rational& lost, const Rational& widest) const {
  return 2 * lost * widest <= gap(c);
}

// 1 + lambda Gm + (2 log 2) Gm/least (DYNAMICS.md section 9).
Interval ScalarHead::limit_rate(std::size_t, const Rational& widest, const Rational& least) const {
  const Interval double_log = Interval(2) * logarithm(Interval::between(2, 2, 0, bits_));
  const Rational bend = linear() ? 0 : 1;
  return Interval(1 + widest * bend, bits_) + double_log * Interval(widest / least, bits_);
}

Interval ScalarHead::excess(std::size_t group, const Rational& drop) const {
  return loss_excess(loss_, Interval(best(group), bits_), Interval(drop, bits_));
}

std::unique_ptr<const Head> scalar_head(const Problem& problem, unsigned bits) {
  return std::make_unique<ScalarHead>(problem, bits);
}

}  // namespace attest_check
