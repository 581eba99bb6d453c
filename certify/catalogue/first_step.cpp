// The gradient at W = 0 over common denominators: integer directions of the groups, enclosed slopes.
#include "certify/catalogue/first_step.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "numerics/numbers/interval.hpp"

namespace attest {

FirstStep::FirstStep(const TokenData& data, const Budget& budget)
    : data_(data), budget_(budget), x_(data.token_factor), z_(data.query_factor) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    budget.poll();
    passed.before(i);
    x_.include(data.first_row[i] * d, data.first_row[i + 1] * d);
    z_.include(i * e, (i + 1) * e);
    for (std::size_t row = data.first_row[i]; row < data.first_row[i + 1]; ++row)
      score_scale_ = boost::multiprecision::lcm(score_scale_, Integer(denominator(data.scores[row])));
  }
}

FirstStep::Group FirstStep::group(std::size_t i) const {
  const std::size_t d = data_.left_dimension;
  std::vector<Integer> score;
  Integer count = 0, total = 0;  // with multiplicities
  for (std::size_t t = 0; t < data_.tokens(i); ++t) {
    score.push_back(scaled_score(i, t));
    count += data_.multiplicity(i, t);
    total += data_.multiplicity(i, t) * score.back();
  }
  Group found;
  found.direction.assign(d, Integer(0));
  for (std::size_t t = 0; t < data_.tokens(i); ++t) {
    const Integer weight = data_.multiplicity(i, t) * (count * score[t] - total);
    if (weight == 0) continue;
    for (std::size_t j = 0; j < d; ++j) found.direction[j] += weight * x_[data_.row(i, t) * d + j];
  }
  found.scale = score_scale_ * x_.denominator() * count * count;
  found.mean = Rational(total, Integer(score_scale_ * count));
  return found;
}

bool FirstStep::enclose(BallMatrix& descent, Loss loss, long bits) const {
  const std::size_t n = data_.groups(), d = data_.left_dimension, e = data_.right_dimension;
  constexpr std::size_t at_once = 1024;
  BallMatrix product(d, e);
  arb_mat_zero(descent.raw());
  PassedGroups passed(data_);
  for (std::size_t first = 0; first < n; first += at_once) {
    passed.before(first);
    const std::size_t count = std::min(at_once, n - first);
    BallMatrix weighted(d, count), queries(count, e);
    for (std::size_t k = 0; k < count; ++k) {
      budget_.poll();
      const Group one = group(first + k);
      const std::optional<Interval> slope = slope_size(loss, one.mean, bits);
      if (!slope) return false;
      const Interval factor = point(Rational(Integer(1), Integer(one.scale * z_.denominator()))) * *slope;
      const Ball weight(factor.lo, factor.hi, bits);
      for (std::size_t j = 0; j < d; ++j) weighted.set(j, k, mul(Ball(one.direction[j]), weight, bits));
      for (std::size_t m = 0; m < e; ++m) queries.set(k, m, Ball(z_[(first + k) * e + m]));
    }
    budget_.needs_seconds(predicted_product_seconds(d, count, e, bits), "the first gradient step");
    arb_mat_mul(product.raw(), weighted.raw(), queries.raw(), bits);
    arb_mat_add(descent.raw(), descent.raw(), product.raw(), bits);
  }
  return true;
}

void FirstStep::margins(BallMatrix& descent, const Selection& selection, long bits,
                        const std::function<bool(const Constraint&, const Interval&)>& seen) const {
  const std::size_t d = data_.left_dimension, e = data_.right_dimension;
  BallMatrix query(e, 1), image(d, 1);
  const Rational unit(Integer(1), Integer(x_.denominator() * z_.denominator()));
  PassedGroups passed(data_);
  for (std::size_t i = 0; i < data_.groups(); ++i) {
    budget_.poll();
    passed.before(i);
    for (std::size_t m = 0; m < e; ++m) query.set(m, 0, Ball(z_[i * e + m]));
    arb_mat_mul(image.raw(), descent.raw(), query.raw(), bits);
    for (std::size_t t = 0; t < data_.tokens(i); ++t) {
      if (t == selection[i] || !data_.present(i, t)) continue;
      Ball sum;
      for (std::size_t j = 0; j < d; ++j)
        arb_addmul(sum.raw(), Ball(token_difference(selection, {i, t}, j)).raw(), image.entry(j, 0), bits);
      if (!seen({i, t}, point(unit) * to_interval(sum))) return;
    }
  }
}

std::optional<Interval> FirstStep::careful_margin(const Selection& selection, const Constraint& c, Loss loss,
                                                  long bits) const {
  const std::size_t d = data_.left_dimension, e = data_.right_dimension;
  std::map<Rational, std::pair<Rational, Rational>> terms;  // mean -> (a mean with its slope, coefficient)
  for (std::size_t i = 0; i < data_.groups(); ++i) {
    budget_.poll();
    const Group one = group(i);
    Integer along = 0;
    for (std::size_t j = 0; j < d; ++j) along += one.direction[j] * token_difference(selection, c, j);
    if (along == 0) continue;
    Integer queries = 0;
    for (std::size_t m = 0; m < e; ++m) queries += z_[i * e + m] * z_[c.group * e + m];
    const Rational coefficient(Integer(along * queries),
                               Integer(one.scale * x_.denominator() * z_.denominator() * z_.denominator()));
    auto& term = terms[loss == Loss::correlation ? Rational(0) : one.mean];  // whose slopes are all 1
    term.first = one.mean;
    term.second += coefficient;
  }
  Interval sum = point(0);
  for (const auto& [mean, term] : terms) {
    const std::optional<Interval> slope = slope_size(loss, term.first, bits);
    if (!slope) return std::nullopt;
    sum = sum + point(term.second) * *slope;
  }
  return sum;
}

Integer FirstStep::scaled_score(std::size_t group, std::size_t token) const {
  const Rational score = data_.score(group, token);
  return numerator(score) * (score_scale_ / denominator(score));
}

Integer FirstStep::token_difference(const Selection& selection, const Constraint& c, std::size_t j) const {
  const std::size_t d = data_.left_dimension;
  return x_[data_.row(c.group, selection[c.group]) * d + j] - x_[data_.row(c.group, c.token) * d + j];
}

}  // namespace attest
