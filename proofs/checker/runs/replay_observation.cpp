// The checker's own pseudo-orbit: what is enclosed of the exact trajectory. See replay.hpp.
#include <algorithm>

#include "proofs/checker/runs/replay.hpp"

namespace attest_check {

// Lemma R9 (place). ||W~_t||^2 = ||W_0||^2 + sum_i P_i.(W~_t z_i + W_0 z_i), off by (e_q + 1) sum |entries of
// P| units^2; ||W_t|| is within r of its root. <W~_t, w~> = sum_i U_i.(W~_t z_i) for the cited claim's centre
// w~ = sum U_i z_i', U_i rounded down to units: off by sum |entries of q| + e_q sum (|entries of U| + 1)
// units^2. With R the radius of the centre |<W_t, W*> - <W~_t, w~>| <= r ||w~|| + ||W_t|| R, ||w~|| <= ||W*||
// + R. y_t = <W_t, W*>/||W*||.
Place Replay::place() const {
  const long scale = static_cast<long>(fraction_bits_);
  Integer squared, inner, positions, images, directions, entry;
  for (const Group& group : groups_) {
    for (std::size_t k = 0; k < group.position.size(); ++k) {
      entry = group.image[k] + group.start[k];
      add_product(squared, group.position[k], entry);
      add_product(inner, group.direction[k], group.image[k]);
      add_magnitude(positions, group.position[k]);
      add_magnitude(images, group.image[k]);
      add_magnitude(directions, group.direction[k]);
      directions += 1;
    }
  }
  const auto squares = [&](const Integer& value, const Integer& error) {
    return Interval::between(value - error, value + error, -2 * scale, bits_);
  };
  const Interval centre = square_root(start_norm_squared_ + squares(squared, (image_error_ + 1) * positions));
  Place at;
  at.norm = maximum(Interval::hull(centre - radius_, centre + radius_), Interval(0));
  const Interval product = squares(inner, images + image_error_ * directions);
  const Interval error =
      radius_ * (direction_.norm.rounded(64) + direction_.radius) + at.norm * direction_.radius;
  at.along = Interval::hull(product - error, product + error) / direction_.norm;
  return at;
}

// Lemma R10 (deficits over the ball). The deficit of W_t is within 3 move 2^s lambda sum E/Z of that of W~_t,
// move = r max ||a_is - a_it||: a softmax weight changes by a factor within e^(+-2 move), at most 1 +- 3 move
// (Lemma R6), and A = sum s_t |gap_t| <= 2^s lambda sum E/Z. Z >= 1 is left out where no multiplicity is
// above 1. The interval at W~_t has its rounding already.
// Of several outputs this holds of each c_ru - m_u, for 2^s is at least every difference of c_tu.
// The slope |l'(f)|/n changes by a factor within 1 +- 2^-ball_bits (Lemma R6).
Interval Replay::deficit_change(const Group& group) const {
  if (!group.moves) return Interval(0);
  const Interval change =
      Interval::between(3, 3, score_exponent_, 64) * widest_ * radius_ * group.others.rounded(64);
  return multiplicity_bits_ > 0 ? change / group.partition.rounded(64) : change;
}

LossPoint Replay::loss_point(bool over_ball) const {
  LossPoint point;
  for (const Group& group : groups_) {
    point.reference.push_back(group.reference);
    const Interval change = over_ball ? deficit_change(group) : Interval(0);
    point.deficit.push_back(Interval::hull(group.deficit - change, group.deficit + change));
    const Interval slope = group.slope.rounded(64), part = slope * Interval::between(-1, 1, -ball_bits, 64);
    point.slope.push_back(over_ball ? slope + part : slope);
    std::vector<Interval>& outputs = point.outputs.emplace_back();
    for (const Interval& deficit : group.output_deficit)
      outputs.push_back(Interval::hull(deficit - change, deficit + change));
  }
  return point;
}

// L - L*.
Interval Replay::loss_gap(const LossPoint& point, unsigned bits) const {
  const bool outputs = features_.outputs() != nullptr;
  std::vector<Interval> excess(groups_.size());
  std::vector<ScoreDrop> drops(groups_.size());  // scores may come from the file
  GroupAttention attention;
  for (std::size_t a = 0; a < groups_.size(); ++a) {
    const Group& group = groups_[a];
    if (!group.moves) continue;
    attention.reference = point.reference[a];
    attention.deficit = point.deficit[a].rounded(bits);
    attention.outputs.clear();
    for (std::size_t u = 0; outputs && u < point.outputs[a].size(); ++u)
      attention.outputs.push_back(point.outputs[a][u].rounded(bits));
    if (outputs) {
      excess[a] = group_excess(problem_, group.index, group.best, attention, bits);
    } else {
      drops[a] = score_drop(features_, group.index, group.best, attention, bits);
    }
  }
  for_parts([&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end && !outputs; ++a)
      if (groups_[a].moves) excess[a] = loss_excess(problem_.loss, drops[a].score, drops[a].drop);
  });
  Interval sum;
  for (const Interval& x : excess) sum += x;
  return sum / Interval::between(Integer(features_.groups()), Integer(features_.groups()), 0, bits);
}

