// The checker's own pseudo-orbit: see replay.hpp.
#include "proofs/checker/replay.hpp"

#include <algorithm>

#include "proofs/checker/failure.hpp"

namespace attest_check {
namespace {

std::vector<std::size_t> groups_with_choice(const Features& features) {
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < features.groups(); ++i) {
    if (features.tokens_of(i) > 1) groups.push_back(i);
  }
  return groups;
}

void add_product(Integer& sum, const Integer& a, const Integer& b) {
  mpz_addmul(sum.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
}

Integer magnitude(const Integer& x) {
  return x < 0 ? Integer(-x) : x;
}

}  // namespace

Replay::Replay(const ReferenceDirection& direction, const Specification& specification, const StartPoint& start,
               unsigned fraction_bits)
    : direction_(direction),
      problem_(direction.centre->problem()),
      features_(*problem_.features),
      specification_(specification),
      start_(start),
      fraction_bits_(fraction_bits),
      bits_(fraction_bits + 32),
      growth_(features_, groups_with_choice(features_)),
      active_(groups_with_choice(features_)),
      start_image_(start_image(features_, start)) {
  const std::size_t left = features_.left_dimension(), count = active_.size();
  const Integer& tokens = features_.tokens().denominator();
  const Integer& queries = features_.queries().denominator();
  const Integer own = power_of_two(fraction_bits_) * tokens * queries * queries;
  start_scale_ = start.empty() ? Integer(0) : own;
  image_denominator_ = own * start_image_.denominator;
  start_norm_squared_ = Interval(squared_norm(start), bits_);
  const ConstraintVector& listed = direction.centre->vector();
  std::size_t next = 0;
  for (std::size_t a = 0; a < count; ++a) {
    const std::size_t i = active_[a], size = features_.tokens_of(i);
    std::vector<Integer>& row = gram_.emplace_back(count);
    for (std::size_t b = 0; b < count; ++b)
      row[b] = features_.queries().dot(i, features_.queries(), active_[b]) * start_image_.denominator;
    std::vector<std::vector<Interval>>& reach = reach_.emplace_back(size, std::vector<Interval>(size));
    for (std::size_t s = 0; s < size; ++s) {
      for (std::size_t t = 0; t < s; ++t)
        reach[s][t] = reach[t][s] = square_root(Interval(token_distance_squared(features_, i, s, t), 64)).upper_end();
    }
    best_.push_back(best_token(features_, i));
    std::vector<Integer> sum(left);
    for (; next < listed.size() && listed.at[next].group == i; ++next) {
      const std::vector<Integer> difference = features_.tokens().difference(
          features_.row(i, problem_.selection[i]), features_.row(i, listed.at[next].token));
      for (std::size_t k = 0; k < left; ++k) add_product(sum[k], listed.numerator[next], difference[k]);
    }
    for (Integer& x : sum) x = divide_floor(x << bits_, listed.denominator * tokens);
    direction_coordinates_.push_back(std::move(sum));
  }
  position_.assign(count, std::vector<Integer>(left));
  image_ = position_;
}

// W~_t z_i, exactly.
void Replay::refresh_image() {
  for (std::size_t a = 0; a < active_.size(); ++a) {
    for (std::size_t k = 0; k < image_[a].size(); ++k) {
      Integer& entry = image_[a][k];
      entry = start_image_.rows[active_[a]][k] * start_scale_;
      for (std::size_t b = 0; b < active_.size(); ++b) add_product(entry, gram_[a][b], position_[b][k]);
    }
  }
}

Replay::Evaluation Replay::evaluate_softmax(const std::vector<std::vector<Interval>>& odds) const {
  Evaluation at;
  const Interval weight = Interval::ratio(1, Integer(features_.groups()), bits_);
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = active_[a], reference = reference_[a];
    GroupAttention attention = group_attention(features_, i, reference, odds[a], bits_);
    const Interval output = Interval(features_.exact_score(i, reference), bits_) - attention.deficit;
    at.slope.push_back(weight * loss_slope(problem_.loss, output));
    std::vector<Interval>& omega = at.omega.emplace_back(odds[a].size());
    Interval total;
    for (std::size_t t = 0; t < omega.size(); ++t) {
      if (t == reference) continue;
      const Interval gap = score_difference(features_, i, reference, t, bits_);
      omega[t] = at.slope.back() * attention.share[t] * (gap - attention.deficit);
      total += omega[t];
    }
    omega[reference] = -total;
    at.attention.push_back(std::move(attention));
  }
  return at;
}

