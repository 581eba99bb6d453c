// What a step's own curvature costs: see claims/mirror/step.hpp. Names are those of MIRROR.md section 6.
#include "proofs/checker/claims/mirror/step.hpp"

#include "proofs/checker/base/powers.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

using namespace t17;

Interval of_two(const Rational& exponent) {
  return power(Interval::between(2, 2, 0, bits), exponent, bits);
}

class StepCost {
 public:
  StepCost(const MirrorSetting& at, const MirrorStep& step)
      : at_(at),
        step_(step),
        constant_(of_two(2 - at.q) / number(at.q)),
        share_(step.share),
        scale_(constant_ * power(step.length, at.q - 1, bits)),
        rise_(constant_ * power(step.share, at.q - 1, bits)) {}

  Interval operator()() const {
    const Interval coarse = steps_across_zeros();
    const std::optional<Interval> fine = by_entries(coarse / Interval(8));
    return fine ? minimum(coarse.upper_end(), fine->upper_end()) : coarse.upper_end();
  }

 private:
  // Of a step in all entries from one sign to the other.
  Interval steps_across_zeros() const {
    const Interval plain = scale_ * at_.longest * (Interval(1) + step_.outside);
    return minimum(plain.upper_end(), at_.spread_cost(scale_, step_.outside));
  }

  // Lemma 6 with theta = 1/2. Solid are entries of which Lambda E is at most `share`.
  std::optional<Interval> by_entries(const Interval& share) const {
    const Interval loss = number(1 / at_.p) + of_two(-at_.p) / number(at_.q) - of_two(1 - at_.p);  // d_theta
    const Interval curve =
        number((at_.q - 1) / 6) * (Interval(2) + of_two(2 - at_.q));  // k_j (|a_j|/2)^(P-2)
    Interval price, soft;
    Vector weights(at_.u.size());  // k_j, 0 where soft
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (!at_.moves[j]) continue;
      const Interval fastest = most(j), moved = power(fastest, at_.q, bits),
                     half = step_.entries[j] / Interval(2);
      if (step_.entries[j].positive()) {
        const Interval paid = rise_ * moved * step_.energy / (loss * power(step_.entries[j], at_.p, bits));
        const Interval slope = power(half, at_.p - 1, bits);
        if (certainly_at_most(paid, share) && certainly_at_most(Interval(2) * share_ * fastest, slope)) {
          price = largest(price, paid);
          weights[j] = (curve * half / slope).upper_end();
          continue;
        }
      }
      soft += moved;
    }
    const std::optional<Interval> smooth = smooth_part(weights);
    if (!smooth) return std::nullopt;
    const Interval rest =
        minimum((scale_ * power(soft, 1 / at_.q, bits)).upper_end(), (rise_ * soft).upper_end());
    return price + *smooth + rest;
  }

  // At least |V_j|/Om.
  Interval most(std::size_t j) const {
    Interval inside, beyond;
    for (std::size_t c = 0; c < at_.rows.size(); ++c) {
      Interval& side = at_.outside[c] ? beyond : inside;
      side = largest(side, absolute(at_.rows[c][j]));
    }
    return inside + step_.outside * beyond;
  }

  // At least T (A + s B)^2 - 2 s^2 for every s.
  std::optional<Interval> smooth_part(const Vector& weights) const {
    const auto size = [&](const auto& entry) {
      Interval sum;
      for (std::size_t j = 0; j < weights.size(); ++j) {
        const Interval x = absolute(entry(j)).upper_end();
        sum += weights[j] * x * x;
      }
      return square_root(sum).upper_end();
    };
    Interval apart, beyond;
    for (std::size_t c = 0; c < at_.rows.size(); ++c) {
      if (at_.outside[c])
        beyond = maximum(beyond, size([&](std::size_t j) { return at_.rows[c][j]; }));
      else
        apart = maximum(apart, size([&](std::size_t j) { return at_.rows[c][j] - at_.gamma * at_.n[j]; }));
    }
    const Interval mean = at_.gamma * size([&](std::size_t j) { return at_.n[j]; }) + step_.outside * beyond;
    const Interval kept = Interval(1) - Interval(2) * share_ * apart * apart;
    if (!kept.positive()) return std::nullopt;
    return share_ * mean * mean / kept;
  }

  const MirrorSetting& at_;
  const MirrorStep& step_;
  const Interval constant_, share_;
  const Interval scale_;  // c_Q, times the length to the power Q-1
  const Interval rise_;   // and times the share to it
};

}  // namespace

Interval mirror_step_cost(const MirrorSetting& at, const MirrorStep& step) {
  return StepCost(at, step)();
}

}  // namespace attest_check
