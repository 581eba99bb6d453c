// The gradient at W = 0 over common denominators: integer directions of the groups, enclosed slopes.
#include "certify/catalogue/first_step.hpp"

#include <map>

#include "numerics/numbers/interval.hpp"

namespace attest {

FirstStep::FirstStep(const TokenData& data, const Budget& budget)
    : data_(data),
      budget_(budget),
      x_(over_common_denominator(data.token_factor, data.first_row.back(), data.left_dimension, budget)),
      z_(over_common_denominator(data.query_factor, data.groups(), data.right_dimension, budget)) {
  for (const Rational& score : data.scores) {
    score_scale_ = boost::multiprecision::lcm(score_scale_, Integer(denominator(score)));
  }
  const std::size_t d = data.left_dimension;
  direction_.assign(data.groups() * d, Integer(0));
  for (std::size_t i = 0; i < data.groups(); ++i) {
    budget.poll();
    Integer count = 0, total = 0;  // with multiplicities
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      count += data.multiplicity(i, t);
      total += data.multiplicity(i, t) * scaled_score(i, t);
    }
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      const Integer weight = data.multiplicity(i, t) * (count * scaled_score(i, t) - total);
      if (weight == 0) continue;
      for (std::size_t j = 0; j < d; ++j) {
        direction_[i * d + j] += weight * x_.numerators[data.row(i, t) * d + j];
      }
    }
    // C_i = direction_i / scale_i
    scale_.push_back(score_scale_ * x_.denominator * count * count);
    mean_.push_back(Rational(total, Integer(score_scale_ * count)));
  }
}

std::optional<std::vector<Interval>> FirstStep::slopes(Loss loss, long bits) const {
  std::map<Rational, Interval> known;
  std::vector<Interval> result;
  for (const Rational& u : mean_) {
    auto found = known.find(u);
    if (found == known.end()) {
      const std::optional<Interval> slope = slope_size(loss, u, bits);
      if (!slope) return std::nullopt;
      found = known.emplace(u, *slope).first;
    }
    result.push_back(found->second);
  }
  return result;
}

void FirstStep::enclose(BallMatrix& descent, const std::vector<Interval>& slope, long bits) const {
  const std::size_t n = data_.groups(), d = data_.left_dimension, e = data_.right_dimension;
  BallMatrix weighted(d, n), queries(n, e);
  for (std::size_t i = 0; i < n; ++i) {
    budget_.poll();
    const Interval factor = point(Rational(Integer(1), Integer(scale_[i] * z_.denominator))) * slope[i];
    const Ball weight(factor.lo, factor.hi, bits);
    for (std::size_t j = 0; j < d; ++j) weighted.set(j, i, mul(Ball(direction_[i * d + j]), weight, bits));
    for (std::size_t m = 0; m < e; ++m) queries.set(i, m, Ball(z_.numerators[i * e + m]));
  }
  budget_.needs_seconds(predicted_product_seconds(d, n, e, bits), "the first gradient step");
  arb_mat_mul(descent.raw(), weighted.raw(), queries.raw(), bits);
}

std::vector<Interval> FirstStep::margins(const Selection& selection, const std::vector<Constraint>& wanted,
                                         const std::vector<Interval>& slope, long bits) const {
  const std::size_t n = data_.groups(), d = data_.left_dimension, e = data_.right_dimension;
  BallMatrix descent(d, e), transposed(e, n), image(d, n);
  enclose(descent, slope, bits);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < e; ++m) transposed.set(m, i, Ball(z_.numerators[i * e + m]));
  }
  budget_.needs_seconds(predicted_product_seconds(d, e, n, bits), "the first gradient step's margins");
  arb_mat_mul(image.raw(), descent.raw(), transposed.raw(), bits);
  const Rational unit(Integer(1), Integer(x_.denominator * z_.denominator));
  std::vector<Interval> result;
  for (const Constraint& c : wanted) {
    budget_.poll();
    Ball sum;
    for (std::size_t j = 0; j < d; ++j) {
      arb_addmul(sum.raw(), Ball(token_difference(selection, c, j)).raw(), image.entry(j, c.group), bits);
    }
    result.push_back(point(unit) * to_interval(sum));
  }
  return result;
}

Interval FirstStep::careful_margin(const Selection& selection, const Constraint& c,
                                   const std::vector<Interval>& slope, bool all_slopes_equal) const {
  const std::size_t d = data_.left_dimension, e = data_.right_dimension;
  std::map<Rational, std::pair<std::size_t, Rational>> terms;  // mean -> (a group with it, coefficient)
  for (std::size_t i = 0; i < data_.groups(); ++i) {
    Integer along = 0;
    for (std::size_t j = 0; j < d; ++j) along += direction_[i * d + j] * token_difference(selection, c, j);
    if (along == 0) continue;
    Integer queries = 0;
    for (std::size_t m = 0; m < e; ++m) queries += z_.numerators[i * e + m] * z_.numerators[c.group * e + m];
    const Rational coefficient(Integer(along * queries),
                               Integer(scale_[i] * x_.denominator * z_.denominator * z_.denominator));
    auto& term = terms[all_slopes_equal ? Rational(0) : mean_[i]];
    term.first = i;
    term.second += coefficient;
  }
  Interval sum = point(0);
  for (const auto& [mean, term] : terms) sum = sum + point(term.second) * slope[term.first];
  return sum;
}

Integer FirstStep::scaled_score(std::size_t group, std::size_t token) const {
  const Rational& score = data_.score(group, token);
  return numerator(score) * (score_scale_ / denominator(score));
}

Integer FirstStep::token_difference(const Selection& selection, const Constraint& c, std::size_t j) const {
  const std::size_t d = data_.left_dimension;
  return x_.numerators[data_.row(c.group, selection[c.group]) * d + j] -
         x_.numerators[data_.row(c.group, c.token) * d + j];
}

}  // namespace attest
