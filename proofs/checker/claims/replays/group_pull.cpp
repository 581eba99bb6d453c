// Loss and gradient, group by group: see claims/replays/group_pull.hpp.
#include "proofs/checker/claims/replays/group_pull.hpp"

#include "proofs/checker/claims/replays/spent_bits.hpp"
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

// Exact at 0, as the attention of W = 0 is; with bits, which quotients of it take.
Interval power_of_e(const Interval& x, unsigned bits) {
  return x.nonnegative() && (-x).nonnegative() ? Interval::ratio(1, 1, bits) : exponential(x);
}

}  // namespace

GroupPulls::GroupPulls(const Problem& problem, unsigned bits)
    : problem_(problem),
      bits_(bits),
      tokens_(rows_of(problem.features->tokens(), bits)),
      queries_(rows_of(problem.features->queries(), bits)) {}

void GroupPulls::begin() {
  excess_ = unselected_ = Interval();
}

Interval GroupPulls::loss_gap() const {
  return excess_ * Interval::ratio(1, Integer(groups()), bits_);
}

void GroupPulls::narrow(unsigned bits) {
  bits_ = bits;
  for (std::vector<Vector>* rows : {&tokens_, &queries_}) round_to(bits, *rows);
}

// By token, those that are not present too.
Vector GroupPulls::logits(std::size_t group, const Vector& image) const {
  const Features& features = *problem_.features;
  Vector result;
  for (std::size_t t = 0; t < features.tokens_of(group); ++t)
    result.push_back(inner_product(tokens_[features.row(group, t)], image));
  return result;
}

// Relative to the token that seems to have the largest logit.
Vector GroupPulls::pull(std::size_t group, const Vector& image) {
  const Features& features = *problem_.features;
  const std::size_t selected = problem_.selection[group];
  const Vector logit = logits(group, image);
  std::size_t reference = selected;
  for (std::size_t t = 0; t < logit.size(); ++t) {
    if (features.present(group, t) && logit[t].lower() > logit[reference].lower()) reference = t;
  }
  Vector odds(logit.size());
  for (std::size_t t = 0; t < logit.size(); ++t)
    if (t != reference) odds[t] = power_of_e(logit[t] - logit[reference], bits_);
  const GroupAttention attention = group_attention(features, group, reference, odds, bits_);
  Interval others;
  for (std::size_t t = 0; t < logit.size(); ++t)
    if (t != selected && features.present(group, t)) others += attention.share[t];
  unselected_ = maximum(unselected_, others);
  excess_ += group_excess(problem_, group, best_token(problem_, group), attention, bits_);
  const Vector omega = attention_weights(problem_, group, attention, bits_);
  const Vector& first = tokens_[features.row(group, reference)];
  Vector pulled(first.size());
  for (std::size_t t = 0; t < logit.size(); ++t) {
    if (t == reference || !features.present(group, t)) continue;
    const Vector& token = tokens_[features.row(group, t)];
    for (std::size_t j = 0; j < first.size(); ++j) pulled[j] += omega[t] * (first[j] - token[j]);
  }
  return pulled;
}

}  // namespace attest_check
