// The checker's own pseudo-orbit: see replay.hpp.
#include "proofs/checker/replay.hpp"

#include <algorithm>

#include "proofs/checker/failure.hpp"

namespace attest_check {
namespace {

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
      groups_(features_),
      growth_(features_, groups_.active),
      start_image_(start_image(features_, start)) {
  const std::size_t left = features_.left_dimension(), count = groups_.active.size();
  const Integer& tokens = features_.tokens().denominator();
  const Integer& queries = features_.queries().denominator();
  const Integer own = power_of_two(fraction_bits_) * tokens * queries * queries;
  start_scale_ = start.empty() ? Integer(0) : own;
  image_denominator_ = own * start_image_.denominator;
  start_norm_squared_ = Interval(squared_norm(start), bits_);
  const ConstraintVector& listed = direction.centre->vector();
  std::size_t next = 0;
  for (std::size_t a = 0; a < count; ++a) {
    const std::size_t i = groups_.active[a];
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
  for (std::size_t a = 0; a < groups_.active.size(); ++a) {
    for (std::size_t k = 0; k < image_[a].size(); ++k) {
      Integer& entry = image_[a][k];
      entry = 0;
      for (std::size_t b = 0; b < groups_.active.size(); ++b) add_product(entry, groups_.gram[a][b], position_[b][k]);
      if (start_.empty()) continue;
      entry *= start_image_.denominator;
      add_product(entry, start_image_.rows[groups_.active[a]][k], start_scale_);
    }
  }
}

Replay::Evaluation Replay::evaluate_softmax(const std::vector<std::vector<Interval>>& odds) const {
  Evaluation at;
  const Interval weight = Interval::ratio(1, Integer(features_.groups()), bits_);
  for (std::size_t a = 0; a < groups_.active.size(); ++a) {
    const std::size_t i = groups_.active[a], reference = reference_[a];
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
  for (std::size_t a = 0; a < groups_.active.size(); ++a)
    sum += group_excess(problem_, groups_.active[a], best_[a], at.attention[a], bits_);
  return sum / Interval::between(Integer(features_.groups()), Integer(features_.groups()), 0, bits_);
}

void Replay::evaluate() {
  refresh_image();
  const Integer denominator = image_denominator_ * features_.tokens().denominator();
  const Interval one = Interval::between(1, 1, 0, bits_);
  std::vector<std::vector<Interval>> odds(groups_.active.size()), wide(groups_.active.size());
  reference_.assign(groups_.active.size(), 0);
  margin_.assign(groups_.active.size(), {});
  for (std::size_t a = 0; a < groups_.active.size(); ++a) {
    const std::size_t i = groups_.active[a], size = features_.tokens_of(i);
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
      const Interval move = groups_.reach[a][reference][t] * radius_;
      if (!certainly_at_most(move, Interval(1))) throw Imprecise{};
      wide[a][t] = odds[a][t] * Interval::hull(one - move, one + Interval(2) * move);
    }
  }
  point_ = evaluate_softmax(odds);
  ball_ = evaluate_softmax(wide);
  velocity_norm_ = velocity_norm(groups_, reference_, point_.omega, bits_);
  ball_velocity_norm_ = velocity_norm(groups_, reference_, ball_.omega, bits_);
  loss_gap_ = total_loss_gap(ball_);
  measure();
}

// ||W_t|| and <W_t, u>.
void Replay::measure() {
  const std::size_t left = features_.left_dimension();
  Integer squared, inner, sum;
  for (std::size_t a = 0; a < groups_.active.size(); ++a) {
    for (std::size_t k = 0; k < left; ++k) {
      add_product(squared, position_[a][k], image_[a][k]);
      if (!start_.empty()) add_product(squared, position_[a][k], start_image_.rows[groups_.active[a]][k] * start_scale_);
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
  for (std::size_t a = 0; a < groups_.active.size(); ++a) {
    const GroupAttention& attention = ball_.attention[a];
    const std::size_t selected = problem_.selection[groups_.active[a]];
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
  for (std::size_t a = 0; a < groups_.active.size(); ++a) {
    const std::size_t i = groups_.active[a], selected = problem_.selection[i];
    for (std::size_t t = 0; t < features_.tokens_of(i); ++t) {
      if (t == selected) continue;
      // margin_ is 0 for the reference itself.
      const Interval at = margin_[a][t] - margin_[a][selected], move = groups_.reach[a][selected][t] * radius_;
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
  for (std::size_t a = 0; a < groups_.active.size(); ++a) {
    const Interval output =
        Interval(features_.exact_score(groups_.active[a], reference_[a]), bits_) - ball_.attention[a].deficit;
    growth.curvature.push_back(loss_curvature_ratio(problem_.loss, output.rounded(64)) / ball_.slope[a].rounded(64));
  }
  growth.velocity_norm = ball_velocity_norm_.rounded(64);
  growth.step_length = specification_.rule == Rule::ngd ? eta.rounded(64) : (ball_factor * ball_velocity_norm_).rounded(64);
  growth.step_size = eta.rounded(64);
  const Interval stretch = step_ == 0 ? Interval(1) : growth_(specification_.rule, growth);

  Interval residual;
  const long scale = static_cast<long>(fraction_bits_);
  for (std::size_t a = 0; a < groups_.active.size(); ++a) {
    const std::size_t i = groups_.active[a], reference = reference_[a];
    Integer total;
    for (std::size_t t = 0; t < features_.tokens_of(i); ++t) {
      if (t == reference) continue;
      const Interval exact = factor * point_.omega[a][t];
      const Integer lo = exact.floor_at(scale), hi = exact.ceil_at(scale);
      residual += groups_.reach[a][reference][t] * Interval::between(0, hi - lo, -scale, 64);
      features_.tokens().add_multiple(-lo, features_.row(i, t), position_[a].data());
      total += lo;
    }
    features_.tokens().add_multiple(total, features_.row(i, reference), position_[a].data());
  }
  radius_ = (radius_ * stretch + residual).upper_end().rounded(64).upper_end();
  ++step_;
}

}  // namespace attest_check
