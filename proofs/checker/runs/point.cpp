// One point of a run: see runs/point.hpp.
#include "proofs/checker/runs/point.hpp"

namespace attest_check {

StartImage start_image(const Features& features, const StartPoint& start) {
  const std::size_t left = features.left_dimension(), right = features.right_dimension();
  StartImage image;
  image.rows.assign(features.groups(), std::vector<Integer>(left));
  if (start.empty()) return image;
  for (const Rational& x : start) image.denominator = lcm(image.denominator, x.get_den());
  std::vector<std::vector<Integer>> matrix(left);
  for (std::size_t a = 0; a < left; ++a) {
    for (std::size_t b = 0; b < right; ++b) {
      const Rational& x = start[a * right + b];
      matrix[a].push_back(x.get_num() * (image.denominator / x.get_den()));
    }
  }
  for (std::size_t i = 0; i < features.groups(); ++i) {
    for (std::size_t a = 0; a < left; ++a) image.rows[i][a] = features.queries().dot(i, matrix[a]);
  }
  image.denominator *= features.queries().denominator();
  return image;
}

Rational squared_norm(const StartPoint& start) {
  Rational sum;
  for (const Rational& x : start) sum += x * x;
  return sum;
}

RunPoint start_point_facts(const ReferenceDirection& direction, const StartPoint& start, unsigned bits) {
  const Problem& problem = direction.centre->problem();
  const Features& features = *problem.features;
  const StartImage image = start_image(features, start);
  const Integer denominator = image.denominator * features.tokens().denominator();
  const ConstraintVector& listed = direction.centre->vector();
  RunPoint point;
  point.margin.resize(features.groups());
  Integer along;  // <W_0, w~>
  std::size_t k = 0;
  for (std::size_t i = 0; i < features.groups(); ++i) {
    const std::size_t tokens = features.tokens_of(i), selected = problem.selection[i];
    point.margin[i].resize(tokens);
    std::vector<Interval> odds(tokens);
    const Integer top = features.tokens().dot(features.row(i, selected), image.rows[i]);
    for (std::size_t t = 0; t < tokens; ++t) {
      if (t == selected || !features.present(i, t)) continue;
      const Integer margin = top - features.tokens().dot(features.row(i, t), image.rows[i]);
      if (k < listed.size() && listed.at[k] == Constraint{i, t}) along += listed.numerator[k++] * margin;
      point.margin[i][t] = Interval::ratio(margin, denominator, bits);
      odds[t] = exponential(-point.margin[i][t]);
    }
    if (features.different(i) == 1) continue;
    point.loss_gap += group_excess(problem, i, best_token(problem, i),
                                   group_attention(features, i, selected, odds, bits), bits);
  }
  point.loss_gap = point.loss_gap / Interval(static_cast<long>(features.groups()));
  const Interval squared(squared_norm(start), bits);
  point.norm = square_root(squared);
  const Interval slack = point.norm * direction.radius;
  const Interval inner = Interval::ratio(along, listed.denominator * denominator, bits);
  point.height = Interval::hull(inner - slack, inner + slack) / direction.norm;
  point.residual = square_root(squared - point.height * point.height);
  return point;
}

}  // namespace attest_check
