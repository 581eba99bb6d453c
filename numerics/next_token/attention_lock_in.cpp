#include "numerics/next_token/attention_lock_in.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "numerics/numbers/dyadic.hpp"
#include "numerics/numbers/interval.hpp"

namespace attest {
namespace {

BallNumber whole(std::uint64_t n) {
  return number(Rational(n));
}

constexpr unsigned stated_bits = 64;
constexpr long stated_room = -30;  // 2^ that, relative: for a checker's own roundings

std::optional<Rational> rounded_above(const BallNumber& x) {
  const auto ends = interval_of(x.ball());
  if (!ends || ends->hi == 0) return ends ? std::optional(ends->hi) : std::nullopt;
  return dyadic_above(ends->hi + abs(ends->hi) * power_of_two(stated_room), stated_bits);
}

std::optional<Rational> rounded_below(const BallNumber& x) {
  const auto above = rounded_above(-x);
  return above ? std::optional<Rational>(-*above) : std::nullopt;
}

// The factors of a row: omega_c = b_c e^-m_c, b_c = (c/n) (k_t/k_alpha) s_alpha (psi_t - psibar)/c.
class Factors {
 public:
  Factors(const AttentionStage& stage, const StageTraining& training, const BallNumber& eps)
      : weight_(training.scale / whole(stage.groups.size())), kept_(BallNumber(1.0) - eps) {
    const BallNumber one(1.0), others = whole(stage.outputs - 1), c = training.scale;
    const BallNumber all = exp(c) + others;
    left_ = others / all;
    share_ = one / all;
    // 1 - p_alpha at most, and the share of any other token's next one at most, while 1 - s_alpha <= eps.
    const BallNumber rival = exp(c * eps), against = others - one + rival, next = exp(c * kept_);
    most_left_ = against / (next + against);
    most_share_ = rival / (next + against);
    least_ = kept_ * left_ - eps * most_share_;
    part_ = rival / against;
  }

  // pi: p_t <= pi (1 - p_alpha) for every other token.
  const BallNumber& part() const { return part_; }
  // How much larger than at another point a factor can be.
  BallNumber swing() const {
    return fmax(most_left_ / (kept_ * least_), (most_left_ + most_share_) / (kept_ * (least_ + share_)));
  }

  BallNumber low(const StageGroup& group, const StageToken& token) const {
    return weight_ * counted(group, token) * kept_ * (token.paired ? least_ + share_ : least_);
  }
  BallNumber high(const StageGroup& group, const StageToken& token) const {
    return weight_ * counted(group, token) * (token.paired ? most_left_ + most_share_ : most_left_);
  }
  // Of (1/n) (k_t/k_alpha) s_alpha times the rise of the loss toward t where all attention is on alpha.
  BallNumber limit(const StageGroup& group, const StageToken& token) const {
    return weight_ * counted(group, token) * kept_ * (token.paired ? left_ + share_ : left_);
  }
  bool sure() const { return positive(least_); }

 private:
  static BallNumber counted(const StageGroup& group, const StageToken& token) {
    return number(Rational(token.count, group.tokens[group.selected].count));
  }

