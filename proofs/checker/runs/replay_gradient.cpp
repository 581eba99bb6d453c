// The checker's own pseudo-orbit: the gradient at the iterate. See replay.hpp, also for the letters of the
// lemmas.
#include <algorithm>

#include "proofs/checker/base/exponential.hpp"
#include "proofs/checker/base/parallel.hpp"
#include "proofs/checker/runs/replay.hpp"

namespace attest_check {
namespace {

constexpr long guard_bits = 16;   // of exponentials
constexpr long coarse_bits = 32;  // of what tells their power of two

// Error counts in units, named where the lemmas derive them.
constexpr long logit_error = 1;        // a margin's division, rounded down
constexpr long offset_error = 2;       // of the difference of two logarithms of multiplicities
constexpr long exponential_error = 2;  // a stored e^-x is less than that below the exact one
constexpr long moment_error = 3;       // of one odds times a gap, besides the odds' own
constexpr long weight_rounding = 2;    // of one omega, besides those of its factors

// x = floor(x 2^-shift) for either sign of the shift.
void shift_down(Integer& x, long shift) {
  if (shift >= 0) {
    mpz_fdiv_q_2exp(x.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(shift));
  } else {
    mpz_mul_2exp(x.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(-shift));
  }
}

// result = floor(a b 2^-shift).
void multiply(Integer& result, const Integer& a, const Integer& b, long shift) {
  mpz_mul(result.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  shift_down(result, shift);
}

}  // namespace

Interval Replay::number(const Integer& units, const Integer& error) const {
  return Interval::between(units - error, units + error, -static_cast<long>(fraction_bits_), bits_);
}

void Replay::for_parts(const std::function<void(std::size_t begin, std::size_t end)>& work) const {
  constexpr std::size_t least_numbers = 1 << 12;  // of the data, a part: some 50 microseconds of a step
  const std::size_t numbers =
      growth_.rows() * features_.left_dimension() / std::max<std::size_t>(groups_.size(), 1);
  in_parts(groups_.size(), least_numbers / (numbers + 1) + 1, work);
}

void Replay::evaluate() {
  compute_margins();
  compute_odds();
  compute_deficits();
  compute_weights();
  compute_velocity();
}

// Logits x_it.(W~ z_i), with log k_it where there are offsets, the largest as reference, and margins against
// it.
//
// Lemma R1 (margins). Stored margins are off by e_m = e_q max ||x_is - x_it||_1 + logit_error: logits
// x_it.q^_i are exact integers over the tokens' denominator, q^_i is off by e_q an entry, and the division is
// rounded down. A stored log k is below the exact one by less than two, so that of two of them the difference
// is off by less than offset_error; it is added exactly.
//
// Lemma R6 (the ball). Let ||W - W~|| <= r = radius and x = r max ||a_is - a_it|| + e_m u, and suppose (16 +
// 4 T + 8 2^s) x <= 2^-ball_bits, which is checked here at every step. Then for W all logit differences are
// within x of the stored ones, so e^-margin changes by a factor within e^(+-x) and each softmax weight, the
// reference's included, by one within e^(+-2x), at most 1 +- 3x. The deficit changes by at most 3 x A, A =
// sum s_t |gap_t|; |l'| and l''/|l'| by factors within e^(+-3.1 x A), for their logarithms have slopes at
// most 1; omega_t by at most |omega_t| (3x + 6.4 x 2^s) + slope s_t 3.1 x A. As s_r >= 1/(T + 1/2) at W~, and
// the deficit is minus the reference's gap - deficit, A <= sum s_t |gap_t - deficit| + |deficit| <= (T + 2)
// sum s_t |gap_t - deficit| = (T + 2) mass/slope with mass = sum_t |omega_t|. So the omegas of a group change
// by less than 2^-ball_bits mass in sum, V_i by that times max ||x_s - x_t||. L - L* changes by a factor
// within 1 +- 4 x (1 + 2^s): with B = best - f = sum s_t (best - g_t), f changes by at most 3 x B, the loss
// by 3.1 x B |l'(f)|, and l(f) - l(best) >= |l'(f)| (1 - e^-B) >= |l'(f)| B/(1 + B).
//
// Of cross-entropy, scores 1 for y and 0 for the others, |l'| = l''/|l'| = 1/s_y: a factor within 1 +- 3x as
// for any softmax weight. Each omega_t = s_t/n, t not y, changes by such a factor, and y's is minus their
// sum: the omegas of a group change by at most 3x mass. -log s_y, whose derivative along a change h of the
// logits is sum_t s_t (h_t - h_y), changes by at most 1.1 x (1 - s_y) <= 1.1 x (-log s_y). kappa (Lemma R8)
// does not.
void Replay::compute_margins() {
  for_parts([&](std::size_t begin, std::size_t end) {
    Digits image;
    Integer top;
    for (std::size_t a = begin; a < end; ++a) {
      Group& group = groups_[a];
      group.reference = 0;
      image.assign(group.image);
      group.columns.sums(group.margin, image);
      for (std::size_t t = 0; t < group.tokens; ++t) {
        Integer& logit = group.margin[t];
        if (!group.log_multiplicity.empty())
          add_product(logit, group.log_multiplicity[t], features_.tokens().denominator());
        if (group.multiplicity[t] > 0 && logit > group.margin[group.reference]) group.reference = t;
      }
      top = group.margin[group.reference];
      for (Integer& x : group.margin) {
        mpz_sub(x.get_mpz_t(), top.get_mpz_t(), x.get_mpz_t());
        token_denominator_.divide(x);
      }
    }
  });
  margin_error_ = 0;
  for (const Group& group : groups_) {
    const long rounding = logit_error + (group.log_multiplicity.empty() ? 0 : offset_error);
    margin_error_ = std::max(margin_error_, Integer(image_error_ * group.reach_one + rounding));
  }
  const Interval move = widest_ * radius_ + Interval::between(margin_error_, margin_error_,
                                                              -static_cast<long>(fraction_bits_), 64);
  if (!certainly_at_most(sensitivity_ * move, Interval::between(1, 1, -ball_bits, 64))) throw Imprecise{};
  move_ = move;
}

// k' e^-(margin - least margin), the least over all tokens that contribute to the gradient.
//
// Lemma R2 (odds). E_t = k'_t e^-(m_t - m0) <= 1, m0 the least stored margin taken as an exact number, lambda
// = e^-m0 an interval, is stored within e_E = 2 e_m + exponential_error, and one more where p > 0, for the
// product with k_t is exact and rounded down once, after the shift by p. The margin's error moves it by less
// than 1.01 e_m. With v for log 2 (Lemma I1) and k v - (m^_t - m0) = rho in [0, 1), in units of 2^-(F +
// guard_bits), the stored floor(e^rho 2^-k) is below the exact number by less than exponential_error: one for
// the floor, and the errors of e^rho and of k v, at most (2^15 + 2^10 k) 2^-k units of 2^-(F + guard_bits),
// together less than another one. k is found from 32 bits of the margin and of log 2, at most one too small.
// Where m^_t - m0 >= F + 1, E_t is below one unit and stored as 0.
void Replay::compute_odds() {
  const long scale = static_cast<long>(fraction_bits_);
  least_margin_ = -1;
  for (const Group& group : groups_) {
    if (!group.moves) continue;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (t != group.reference && group.multiplicity[t] > 0 &&
          (least_margin_ < 0 || group.margin[t] < least_margin_))
        least_margin_ = group.margin[t];
    }
  }
  if (least_margin_ < 0) least_margin_ = 0;  // no group contributes
  least_odds_ = exponential(-Interval::between(least_margin_, least_margin_, -scale, bits_));
  odds_error_ = 2 * margin_error_ + exponential_error + (multiplicity_bits_ > 0 ? 1 : 0);

