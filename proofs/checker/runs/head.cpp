// What all heads share: see runs/head.hpp.
#include "proofs/checker/runs/head.hpp"

#include "proofs/checker/runs/output_point.hpp"

namespace attest_check {

Interval score_difference(const Features& features, std::size_t group, std::size_t a, std::size_t b,
                          unsigned bits) {
  return Interval::ratio(features.score(group, a) - features.score(group, b), features.score_denominator(),
                         bits);
}

Interval multiplicity(const Features& features, std::size_t group, std::size_t token, std::size_t reference,
                      unsigned bits) {
  const Instance& instance = features.instance();
  const std::size_t first = instance.first_row[group];
  Interval sum;
  for (std::size_t t = 0; t < features.tokens_of(group); ++t) {
    if (features.representative(group, t) != token) continue;
    const Rational above = instance.offset(first + t) - instance.offset(first + reference);
    const Integer count(instance.count(first + t));
    sum += Interval::ratio(count, 1, bits) * exponential(Interval(above, bits));
  }
  return sum;
}

Interval by_multiplicity(const Features& features, std::size_t group, std::size_t a, std::size_t b,
                         const Interval& x, unsigned bits) {
  if (features.instance().offsets.size() > 0)
    return x * (multiplicity(features, group, a, a, bits) / multiplicity(features, group, b, a, bits));
  const std::uint64_t of_a = features.multiplicity(group, a), of_b = features.multiplicity(group, b);
  return of_a == of_b ? x : x * Interval::ratio(Integer(of_a), Integer(of_b), bits);
}

Interval score_above_loss(Loss loss, const Interval& score, const Interval& rise) {
  if (loss_is_linear(loss)) return score - rise;
  if (loss == Loss::cross_entropy) return score * exponential(-rise);
  const Interval tail = exponential(-score);
  if (loss == Loss::exponential) return -logarithm(tail + rise);
  return -logarithm(exponential_minus_one(logarithm_of_one_plus(tail) + rise));
}

std::size_t best_token(const Problem& problem, std::size_t group) {
  const Features& features = *problem.features;
  if (features.outputs() != nullptr) return problem.selection[group];
  std::size_t best = 0;
  for (std::size_t t = 1; t < features.tokens_of(group); ++t) {
    if (features.score(group, t) > features.score(group, best)) best = t;
  }
  return best;
}

bool infimum_at_selection(const Problem& problem) {
  const Features& features = *problem.features;
  if (features.outputs() == nullptr) return true;
  if (!features.outputs()->classifier()) return false;
  for (std::size_t i = 0; i < features.groups(); ++i) {
    const std::size_t selected = problem.selection[i];
    for (std::size_t t = 0; t < features.tokens_of(i); ++t) {
      if (t == selected || !features.present(i, t)) continue;
      if (features.outputs()->gap_sign(i, selected, t) <= 0) return false;
    }
  }
  return true;
}

GroupAttention group_attention(const Features& features, std::size_t group, std::size_t reference,
                               const std::vector<Interval>& odds, unsigned bits) {
  GroupAttention result;
  result.reference = reference;
  result.share.resize(odds.size());
  Interval others;
  for (std::size_t t = 0; t < odds.size(); ++t) {
    if (t == reference || !features.present(group, t)) continue;
    result.share[t] = by_multiplicity(features, group, t, reference, odds[t], bits);
    others += result.share[t];
  }
  const Interval selected = Interval(1) / (Interval(1) + others);
  result.rest = others * selected;
  result.share[reference] = selected;
  const std::size_t outputs = features.outputs() == nullptr ? 0 : features.outputs()->count();
  result.outputs.resize(outputs);
  for (std::size_t t = 0; t < odds.size(); ++t) {
    if (t == reference || !features.present(group, t)) continue;
    result.share[t] = result.share[t] * selected;
    for (std::size_t u = 0; u < outputs; ++u)
      result.outputs[u] += result.share[t] * output_difference(features, group, u, reference, t, bits);
    if (outputs == 0)
      result.deficit += result.share[t] * score_difference(features, group, reference, t, bits);
  }
  return result;
}

Interval group_excess(const Problem& problem, std::size_t group, std::size_t best,
                      const GroupAttention& attention, unsigned bits) {
  const Features& features = *problem.features;
  if (features.outputs() != nullptr)
    return output_excess(problem, group, best, attention.reference, attention.outputs, bits);
  const ScoreDrop of = score_drop(features, group, best, attention, bits);
  return loss_excess(problem.loss, of.score, of.drop);
}

ScoreDrop score_drop(const Features& features, std::size_t group, std::size_t best,
                     const GroupAttention& attention, unsigned bits) {
  Interval drop = attention.deficit;
  if (features.score(group, best) != features.score(group, attention.reference))
    drop += score_difference(features, group, best, attention.reference, bits);
  return {Interval(features.exact_score(group, best), bits), drop};
}

namespace {

// With the scores -sum pi_u c_tu: gap_t = -sum pi_u (c_ru - c_tu), deficit likewise of the means.
std::vector<Interval> output_weights(const Problem& problem, std::size_t group,
                                     const GroupAttention& attention, const Interval& share, unsigned bits) {
  const Features& features = *problem.features;
  const std::size_t reference = attention.reference;
  const OutputSlopes slopes =
      output_slopes(problem, group, output_means(features, group, reference, attention.outputs, bits), bits);
  const Interval slope = share * slopes.slope;
  std::vector<Interval> omega(attention.share.size());
  for (std::size_t t = 0; t < omega.size(); ++t) {
    if (t == reference || !features.present(group, t)) continue;
    Interval gap;  // less the deficit
    for (std::size_t u = 0; u < attention.outputs.size(); ++u) {
      const Interval difference = output_difference(features, group, u, reference, t, bits);
      gap += slopes.share[u] * (attention.outputs[u] - difference);
    }
    omega[t] = slope * attention.share[t] * gap;
  }
  return omega;
}

}  // namespace

std::vector<Interval> attention_weights(const Problem& problem, std::size_t group,
                                        const GroupAttention& attention, unsigned bits) {
  const Features& features = *problem.features;
  const Interval share = Interval::ratio(1, Integer(features.groups()), bits);
  const std::size_t reference = attention.reference;
  if (features.outputs() != nullptr) return output_weights(problem, group, attention, share, bits);
  const Interval output = Interval(features.exact_score(group, reference), bits) - attention.deficit;
  const Interval slope = share * loss_slope(problem.loss, output);
  std::vector<Interval> omega(attention.share.size());
  for (std::size_t t = 0; t < omega.size(); ++t) {
    if (t == reference || !features.present(group, t)) continue;
    const Interval gap = score_difference(features, group, reference, t, bits);
    omega[t] = slope * attention.share[t] * (gap - attention.deficit);
  }
  return omega;
}

std::unique_ptr<const Head> make_head(const Problem& problem, unsigned bits) {
  switch (head_kind(problem.loss)) {
    case HeadKind::cross_entropy:
      return cross_entropy_head(problem, bits);
    case HeadKind::classifier:
      return classifier_head(problem, bits);
    case HeadKind::units:
      return relu_head(problem, bits);
    case HeadKind::scalar:
      break;
  }
  return scalar_head(problem, bits);
}

}  // namespace attest_check
