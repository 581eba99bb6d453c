// Mirror descent replayed: see claims/mirror/replay.hpp.
#include "proofs/checker/claims/mirror/replay.hpp"

#include "proofs/checker/base/powers.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

}  // namespace

MirrorDirection::MirrorDirection(const Claim& claim, const NormOptimum& optimum, unsigned bits)
    : norm(Interval::hull(Interval(optimum.lo, bits), Interval(optimum.hi, bits))) {
  claim.require(optimum.distance.has_value(), "the claim cited does not say how far the solution is");
  const Interval distance(*optimum.distance, bits);
  for (const Rational& entry : optimum.primal.entries()) {
    const Interval near(entry, bits);
    entries.push_back(Interval::hull(near - distance, near + distance) / norm);
  }
}

MirrorReplay::MirrorReplay(const Problem& problem, const Rational& exponent, const MirrorSteps& steps,
                           const StartPoint& start, unsigned bits)
    : exponent_(exponent),
      dual_exponent_(exponent / (exponent - 1)),
      steps_(steps),
      bits_(bits),
      pulls_(problem, bits),
      dual_(problem.features->left_dimension() * problem.features->right_dimension()) {
  for (std::size_t j = 0; j < start.size(); ++j)
    dual_[j] = signed_power(Interval(start[j], bits), exponent - 1, bits);
}

// (sum |x_j|^exponent)^(1/exponent).
Interval MirrorReplay::size_of(const Vector& x, const Rational& exponent) const {
  Interval sum;
  for (const Interval& entry : x) sum += power(absolute(entry), exponent, bits_);
  return power(sum, 1 / exponent, bits_);
}

// <W,Z> = ||W||_P^P = ||Z||_Q^Q.
Interval MirrorReplay::norm() const {
  return power(inner_product(primal_, dual_), 1 / exponent_, bits_);
}

Interval MirrorReplay::dual_norm() const {
  return power(inner_product(primal_, dual_), 1 / dual_exponent_, bits_);
}

void MirrorReplay::evaluate() {
  primal_.clear();
  for (const Interval& z : dual_) primal_.push_back(signed_power(z, dual_exponent_ - 1, bits_));
  velocity_.assign(dual_.size(), Interval());
  pulls_.begin();
  for (std::size_t i = 0; i < pulls_.groups(); ++i) {
    const Vector& query = pulls_.query(i);
    add_outer(pulls_.pull(i, product_of(primal_, query, query.size())), query, velocity_);
  }
}

void MirrorReplay::advance(std::size_t t) {
  Interval factor = steps_.step_size(t, bits_);
  if (steps_.rule == MirrorRule::nmd) factor = factor / size_of(velocity_, dual_exponent_);
  for (std::size_t j = 0; j < dual_.size(); ++j) dual_[j] += factor * velocity_[j];
}

}  // namespace attest_check