  const UnitExponential& unit_exponential = UnitExponential::at(fraction_bits_ + guard_bits);
  for_parts([&](std::size_t begin, std::size_t end) {
    UnitExponential::Room room;
    for (std::size_t a = begin; a < end; ++a) compute_odds(groups_[a], unit_exponential, room);
  });
}

void Replay::compute_odds(Group& group, const UnitExponential& unit_exponential,
                          UnitExponential::Room& room) const {
  if (!group.moves) return;
  const long scale = static_cast<long>(fraction_bits_);
  const Integer& log_two = unit_exponential.log_two();
  const unsigned long coarse_log_two =
      Integer(log_two >> static_cast<mp_bitcnt_t>(scale + guard_bits - coarse_bits)).get_ui();
  Integer distance, rest;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    Integer& odds = group.odds[t];
    odds = 0;
    if (t == group.reference || group.multiplicity[t] == 0) continue;
    // margin - least = k log 2 - rest with rest in [0, 1).
    distance = group.margin[t] - least_margin_;
    rest = distance >> static_cast<mp_bitcnt_t>(scale - coarse_bits);
    if ((rest >> coarse_bits) > scale) continue;  // e^-margin is below one unit
    unsigned long k = rest.get_ui() / coarse_log_two + 1;
    mpz_mul_2exp(distance.get_mpz_t(), distance.get_mpz_t(), guard_bits);
    rest = log_two * k - distance;
    if (rest < 0) {
      rest += log_two;
      ++k;
    }
    unit_exponential(odds, rest, room);
    shift_down(odds, static_cast<long>(guard_bits + k));
    if (multiplicity_bits_ == 0) continue;
    odds *= Integer(group.multiplicity[t]);
    shift_down(odds, multiplicity_bits_);
  }
}

