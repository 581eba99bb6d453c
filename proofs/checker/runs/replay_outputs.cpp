// The checker's own pseudo-orbit: heads of several outputs, which are scalar heads with other scores at every
// point. See replay.hpp, also for the letters of the lemmas.
#include <algorithm>

#include "proofs/checker/runs/replay.hpp"

namespace attest_check {
namespace {

// Error counts in units, named where the lemmas derive them.
constexpr long output_moment_error = 3;  // of one odds times a difference of outputs, besides the odds' own
constexpr long output_error = 1;         // of a stored c_0u - c_tu, and of a sum's shift

// The omegas of a group change by at most x M (change_factor + change_spread 2^s).
constexpr long change_factor = 16, change_spread = 32;

}  // namespace

// The outputs' values, and what they say of `moves` and of the spread.
void Replay::add_outputs(Group& group, Rational& spread) {
  const Outputs& outputs = *features_.outputs();
  const std::size_t i = group.index;
  Rational sum, widest;
  for (std::size_t u = 0; u < outputs.count(); ++u) {
    std::vector<Interval>& values = group.output_value.emplace_back();
    Rational least, most;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const Rational value = outputs.value(i, features_.representative(i, t), u);
      least = t == 0 ? value : std::min(least, value);
      most = t == 0 ? value : std::max(most, value);
      values.emplace_back(value, bits_);
    }
    sum += most - least;
    widest = std::max(widest, Rational(most - least));
  }
  spread = std::max(spread, outputs.classifier() ? widest : sum);
  group.moves = sum != 0;
}

void Replay::store_outputs(Group& group) {
  const Outputs& outputs = *features_.outputs();
  const std::size_t i = group.index;
  const Rational scale = scale_by_power_of_two(1, static_cast<long>(fraction_bits_) - score_exponent_);
  for (std::size_t u = 0; u < outputs.count(); ++u) {
    std::vector<Integer>& drops = group.output_drop.emplace_back();
    const Rational first = outputs.value(i, features_.representative(i, 0), u);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const Rational drop = (first - outputs.value(i, features_.representative(i, t), u)) * scale;
      drops.push_back(divide_floor(drop.get_num(), drop.get_den()));
    }
  }
  group.score.resize(group.tokens);
}

// c_ru - m_u = 2^s lambda sum E_t (c_ru - c_tu)/Z (the differences over 2^s): Lemma R3 for each output.
void Replay::compute_output_deficits(Group& group) {
  const Interval scale = Interval::between(1, 1, score_exponent_, bits_);
  const Integer count(group.tokens), own(group.multiplicity[group.reference]);
  Integer sum, moment;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    if (t != group.reference) sum += group.odds[t];
  }
  group.others = least_odds_ * number(sum, count * odds_error_);
  group.partition = Interval::between(own, own, -static_cast<long>(multiplicity_bits_), bits_) + group.others;
  group.output_deficit.clear();
  for (const std::vector<Integer>& drop : group.output_drop) {
    moment = 0;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (t == group.reference || group.odds[t] == 0) continue;
      scratch_ = drop[t] - drop[group.reference];
      scratch_ *= group.odds[t];
      mpz_fdiv_q_2exp(scratch_.get_mpz_t(), scratch_.get_mpz_t(), fraction_bits_);
      moment += scratch_;
    }
    group.output_deficit.push_back(
        scale * least_odds_ * number(moment, count * (odds_error_ + output_moment_error)) / group.partition);
  }
}

std::vector<Interval> Replay::means(const Group& group, const Interval& change) const {
  std::vector<Interval> result;
  for (std::size_t u = 0; u < group.output_deficit.size(); ++u) {
    const Interval mean = group.output_value[u][group.reference] - group.output_deficit[u];
    result.push_back(Interval::hull(mean - change, mean + change));
  }
  return result;
}

// The scores -sum_u pi_u c_tu of the iterate, sigma, and the deficit -sum_u pi_u (c_ru - m_u) of the scores.
//
// Lemma R14 (scores). pi_u is stored rounded down, off by the width w_u of its interval in units, and each
// (c_0u - c_tu) 2^-s, at most 1, by one: a sum of products is off by sum_u (pi_u + w_u) and one for its
// shift, at most sum_u (output_error + w_u) + output_error, as pi_u <= 1; the difference of two scores by
// twice that, e_g. Scores differ by at most 2^s within a group: of a classifier sum pi_u = 1, of units pi_u
// <= 1. Where the sign of each unit is certain over the ball (Lemma R10), pi is constant there: it is the
// scalar head with these scores, of which all other lemmas speak.
void Replay::score_by_outputs(Group& group) {
  if (!features_.outputs()->classifier()) {
    try {
      output_slopes(problem_, group.index, means(group, deficit_change(group)), bits_);
    } catch (OpenSign& sign) {
      sign.step = step_;
      throw;
    }
  }
  const std::vector<Interval> here = means(group, Interval(0));
  group.outputs = output_slopes(problem_, group.index, here, bits_);
  const long scale = static_cast<long>(fraction_bits_);
  std::vector<Integer> share;
  Integer error = output_error;
  group.deficit = group.output = Interval::between(0, 0, 0, bits_);
  for (std::size_t u = 0; u < here.size(); ++u) {
    const Interval& pi = group.outputs.share[u];
    share.push_back(pi.floor_at(scale));
    error += output_error + pi.ceil_at(scale) - share.back();
    group.deficit = group.deficit - pi * group.output_deficit[u];
    group.output = group.output - pi * here[u];
  }
  gap_error_ = std::max(gap_error_, Integer(2 * error));
  for (std::size_t t = 0; t < group.tokens; ++t) {
    scratch_ = 0;
    for (std::size_t u = 0; u < share.size(); ++u) add_product(scratch_, share[u], group.output_drop[u][t]);
    scratch_ = -scratch_;
    group.score[t] = shift_floor(scratch_, fraction_bits_);
  }
}

