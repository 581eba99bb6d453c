// The checker's own pseudo-orbit: one step and what it does to the radius. See replay.hpp.
#include <algorithm>

#include "proofs/checker/runs/replay.hpp"

namespace attest_check {
namespace {

Interval power(long exponent) {
  return Interval::between(1, 1, exponent, 64);
}

Interval around(const Interval& x, const Interval& slack) {
  return Interval::hull(x - slack, x + slack);
}

}  // namespace

// V = the stored velocity (up to its slack) times this.
Interval Replay::common_factor() const {
  return least_odds_ * Interval::between(1, 1, slope_exponent_ + score_exponent_, bits_);
}

// tau V = the stored velocity times this, for a stored velocity of this norm and this L - L* (only where the
// rule uses it).
Interval Replay::step_factor(const Interval& speed, const Interval& loss_gap) const {
  return rule_.factor({specification_.step_size(step_, bits_), common_factor(), speed, loss_gap});
}

// What the step's Jacobian over the ball of Lemma R6 is bounded from.
//
// Lemma R8 (words). The numbers are handed to StepGrowth in words (units of 2^-word_point), tokens over 2^a,
// z_i over 2^b, omega' over the power of two 2^k just above sum |omega'|. Each omega is within 2 units and
// each softmax weight within 4 for the whole ball: one each for the rounding down (three roundings for s =
// (lambda/Z) E), a quarter for the stored numbers, which is checked: n (T e_w + sqrt d max(1, 2^-a)) + sqrt d
// max(1, 2^-(a+2b)) <= 2^(k + F - word_point - 2); and 2^-ball_bits for the ball. With multiplicities
// lambda/Z may be as large as 2^p: it is multiplied in units of 2^-(word_point + p) with the odds as they are
// stored, whose error is then less than a quarter unit too, by e_E 2^p <= 2^(F - word_point - 2). V_i and V
// z_i are as vectors within 2 sqrt d. ||V|| lies within velocity_slack and 2^-ball_bits 2^(k+a+b) of ||V^'||;
// L - L* within 2^-ball_bits of its size, of a classifier within what Lemma R10 says; kappa, an interval, is
// widened by a factor within 1 +- 2^-(ball_bits - 1), and where it is below 2^-24 only that is used. sum_t
// |omega_t| <= (1/n) |l'| max gap and l'' <= |l'|, so kappa (sum |omega|)^2 <= (max gap)^2 (1/n) |l'|, which
// is used where kappa exceeds 2^60. Of cross-entropy kappa = n, the same everywhere, and sum_t |omega_t| = 2
// (1 - s_y)/n, so kappa (sum |omega|)^2 <= 4/n = 2^2s/kappa: what is divided by is kappa where l''/|l'| is
// not at most 1.
GrowthPoint Replay::growth_point(const Interval& gap_there) {
  const long scale = static_cast<long>(fraction_bits_);
  Integer mass;
  for (const Group& group : groups_) {
    if (!group.moves) continue;
    for (const Integer& x : group.weight) add_magnitude(mass, x);
  }
  const long size = static_cast<long>(bit_length(mass)), tokens = growth_.token_exponent(),
             queries = growth_.query_exponent();

  // What the stored numbers are off by must be below a quarter unit of the words.
  const auto rounding = [&](long exponent) {
    return root_left_ << static_cast<mp_bitcnt_t>(std::max(0L, -exponent));
  };
  const Integer off = Integer(groups_.size()) * (most_tokens_ * weight_error_ + rounding(tokens)) +
                      rounding(tokens + 2 * queries);
  if (static_cast<long>(bit_length(off)) > size - word_point - 2) throw Imprecise{};
  if (multiplicity_bits_ > 0 &&
      static_cast<long>(bit_length(odds_error_) + multiplicity_bits_) > scale - word_point - 2)
    throw Imprecise{};

  GrowthPoint point;
  const std::size_t rows = growth_.rows(), count = groups_.size();
  for (const Group& group : groups_) point.reference.push_back(group.reference);
  point.weight.resize(rows);
  point.share.resize(rows);
  point.velocity.resize(count * features_.left_dimension());
  point.image.resize(count * features_.left_dimension());
  point.curvature.resize(count);
  point.curved.resize(count);
  const Interval factor = common_factor().rounded(64), unit = power(size - scale);
  for_parts([&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) describe_group(a, size, factor * unit, point);
  });
  if (problem_.loss == Loss::classifier) {
    require_small_change(factor * unit);
    for (const Group& group : groups_)
      point.outputs.push_back(group.moves ? output_bend(group, factor * unit) : OutputBend{});
  }
  const Interval slack = velocity_slack_ + unit * power(tokens + queries - ball_bits);
  const Interval speed = around(speed_.rounded(64), slack);
  point.speed = speed * power(scale - size - tokens - queries);
  point.stretch =
      step_factor(speed, gap_over_ball(gap_there)).rounded(64) * unit * power(2 * (tokens + queries));
  point.step_size = specification_.step_size(step_, 64);
  return point;
}