// Lemma R11 (decrease). Every loss l of a score is convex and decreases, so with f' the later mean score of a
// group l(f) - l(f') >= |l'(f')| (f' - f), and L decreases by at least the sum of the slopes at the later
// point times what the scores rise by, the deficits being below the references' scores. Where that is not
// positive, and of several outputs always, L - L* is compared, with 128 bits and then with all.
Interval Replay::least_decrease(const LossPoint& earlier, const LossPoint& later) const {
  Interval sum;
  for (std::size_t a = 0; a < groups_.size(); ++a) {
    if (!groups_[a].moves) continue;
    Interval rise = earlier.deficit[a] - later.deficit[a];
    if (earlier.reference[a] != later.reference[a])
      rise += score_difference(features_, groups_[a].index, later.reference[a], earlier.reference[a], bits_);
    sum += later.slope[a] * rise.rounded(64);
  }
  return sum;
}

bool Replay::loss_decreases(const LossPoint& earlier, const LossPoint& later) const {
  if (features_.outputs() == nullptr && least_decrease(earlier, later).positive()) return true;
  const auto gap = [&](const LossPoint& point, unsigned bits) {
    if (bits != 128) return loss_gap(point, bits);
    if (!point.gap) point.gap = loss_gap(point, bits);
    return *point.gap;
  };
  for (const unsigned bits : {128U, bits_}) {
    const Interval before = gap(earlier, bits), after = gap(later, bits);
    if (certainly_less(after, before)) return true;
    if (certainly_at_most(before, after)) return false;
  }
  throw Imprecise{};
}

// Softmax and T1's weights for every matrix of the ball, to full relative precision: margins are widened by
// e_m u and by r ||a_s - a_t||, everything else follows in intervals.
Replay::Softmax Replay::softmax() const {
  Softmax result;
  for (std::size_t a = 0; a < groups_.size(); ++a) {
    const Group& group = groups_[a];
    const std::size_t i = group.index, reference = group.reference;
    const std::vector<Interval>& reach = run_groups_.reach(a, reference);
    std::vector<Interval> odds(group.tokens);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (t == reference || !features_.present(i, t)) continue;
      const Interval at = number(plain_margin(group, t), margin_error_), move = reach[t] * radius_;
      odds[t] = exponential(-Interval::hull(at - move, at + move));
    }
    GroupAttention attention = group_attention(features_, i, reference, odds, bits_);
    result.omega.push_back(attention_weights(problem_, i, attention, bits_));
    result.attention.push_back(std::move(attention));
  }
  return result;
}

Observation Replay::observe() const {
  Observation at;
  const Place where = place();
  at.norm = where.norm;
  at.along = where.along;
  at.directed = where.directed();
  if (at.directed) at.one_minus_corr = where.one_minus_corr();
  const Softmax ball = softmax();
  LossPoint point;
  for (std::size_t a = 0; a < groups_.size(); ++a) {
    const GroupAttention& attention = ball.attention[a];
    point.reference.push_back(attention.reference);
    point.deficit.push_back(attention.deficit);
    point.outputs.push_back(attention.outputs);
    const std::size_t selected = problem_.selection[groups_[a].index];
    const Interval rest =
        selected == attention.reference ? attention.rest : Interval(1) - attention.share[selected];
    at.unselected = a == 0 ? rest : maximum(at.unselected, rest);
  }
  at.loss_gap = loss_gap(point, bits_);
  at.gradient = velocity_norm(run_groups_, query_images_, point.reference, ball.omega, bits_);
  return at;
}

RunPoint Replay::facts() const {
  RunPoint point;
  point.margin.resize(features_.groups());
  for (std::size_t i = 0; i < features_.groups(); ++i) point.margin[i].resize(features_.tokens_of(i));
  for (std::size_t a = 0; a < groups_.size(); ++a) {
    const Group& group = groups_[a];
    const std::size_t selected = problem_.selection[group.index];
    const std::vector<Interval>& reach = run_groups_.reach(a, selected);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (t == selected) continue;
      // Both are 0 for the reference itself.
      const Interval at = number(plain_margin(group, t), margin_error_) -
                          number(plain_margin(group, selected), margin_error_);
      const Interval move = reach[t] * radius_;
      point.margin[group.index][t] = Interval::hull(at - move, at + move);
    }
  }
  const Place at = place();
  point.norm = at.norm;
  point.height = at.along;
  point.residual = square_root(maximum(at.norm * at.norm - at.along * at.along, Interval(0)));
  point.loss_gap = loss_gap(loss_point(), bits_);
  return point;
}

}  // namespace attest_check