Interval Replay::total_loss_gap(const Evaluation& at) const {
  Interval sum;
  for (std::size_t a = 0; a < active_.size(); ++a)
    sum += group_excess(problem_, active_[a], best_[a], at.attention[a], bits_);
  return sum / Interval::between(Integer(features_.groups()), Integer(features_.groups()), 0, bits_);
}

// ||sum omega_it (a_i,reference - a_it)||: the weights are rounded to integers over one power of two, the norm of their
// combination is exact, and what was rounded away is bounded by the triangle inequality.
Interval Replay::velocity_norm(const Evaluation& at) const {
  Interval largest(0);
  for (const auto& group : at.omega) {
    for (const Interval& x : group) largest = maximum(largest, absolute(x).rounded(64));
  }
  const Rational top = largest.upper();
  if (top == 0) return Interval(0);
  const long scale = static_cast<long>(bits_) + static_cast<long>(bit_length(top.get_den())) -
                     static_cast<long>(bit_length(top.get_num()));
  Interval slack;
  std::vector<std::vector<Integer>> combination(active_.size());
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = active_[a];
    std::vector<Integer>& sum = combination[a];
    sum.resize(features_.left_dimension());
    Integer total;
    for (std::size_t t = 0; t < at.omega[a].size(); ++t) {
      if (t == reference_[a]) continue;
      const Integer lo = at.omega[a][t].floor_at(scale), hi = at.omega[a][t].ceil_at(scale);
      slack += reach_[a][reference_[a]][t] * Interval::between(0, hi - lo, -scale, 64);
      features_.tokens().add_multiple(-lo, features_.row(i, t), sum.data());
      total += lo;
    }
    features_.tokens().add_multiple(total, features_.row(i, reference_[a]), sum.data());
  }
  Integer squared;
  for (std::size_t k = 0; k < features_.left_dimension(); ++k) {
    for (std::size_t a = 0; a < active_.size(); ++a) {
      Integer image;
      for (std::size_t b = 0; b < active_.size(); ++b) add_product(image, gram_[a][b], combination[b][k]);
      add_product(squared, image, combination[a][k]);
    }
  }
  const Interval norm =
      square_root(Interval::ratio(squared, features_.product_denominator() * start_image_.denominator, bits_)) *
      Interval::between(1, 1, -scale, bits_);
  return maximum(Interval::hull(norm - slack, norm + slack), Interval(0));
}

void Replay::evaluate() {
  refresh_image();
  const Integer denominator = image_denominator_ * features_.tokens().denominator();
  const Interval one = Interval::between(1, 1, 0, bits_);
  std::vector<std::vector<Interval>> odds(active_.size()), wide(active_.size());
  reference_.assign(active_.size(), 0);
  margin_.assign(active_.size(), {});
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = active_[a], size = features_.tokens_of(i);
    std::vector<Integer> logit(size);
    for (std::size_t t = 0; t < size; ++t) {
      logit[t] = features_.tokens().dot(features_.row(i, t), image_[a]);
      if (logit[t] > logit[reference_[a]]) reference_[a] = t;
    }
    const std::size_t reference = reference_[a];
    margin_[a].resize(size);
    odds[a].resize(size);
    wide[a].resize(size);
    for (std::size_t t = 0; t < size; ++t) {
      if (t == reference) continue;
      margin_[a][t] = Interval::ratio(logit[reference] - logit[t], denominator, bits_);
      odds[a][t] = exponential(-margin_[a][t]);
      // e^x lies in [1 - |x|, 1 + 2|x|] for |x| <= 1.
      const Interval move = reach_[a][reference][t] * radius_;
      if (!certainly_at_most(move, Interval(1))) throw Imprecise{};
      wide[a][t] = odds[a][t] * Interval::hull(one - move, one + Interval(2) * move);
    }
  }
  point_ = evaluate_softmax(odds);
  ball_ = evaluate_softmax(wide);
  velocity_norm_ = velocity_norm(point_);
  ball_velocity_norm_ = velocity_norm(ball_);
  loss_gap_ = total_loss_gap(ball_);
  measure();
}