  BallNumber weight_, kept_, left_{0.0}, share_{0.0}, most_left_{0.0}, most_share_{0.0}, least_{0.0},
      part_{0.0};
};

}  // namespace

std::optional<AttentionLockIn> AttentionLockIn::prove(const AttentionStage& stage,
                                                      const StageTraining& training,
                                                      const BallNumber& loss_gap, std::uint64_t t0) {
  if (stage.curvature == 0 || stage.outputs < 2) return std::nullopt;
  const BallNumber one(1.0), two(2.0), c = training.scale;
  const BallNumber odds = whole(stage.outputs - 1) * exp(-c);
  const BallNumber excess = expm1(whole(stage.groups.size()) * loss_gap);
  AttentionLockIn proof;
  proof.t0_ = t0;
  proof.loss_gap_ = loss_gap;
  proof.eps_ = log1p(excess * (one + odds) / odds) / c;
  if (!at_most(proof.eps_, BallNumber(0.25))) return std::nullopt;
  const Factors factors(stage, training, proof.eps_);
  const BallNumber& part = factors.part();
  const BallNumber room = one - proof.eps_ - proof.eps_ * part;
  if (!factors.sure() || !positive(room)) return std::nullopt;
  const BallNumber bent = one + two * proof.eps_ * sqrt((one + part) / room) +
                          c * proof.eps_ * (one + two * sqrt(part) + part) / room;
  const BallNumber x = sqrt(two) * training.step;
  proof.theta_ =
      one - bent * factors.swing() * sqrt(whole(stage.curvature)) * training.step * (expm1(x) - x) / (x * x);
  if (!positive(proof.theta_)) return std::nullopt;
  return proof;
}

std::optional<AttentionLimit> AttentionLimit::prove(const AttentionStage& stage,
                                                    const AttentionOptimum& optimum,
                                                    const StageTraining& training,
                                                    const AttentionLockIn& lock_in, const Start& start) {
  const BallNumber one(1.0), two(2.0), eta = training.step;
  const Factors factors(stage, training, lock_in.unselected());
  if (optimum.shares.empty()) return std::nullopt;
  const BallNumber margin = one / sqrt(number(optimum.norm_squared));  // gamma
  const BallNumber kept = one - lock_in.unselected();
  BallNumber mass(0.0), low(0.0), limit(0.0);
  const BallNumber along = margin * start.height;
  for (const StageGroup& group : stage.groups) {
    const BallNumber& top = start.entries[group.tokens[group.selected].entry];
    for (std::size_t t = 0; t < group.tokens.size(); ++t) {
      if (t == group.selected) continue;
      const StageToken& token = group.tokens[t];
      mass += factors.high(group, token) * exp(along - (top - start.entries[token.entry]));
    }
  }
  for (const AttentionOptimum::Share& share : optimum.shares) {
    const StageGroup& group = stage.groups[share.group];
    const BallNumber mu = number(share.multiplier / optimum.norm_squared);
    low += mu * log(factors.low(group, group.tokens[share.token]) / mu);
    limit += mu * log(factors.limit(group, group.tokens[share.token]) / mu);
  }
  const BallNumber& theta = lock_in.decrease();
  const BallNumber gibbs = fmax(log(mass) - low, BallNumber(0.0));
  const BallNumber lag = fmax(log(lock_in.loss_gap()) + along - limit, BallNumber(0.0)) / (two * margin);
  std::vector<std::optional<Rational>> ends{rounded_above(lock_in.unselected()),
                                            rounded_below(theta),
                                            rounded_above(lock_in.loss_gap()),
                                            rounded_below(-expm1(-(theta * eta * margin * kept))),  // 1 - q
                                            rounded_below(start.height),
                                            rounded_below(eta * sqrt(theta * kept)),
                                            rounded_above(lag),
                                            rounded_above(start.residual),
                                            rounded_above(eta * (two * gibbs / margin + eta))};
  if (std::any_of(ends.begin(), ends.end(), [](const auto& end) { return !end; })) return std::nullopt;
  AttentionLimit proof;
  proof.t0_ = lock_in.from();
  proof.said_ = {*ends[0], *ends[1], *ends[2], 1 - *ends[3], *ends[4],
                 *ends[5], *ends[6], *ends[7], *ends[8]};
  proof.entries_ = start.entries;
  if (proof.said_.decrease <= 0 || proof.said_.growth <= 0 || proof.said_.loss_ratio >= 1)
    return std::nullopt;
  return proof;
}

BallNumber AttentionLimit::loss_gap_at(std::uint64_t t) const {
  return number(said_.loss_gap) * exp(whole(t - t0_) * log(number(said_.loss_ratio)));
}

BallNumber AttentionLimit::height_at(std::uint64_t t) const {
  const Rational gained = said_.growth * Rational(t - t0_) - said_.lag;
  return number(said_.height + std::max(gained, Rational(0)));
}

BallNumber AttentionLimit::one_minus_cos_at(std::uint64_t t) const {
  const BallNumber height = height_at(t);
  BallNumber two(2.0);
  if (!positive(height)) return two;
  const BallNumber across = number(said_.residual) + sqrt(number(said_.path * Rational(t - t0_)));
  return fmin(across * across / (two * height * height), two);
}

// In a sentence that says the row, s_t/s_alpha = (k_t/k_alpha) e^-m is at most eps/(1 - eps).
std::optional<BallNumber> AttentionLimit::margin(const AttentionStage& stage, std::size_t winner,
                                                 std::size_t loser) const {
  const BallNumber least = log(number(Rational((1 - said_.unselected) / said_.unselected)));
  std::map<std::size_t, BallNumber> below{{winner, BallNumber(0.0)}};
  std::deque<std::size_t> queue{winner};
  while (!queue.empty()) {
    const std::size_t at = queue.front();
    queue.pop_front();
    if (at == loser) return below.at(at);
    for (auto row = stage.rows.lower_bound({at, 0}); row != stage.rows.end() && row->first.first == at;
         ++row) {
      const BallNumber margin = below.at(at) + least + log(number(row->second));
      if (below.emplace(row->first.second, margin).second) queue.push_back(row->first.second);
    }
  }
  return std::nullopt;
}

// rate (growth N - lag) + margin + offset - sqrt(2 path N) > 0: a quadratic in sqrt N.
std::optional<std::uint64_t> AttentionLimit::positive_from(const BallNumber& rate, const BallNumber& margin,
                                                           const BallNumber& offset) const {
  const BallNumber rise = rate * number(said_.growth), need = rate * number(said_.lag) - margin - offset;
  if (!positive(rise)) return std::nullopt;
  const BallNumber two(2.0), spread = two * number(said_.path);
  const BallNumber discriminant = spread + number(4) * rise * need;
  if (positive(-discriminant)) return t0_;
  const BallNumber root = (sqrt(spread) + sqrt(discriminant)) / (two * rise);
  const double steps = (root * root).ball().upper_double();
  if (!(steps < 0x1p60)) return std::nullopt;
  return t0_ + static_cast<std::uint64_t>(std::floor(steps)) + 1;
}

}  // namespace attest