// Lemma R15 (the ball, a classifier). Let x be as in Lemma R6, q = 1 -
// s_r, slope = (1/n) sigma, M = slope q
// 2^s. In the ball every m_u is within 3 x q 2^s of the iterate's (Lemma R10), so sigma = S/(1 + S) changes
// by a factor within e^(+-3 x 2^s), pi_u by one within e^(+-6 x 2^s), and slope s_t by one within e^(+-z), z
// = (2 + 3 2^s) x: by at most 1.1 z of its size, as x and 2^s x are below 2^-56. gap_t, at most 2^s, changes
// by at most k = 2^s (e^(6 x 2^s) - 1) <= 6.6 x 4^s, the deficit, sum s_t gap_t, by at most 3 x q 2^s + q k.
// Everywhere |gap_t - deficit| <= 2^s and |deficit| <= 1.1 q 2^s. Hence sum_t |change of omega_t| is at
// most 1.1 z slope (q 2^s + 1.1 q 2^s), from slope s_t, and slope (q (k + 3 x q 2^s + q k) + 3 x q 2^s + q
// k), from gap_t - deficit, the tokens but r first in both: together at most x M (2.31 (2 + 3 2^s) + 3 6.6
// 2^s + 6) <= x M (change_factor + change_spread 2^s). The sum of this over the groups is required to be at
// most 2^-ball_bits times the power of two above sum |omega'|, which is what Lemma R8 uses of the ball.
void Replay::require_small_change(const Interval& unit) const {
  const Interval scale = Interval::between(1, 1, score_exponent_, 64);
  Interval mass;
  for (const Group& group : groups_) {
    if (!group.moves) continue;
    mass += group.slope.rounded(64) * group.others.rounded(64) / group.partition.rounded(64) * scale;
  }
  const Interval response = Interval(change_factor) + Interval(change_spread) * scale;
  if (!certainly_at_most(response * move_.rounded(64) * mass, unit * Interval::between(1, 1, -ball_bits, 64)))
    throw Imprecise{};
}

// Lemma R16 (bend, a classifier). DV has, beside -sum omega x~ x~', the part -B_i, B_i = (1/n) sum_u p_u (N_u
// - N)(N_u - N)' over all classes, N_u = sum_t s_t c_tu x~_t, N_y = 0, N = sum p_u N_u (DYNAMICS.md section
// 11). A variance is at most the second moment: 0 <= B_i <= slope sum_u pi_u N_u N_u'. As sum s_t x~_t = 0,
// N_u = sum_t s_t (c_tu - c_ru) x~_t. Over 2^s and with tokens over 2^a its norm is at most 1/4, for it is
// the covariance of two numbers that spread over at most 1, and at most q = 1 - s_r. In the ball slope pi_u
// changes by a factor within e^(+-9 x 2^s) and q by one within e^(+-2 x): by Lemma R6's requirement all
// together by less than 2^(2 - ball_bits) of the size. c_tu - c_ru over 2^s is handed in words within two
// units: one is that of its storage, one of the shift.
OutputBend Replay::output_bend(const Group& group, const Interval& unit) const {
  OutputBend bend;
  const Interval one(1), slack = Interval::between(1, 1, 2 - ball_bits, 64);
  const Interval ball = Interval::hull(one - slack, one + slack);
  const Interval quarter = Interval::between(1, 1, -2, 64);
  const Interval rest = (group.others.rounded(64) / group.partition.rounded(64) * ball).upper_end();
  bend.most = certainly_less(rest, quarter) ? rest : quarter;
  const Interval weight =
      group.slope.rounded(64) * Interval::between(1, 1, 2 * score_exponent_, 64) * ball / unit;
  if (fraction_bits_ < word_point) throw Imprecise{};
  const mp_bitcnt_t shift = fraction_bits_ - word_point;
  for (std::size_t u = 0; u < group.output_drop.size(); ++u) {
    bend.weight.push_back((weight * group.outputs.share[u].rounded(64)).upper_end());
    const std::vector<Integer>& drop = group.output_drop[u];
    for (std::size_t t = 0; t < group.tokens; ++t)
      bend.difference.push_back(word(shift_floor(drop[group.reference] - drop[t], shift)));
  }
  return bend;
}

}  // namespace attest_check