// g_ref - f = sum k e^-margin gap / (k_r + sum k e^-margin), and the losses' slopes.
//
// Lemma R3 (deficits). Z = k'_r + lambda sum E, deficit = g_r - f = 2^s lambda sum E gap/Z (gap over 2^s) and
// slope = (1/n) |l'(g_r - deficit)| are intervals around the exact numbers at W~: sum E is off by T e_E, sum
// E gap by T (e_E + moment_error), for scores are stored over 2^s, so that a gap is at most 1 and off by one,
// and each product is rounded down.
void Replay::compute_deficits() {
  gap_error_ = 1;
  if (features_.outputs() != nullptr) {
    for (Group& group : groups_) {
      if (!group.moves) continue;
      compute_output_deficits(group);
      score_by_outputs(group);
      group.slope = Interval::ratio(1, Integer(features_.groups()), bits_) * group.outputs.slope;
    }
    return;
  }
  std::vector<Interval> top_score;  // scores may come from the file
  for (const Group& group : groups_) {
    top_score.push_back(group.moves ? Interval(features_.exact_score(group.index, group.reference), bits_)
                                    : Interval(0));
  }
  for_parts([&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a)
      if (groups_[a].moves) compute_deficit(groups_[a], top_score[a]);
  });
}

void Replay::compute_deficit(Group& group, const Interval& top_score) const {
  const Interval scale = Interval::between(1, 1, score_exponent_, bits_);
  Integer sum, moment, part;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    if (t == group.reference || group.odds[t] == 0) continue;
    sum += group.odds[t];
    part = group.score[t] - group.score[group.reference];
    multiply(part, part, group.odds[t], fraction_bits_);
    moment += part;
  }
  const Integer count(group.tokens);
  group.others = least_odds_ * number(sum, count * odds_error_);
  const Integer own(group.multiplicity[group.reference]);
  group.partition = Interval::between(own, own, -static_cast<long>(multiplicity_bits_), bits_) + group.others;
  group.deficit =
      scale * least_odds_ * number(moment, count * (odds_error_ + moment_error)) / group.partition;
  group.output = top_score - group.deficit;
  group.slope =
      Interval::ratio(1, Integer(features_.groups()), bits_) * loss_slope(problem_.loss, group.output);
}

// omega_t = slope odds_t (gap_t - deficit) / partition over the common factor, gap_t - deficit over
// score_scale.
//
// Lemma R4 (weights). With phi = slope/Z <= 2^c for all groups, omega_t = phi (gap_t - deficit) lambda E_t =
// lambda 2^(c+s) omega'_t, omega'_t = (2^-c phi) (E_t (gap_t - deficit) 2^-s), is stored within e_w = 2 (e_E
// + e_d + e_phi + e_g + weight_rounding): the factors are at most 1; the first is off by e_phi, the deficit
// by e_d (the widths of their intervals, here slope_error and deficit_error), the gap by e_g = 1 (of several
// outputs: Lemma R14), and two products are rounded down. The omegas of a group sum to 0: the reference's is
// minus the stored others' sum, exactly.
void Replay::compute_weights() {
  std::vector<Interval> factor;
  bool first = true;
  for (const Group& group : groups_) {
    factor.push_back(group.moves ? group.slope / group.partition : Interval(0));
    if (!group.moves) continue;
    slope_exponent_ = first ? factor.back().top() : std::max(slope_exponent_, factor.back().top());
    first = false;
  }
  std::vector<Integer> errors(groups_.size());
  for_parts([&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a)
      if (groups_[a].moves) errors[a] = compute_weights(groups_[a], factor[a]);
  });
  weight_error_ = 0;
  for (const Integer& error : errors) weight_error_ = std::max(weight_error_, error);
}