// ||W_t|| and <W_t, u>.
void Replay::measure() {
  const std::size_t left = features_.left_dimension();
  Integer squared, inner, sum;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    for (std::size_t k = 0; k < left; ++k) {
      add_product(squared, position_[a][k], image_[a][k]);
      if (!start_.empty()) add_product(squared, position_[a][k], start_image_.rows[active_[a]][k] * start_scale_);
      add_product(inner, direction_coordinates_[a][k], image_[a][k]);
      sum += magnitude(image_[a][k]);
    }
  }
  const Integer unit = power_of_two(fraction_bits_) * features_.tokens().denominator();
  const Interval centre =
      square_root(start_norm_squared_ + Interval::ratio(squared, image_denominator_ * unit, bits_));
  norm_ = maximum(Interval::hull(centre - radius_, centre + radius_), Interval(0));
  // Rounding of U_i down: 0 <= U - U^ < 1 unit an entry. Then <W_t, W*> - <W~_t, w~>.
  const Integer scaled_unit = power_of_two(bits_);
  const Interval product = Interval::ratio(inner, image_denominator_ * scaled_unit, bits_);
  const Interval error = Interval::ratio(sum, image_denominator_ * scaled_unit, 64) +
                         radius_ * (direction_.norm.rounded(64) + direction_.radius) + norm_ * direction_.radius;
  along_ = Interval::hull(product - error, product + error) / direction_.norm;
}

bool Replay::correlation_loss(Interval& value) const {
  if (!norm_.positive()) return false;
  value = maximum(norm_ - along_, Interval(0)) / norm_;
  return true;
}

Observation Replay::observe() const {
  Observation at;
  at.norm = norm_;
  at.along = along_;
  at.directed = correlation_loss(at.one_minus_corr);
  at.loss_gap = loss_gap_;
  at.gradient = ball_velocity_norm_;
  bool first = true;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const GroupAttention& attention = ball_.attention[a];
    const std::size_t selected = problem_.selection[active_[a]];
    const Interval rest = selected == attention.reference ? attention.rest : Interval(1) - attention.share[selected];
    at.unselected = first ? rest : maximum(at.unselected, rest);
    first = false;
  }
  return at;
}

RunPoint Replay::facts() const {
  RunPoint point;
  point.margin.resize(features_.groups());
  for (std::size_t i = 0; i < features_.groups(); ++i) point.margin[i].resize(features_.tokens_of(i));
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = active_[a], selected = problem_.selection[i];
    for (std::size_t t = 0; t < features_.tokens_of(i); ++t) {
      if (t == selected) continue;
      // margin_ is 0 for the reference itself.
      const Interval at = margin_[a][t] - margin_[a][selected], move = reach_[a][selected][t] * radius_;
      point.margin[i][t] = Interval::hull(at - move, at + move);
    }
  }
  point.height = along_;
  point.residual = square_root(maximum(norm_ * norm_ - along_ * along_, Interval(0)));
  point.loss_gap = loss_gap_;
  return point;
}

void Replay::advance() {
  const Interval eta = specification_.step_size(step_, bits_);
  Interval factor = eta, ball_factor = eta;  // tau
  if (specification_.rule == Rule::ngd) {
    factor = eta / velocity_norm_;
    ball_factor = eta / ball_velocity_norm_;
  } else if (specification_.rule == Rule::polyak) {
    factor = eta * total_loss_gap(point_) / (velocity_norm_ * velocity_norm_);
    ball_factor = eta * loss_gap_ / (ball_velocity_norm_ * ball_velocity_norm_);
  }
  GrowthPoint growth;
  growth.omega = &ball_.omega;
  growth.attention = &ball_.attention;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const Interval output =
        Interval(features_.exact_score(active_[a], reference_[a]), bits_) - ball_.attention[a].deficit;
    growth.curvature.push_back(loss_curvature_ratio(problem_.loss, output.rounded(64)) / ball_.slope[a].rounded(64));
  }
  growth.velocity_norm = ball_velocity_norm_.rounded(64);
  growth.step_length = specification_.rule == Rule::ngd ? eta.rounded(64) : (ball_factor * ball_velocity_norm_).rounded(64);
  growth.step_size = eta.rounded(64);
  const Interval stretch = step_ == 0 ? Interval(1) : growth_(specification_.rule, growth);

  Interval residual;
  const long scale = static_cast<long>(fraction_bits_);
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = active_[a], reference = reference_[a];
    Integer total;
    for (std::size_t t = 0; t < features_.tokens_of(i); ++t) {
      if (t == reference) continue;
      const Interval exact = factor * point_.omega[a][t];
      const Integer lo = exact.floor_at(scale), hi = exact.ceil_at(scale);
      residual += reach_[a][reference][t] * Interval::between(0, hi - lo, -scale, 64);
      features_.tokens().add_multiple(-lo, features_.row(i, t), position_[a].data());
      total += lo;
    }
    features_.tokens().add_multiple(total, features_.row(i, reference), position_[a].data());
  }
  radius_ = (radius_ * stretch + residual).upper_end().rounded(64).upper_end();
  ++step_;
}

}  // namespace attest_check
