// What all heads share: see runs/head.hpp.
#include "proofs/checker/runs/head.hpp"

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

std::size_t best_token(const Features& features, std::size_t group) {
  std::size_t best = 0;
  for (std::size_t t = 1; t < features.tokens_of(group); ++t) {
    if (features.score(group, t) > features.score(group, best)) best = t;
  }
  return best;
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
  for (std::size_t t = 0; t < odds.size(); ++t) {
    if (t == reference || !features.present(group, t)) continue;
    result.share[t] = result.share[t] * selected;
    result.deficit += result.share[t] * score_difference(features, group, reference, t, bits);
  }
  return result;
}

Interval group_excess(const Problem& problem, std::size_t group, std::size_t best,
                      const GroupAttention& attention, unsigned bits) {
  const Features& features = *problem.features;
  Interval deficit = attention.deficit;
  if (features.score(group, best) != features.score(group, attention.reference))
    deficit += score_difference(features, group, best, attention.reference, bits);
  return loss_excess(problem.loss, Interval(features.exact_score(group, best), bits), deficit);
}

std::vector<Interval> attention_weights(const Problem& problem, std::size_t group,
                                        const GroupAttention& attention, unsigned bits) {
  const Features& features = *problem.features;
  const Interval share = Interval::ratio(1, Integer(features.groups()), bits);
  const std::size_t reference = attention.reference;
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
  return problem.loss == Loss::cross_entropy ? cross_entropy_head(problem, bits) : scalar_head(problem, bits);
}

}  // namespace attest_check
