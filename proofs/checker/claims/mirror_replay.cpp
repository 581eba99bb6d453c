// Mirror descent replayed: see claims/mirror_replay.hpp.
#include "proofs/checker/claims/mirror_replay.hpp"

#include "proofs/checker/base/powers.hpp"
#include "proofs/checker/claims/decoder_limit.hpp"
#include "proofs/checker/runs/head.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

std::vector<Vector> rows_of(const ScaledMatrix& matrix, unsigned bits) {
  std::vector<Vector> rows(matrix.rows());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const Integer& entry : matrix.row(row))
      rows[row].push_back(Interval::ratio(entry, matrix.denominator(), bits));
  }
  return rows;
}

// Exact at 0, as the attention of W = 0 is.
Interval power_of_e(const Interval& x) {
  return x.nonnegative() && (-x).nonnegative() ? Interval(1) : exponential(x);
}

}  // namespace

Interval MirrorSteps::size(std::size_t t, unsigned bits) const {
  const Interval count(static_cast<long>(t + 1));
  return schedule_law(schedule).size(Interval(step, bits), count, bits);
}

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
    : problem_(problem),
      exponent_(exponent),
      dual_exponent_(exponent / (exponent - 1)),
      steps_(steps),
      bits_(bits),
      tokens_(rows_of(problem.features->tokens(), bits)),
      queries_(rows_of(problem.features->queries(), bits)),
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

Vector MirrorReplay::logits(std::size_t group) const {
  const Features& features = *problem_.features;
  const Vector& query = queries_[group];
  Vector image, result;
  for (std::size_t j = 0; j < features.left_dimension(); ++j) {
    Interval& sum = image.emplace_back();
    for (std::size_t k = 0; k < query.size(); ++k) sum += primal_[j * query.size() + k] * query[k];
  }
  for (std::size_t t = 0; t < features.tokens_of(group); ++t)
    result.push_back(inner_product(tokens_[features.row(group, t)], image));
  return result;
}

// Relative to the token that seems to have the largest logit.
void MirrorReplay::pull(std::size_t group) {
  const Features& features = *problem_.features;
  const Vector logit = logits(group), &query = queries_[group];
  std::size_t reference = problem_.selection[group];
  for (std::size_t t = 0; t < logit.size(); ++t) {
    if (features.present(group, t) && logit[t].lower() > logit[reference].lower()) reference = t;
  }
  Vector odds(logit.size());
  for (std::size_t t = 0; t < logit.size(); ++t)
    if (t != reference) odds[t] = power_of_e(logit[t] - logit[reference]);
  const GroupAttention attention = group_attention(features, group, reference, odds, bits_);
  Interval others;
  for (std::size_t t = 0; t < logit.size(); ++t)
    if (t != problem_.selection[group] && features.present(group, t)) others += attention.share[t];
  unselected_ = maximum(unselected_, others);
  loss_gap_ += group_excess(problem_, group, best_token(problem_, group), attention, bits_);
  const Vector omega = attention_weights(problem_, group, attention, bits_);
  const Vector& first = tokens_[features.row(group, reference)];
  Vector pulled(first.size());
  for (std::size_t t = 0; t < logit.size(); ++t) {
    if (t == reference || !features.present(group, t)) continue;
    const Vector& token = tokens_[features.row(group, t)];
    for (std::size_t j = 0; j < first.size(); ++j) pulled[j] += omega[t] * (first[j] - token[j]);
  }
  for (std::size_t j = 0; j < first.size(); ++j)
    for (std::size_t k = 0; k < query.size(); ++k) velocity_[j * query.size() + k] += pulled[j] * query[k];
}

void MirrorReplay::evaluate() {
  const std::size_t groups = problem_.features->groups();
  primal_.clear();
  for (const Interval& z : dual_) primal_.push_back(signed_power(z, dual_exponent_ - 1, bits_));
  velocity_.assign(dual_.size(), Interval());
  loss_gap_ = unselected_ = Interval();
  for (std::size_t i = 0; i < groups; ++i) pull(i);
  loss_gap_ = loss_gap_ * Interval::ratio(1, Integer(groups), bits_);
}

void MirrorReplay::advance(std::size_t t) {
  Interval factor = steps_.size(t, bits_);
  if (steps_.rule == MirrorRule::nmd) factor = factor / size_of(velocity_, dual_exponent_);
  for (std::size_t j = 0; j < dual_.size(); ++j) dual_[j] += factor * velocity_[j];
}

}  // namespace attest_check