// The words of group number a, for omega' over 2^size; `factor` is what the words of omega are to be
// multiplied by.
void Replay::describe_group(std::size_t a, long size, const Interval& factor, GrowthPoint& point) const {
  const Group& group = groups_[a];
  const long scale = static_cast<long>(fraction_bits_), tokens = growth_.token_exponent(),
             queries = growth_.query_exponent();
  const std::size_t left = features_.left_dimension(), first = growth_.first_row(a);
  Integer shifted;
  const auto scaled = [&](const Integer& x, long one) {  // x of this bit length is about 1
    const long shift = one - word_point;
    if (shift >= 0) {
      mpz_fdiv_q_2exp(shifted.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(shift));
    } else {
      mpz_mul_2exp(shifted.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(-shift));
    }
    return word(shifted);
  };
  for (std::size_t k = 0; k < left; ++k)
    point.image[a * left + k] = scaled(group.velocity_image[k], size + tokens + 2 * queries);
  point.curvature[a] = point.curved[a] = Interval(0);
  if (!group.moves) return;
  const Integer shared =
      (least_odds_.rounded(64) / group.partition.rounded(64)).floor_at(word_point + multiplicity_bits_);
  const Word share = multiplicity_bits_ > 0 ? 0 : word(shared);
  for (std::size_t t = 0; t < group.tokens; ++t) {
    point.weight[first + t] = scaled(group.weight[t], size);
    point.share[first + t] = multiplicity_bits_ > 0
                                 ? scaled(shared * group.odds[t], scale + word_point + multiplicity_bits_)
                                 : word_down(static_cast<WideWord>(share) * scaled(group.odds[t], scale));
  }
  for (std::size_t k = 0; k < left; ++k)
    point.velocity[a * left + k] = scaled(group.velocity[k], size + tokens);
  if (problem_.loss == Loss::classifier) return;
  const Loss loss = loss_of_output(problem_.loss);
  const Interval output = group.output.rounded(64);
  const Interval flat = factor / group.slope.rounded(64) * around(Interval(1), power(1 - ball_bits));
  const Interval most = flat * most_curvature_ratio(loss, output);
  point.curvature[a] = certainly_at_most(most, power(-24)) ? Interval::hull(Interval(0), most)
                                                           : flat * loss_curvature_ratio(loss, output);
  // sum_t |omega_t| is at most 1, and at most (1/n)|l'| times the spread of the scores: where this is a
  // tiny part of all groups' sum the words cannot tell.
  point.curved[a] = certainly_less(power(60), most) ? power(2 * score_exponent_) / most : most;
}

// L - L* over the ball of Lemma R6.
Interval Replay::gap_over_ball(const Interval& gap_there) const {
  if (problem_.loss == Loss::classifier && rule_.uses_loss_gap)
    return loss_gap(loss_point(true), bits_).rounded(64);
  return gap_there.rounded(64) * around(Interval(1), power(-ball_bits));
}

// An upper bound of the step's Jacobian over the ball of Lemma R6.
Interval Replay::stretch(const Interval& gap_there) {
  if (std::none_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.moves; }))
    return Interval(1);  // V vanishes everywhere
  return growth_(rule_, growth_point(gap_there));
}

