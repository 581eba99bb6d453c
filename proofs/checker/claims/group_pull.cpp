// One group's part of loss and gradient: see claims/group_pull.hpp.
#include "proofs/checker/claims/group_pull.hpp"

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

// Exact at 0, as the attention of W = 0 is; with bits, which quotients of it take.
Interval power_of_e(const Interval& x, unsigned bits) {
  return x.nonnegative() && (-x).nonnegative() ? Interval::ratio(1, 1, bits) : exponential(x);
}

}  // namespace

FeatureRows::FeatureRows(const Features& features, unsigned bits)
    : tokens(rows_of(features.tokens(), bits)), queries(rows_of(features.queries(), bits)) {}

Vector FeatureRows::logits(const Features& features, std::size_t group, const Vector& image) const {
  Vector result;
  for (std::size_t t = 0; t < features.tokens_of(group); ++t)
    result.push_back(inner_product(tokens[features.row(group, t)], image));
  return result;
}

// Relative to the token that seems to have the largest logit.
GroupPull group_pull(const Problem& problem, const FeatureRows& rows, std::size_t group, const Vector& logit,
                     unsigned bits) {
  const Features& features = *problem.features;
  std::size_t reference = problem.selection[group];
  for (std::size_t t = 0; t < logit.size(); ++t) {
    if (features.present(group, t) && logit[t].lower() > logit[reference].lower()) reference = t;
  }
  Vector odds(logit.size());
  for (std::size_t t = 0; t < logit.size(); ++t)
    if (t != reference) odds[t] = power_of_e(logit[t] - logit[reference], bits);
  const GroupAttention attention = group_attention(features, group, reference, odds, bits);
  GroupPull pull;
  for (std::size_t t = 0; t < logit.size(); ++t)
    if (t != problem.selection[group] && features.present(group, t)) pull.unselected += attention.share[t];
  pull.excess = group_excess(problem, group, best_token(problem, group), attention, bits);
  const Vector omega = attention_weights(problem, group, attention, bits);
  const Vector& first = rows.tokens[features.row(group, reference)];
  pull.token.resize(first.size());
  for (std::size_t t = 0; t < logit.size(); ++t) {
    if (t == reference || !features.present(group, t)) continue;
    const Vector& token = rows.tokens[features.row(group, t)];
    for (std::size_t j = 0; j < first.size(); ++j) pull.token[j] += omega[t] * (first[j] - token[j]);
  }
  return pull;
}

}  // namespace attest_check