Integer Replay::compute_weights(Group& group, const Interval& factor) const {
  const long scale = static_cast<long>(fraction_bits_);
  const Integer slope = factor.floor_at(scale - slope_exponent_);
  const Integer slope_error = factor.ceil_at(scale - slope_exponent_) - slope;
  const Integer deficit = group.deficit.floor_at(scale - score_exponent_);
  const Integer deficit_error = group.deficit.ceil_at(scale - score_exponent_) - deficit;
  const Integer error = odds_error_ + deficit_error + slope_error + gap_error_ + weight_rounding;
  Integer& rest = group.weight[group.reference];
  rest = 0;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    if (t == group.reference) continue;
    Integer& weight = group.weight[t];
    weight = group.score[t] - group.score[group.reference];
    weight -= deficit;
    multiply(weight, weight, group.odds[t], scale);
    multiply(weight, weight, slope, scale);
    rest -= weight;
  }
  return 2 * error;
}

// V_i = -sum_t omega_t x_t, its images V z_i and its norm.
//
// Lemma R5 (slack). V = lambda 2^(c+s) V' and V' = sum V'_i z_i' is off, in Frobenius norm, by at most
// velocity_slack = e_w sum (T_i - 1) max ||a_is - a_it|| + sqrt d sum ||z_i||: V'_i = -sum omega'_t x_t,
// rounded down once an entry, and as the stored omegas of a group sum to 0 each error multiplies a difference
// of tokens. V^' z_i is within one unit an entry of the image of the stored V^', by the exact Gram matrix of
// the z_i. So ||V^'||^2 = sum V^'_i.(V^' z_i) is off by sum |entries of V^'|, and ||V'|| lies within
// velocity_slack of ||V^'||.
void Replay::compute_velocity() {
  for_parts([&](std::size_t begin, std::size_t end) {
    Digits weights;
    for (std::size_t a = begin; a < end; ++a) {
      Group& group = groups_[a];
      if (!group.moves) continue;
      weights.assign(group.weight);
      group.rows.sums(group.velocity, weights);
      for (Integer& entry : group.velocity) {
        mpz_neg(entry.get_mpz_t(), entry.get_mpz_t());
        token_denominator_.divide(entry);
      }
    }
  });
  compute_images();
  const long scale = static_cast<long>(fraction_bits_);
  velocity_slack_ = Interval::between(weight_error_, weight_error_, -scale, 64) * reaches_ +
                    Interval::between(root_left_, root_left_, -scale, 64) * queries_;
}

void Replay::compute_images() {
  constexpr std::size_t least_products = 1 << 11;  // with long integers, a part
  const std::size_t left = features_.left_dimension(), count = groups_.size();
  const std::size_t products = count * std::min(count, features_.right_dimension()) + 1;
  std::vector<Integer> squares(left), sums(left);  // of a row of V^': its part of ||V^'||^2, and of the error
  in_parts(left, least_products / products + 1, [&](std::size_t begin, std::size_t end) {
    std::vector<Integer> row(count), image;
    QueryImages::Room room;
    for (std::size_t k = begin; k < end; ++k) {
      for (std::size_t b = 0; b < count; ++b) row[b] = groups_[b].velocity[k];  // 0 where nothing moves
      query_images_(row, image, room);
      for (std::size_t a = 0; a < count; ++a) {
        Integer& entry = groups_[a].velocity_image[k];
        entry.swap(image[a]);
        gram_denominator_.divide(entry);
        add_product(squares[k], entry, row[a]);
        add_magnitude(sums[k], row[a]);
      }
    }
  });
  Integer squared, sum;
  for (std::size_t k = 0; k < left; ++k) {
    squared += squares[k];
    sum += sums[k];
  }
  const long scale = static_cast<long>(fraction_bits_);
  speed_ = square_root(Interval::between(squared - sum, squared + sum, -2 * scale, bits_));
}

}  // namespace attest_check