// Lemma R7 (step). Let mult 2^-h <= factor <= (mult + spare) 2^-h with tau V' = factor V'. The entries of P_i
// grow by floor(mult V^'_i 2^-h), those of q_i by floor(mult (V^' z_i) 2^-h). So with F the exact step map
// ||W~_{t+1} - F(W~_t)|| <= residual = factor velocity_slack + spare 2^-h ||V^'|| + sqrt d u sum ||z_i||, and
// e_q grows by at most max_i sum_j |z_i.z_j| (the floors of P) + 1 (its own) + factor (of V^' z_i). If ||W_t
// - W~_t|| <= r then ||W_{t+1} - W~_{t+1}|| <= K r + residual for any bound K of the 2-norm of F's Jacobian
// on the ball of radius r (mean value inequality on a convex set); r_0 = 0, where K is not needed. F is
// differentiable on the ball: ||V|| > 0 there where the step divides by it (checked, here or by StepGrowth).
void Replay::advance() {
  const long scale = static_cast<long>(fraction_bits_);
  const Interval gap = rule_.uses_loss_gap ? loss_gap(loss_point(false), bits_) : Interval(0);
  const Interval factor = step_factor(around(speed_, velocity_slack_), gap);
  const Interval growth = step_ == 0 ? Interval(1) : stretch(gap);

  // tau V is within the residual of what is added, the stored velocity times `multiple` units of 2^-shift,
  // rounded down.
  const long shift = scale - factor.top();
  if (shift < 0) throw Imprecise{};
  const Integer multiple = factor.floor_at(shift), spare = factor.ceil_at(shift) - multiple;
  const Interval residual = factor.rounded(64) * velocity_slack_ +
                            Interval::between(spare, spare, -shift, 64) * speed_.rounded(64) +
                            Interval::between(root_left_, root_left_, -scale, 64) * queries_;
  for_parts([&](std::size_t begin, std::size_t end) {
    Integer moved;
    const auto move = [&](Integer& target, const Integer& change) {
      mpz_mul(moved.get_mpz_t(), multiple.get_mpz_t(), change.get_mpz_t());
      mpz_fdiv_q_2exp(moved.get_mpz_t(), moved.get_mpz_t(), static_cast<mp_bitcnt_t>(shift));
      target += moved;
    };
    for (std::size_t a = begin; a < end; ++a) {
      Group& group = groups_[a];
      for (std::size_t k = 0; k < group.position.size(); ++k) {
        move(group.position[k], group.velocity[k]);
        move(group.image[k], group.velocity_image[k]);
      }
    }
  });
  image_error_ += gram_row_ + 1 + factor.ceil_at(0);
  radius_ = (radius_ * growth + residual).upper_end().rounded(64).upper_end();
  ++step_;
}

// Lemma R13 (fewer bits). In units u' = 2^s u every stored number is rounded down; those that were rounded
// down from exact ones already (scores, U, W_0 z_i) are then what they would have been. The entries of P_i
// lose less than u' each: W~ moves by at most sqrt d u' sum ||z_i||, which the radius grows by, and each
// entry of W~ z_i by at most max_i sum_j |z_i.z_j| units u'. So q_i is off by e_q' = ceil(e_q 2^-s) + max_i
// sum_j |z_i.z_j| + 1, the last for its own rounding.
void Replay::narrow(unsigned fraction_bits) {
  if (fraction_bits >= fraction_bits_) return;
  const mp_bitcnt_t shift = fraction_bits_ - fraction_bits;
  for (Group& group : groups_) {
    const auto round_down = [&](std::vector<Integer>& numbers) {
      for (Integer& x : numbers) mpz_fdiv_q_2exp(x.get_mpz_t(), x.get_mpz_t(), shift);
    };
    for (std::vector<Integer>* numbers : {&group.score, &group.log_multiplicity, &group.direction,
                                          &group.start, &group.position, &group.image})
      round_down(*numbers);
    for (std::vector<Integer>& drop : group.output_drop) round_down(drop);
  }
  image_error_ = shift_ceil(image_error_, shift) + gram_row_ + 1;
  fraction_bits_ = fraction_bits;
  bits_ = fraction_bits + 32;
  const Interval moved =
      Interval::between(root_left_, root_left_, -static_cast<long>(fraction_bits), 64) * queries_;
  radius_ = (radius_ + moved).upper_end().rounded(64).upper_end();
}

}  // namespace attest_check
