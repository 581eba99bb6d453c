// What the theorems about all later steps use of the scalar head l(sum_t s_t g_t) (DYNAMICS.md sections 5 to
// 9).
#pragma once

#include "numerics/forever/ball_number.hpp"

namespace attest {

template <typename Number>
struct ScalarHead {
  Loss loss;
  Number weight;  // wt_i

  // Bounds of b_c, but for the tokens' ratio of multiplicities, while at least `kept` of a group's attention
  // is on the selected token and f stays in [score - over, score + under].
  struct Range {
    Number least, most;  // of wt_i |l'|
    Number kept, over, under;
    // From below for a gap above `over`, from above for any positive one, and of |b_c|.
    Number low(const Number& gap) const { return least * kept * (gap - over); }
    Number high(const Number& gap) const { return most * (gap + under); }
    Number magnitude(const Number& gap) const {
      using std::abs;
      using std::fmax;
      return most * (abs(gap) + fmax(over, under));
    }
    // At most theta of T9p: L - L* = sum theta_c omega_c.
    Number steadiness() const { return least / most; }
  };
  Range range(const Number& score, const Number& kept, const Number& over, const Number& under) const {
    return {weight * loss_slope(loss, score + under), weight * loss_slope(loss, score - over), kept, over,
            under};
  }

  // b_c when all attention is on a token with this score, likewise.
  Number limit(const Number& score, const Number& gap) const {
    return weight * loss_slope(loss, score) * gap;
  }
  // k_c of T15, in a group of gaps up to `widest` in magnitude and from `least` on in the support.
  Number limit_rate(const Number& widest, const Number& least) const {
    using std::log;
    const Number doubled_log = Number(2.0) * log(Number(2.0));
    return Number(1.0) + Number(curvature()) * widest + doubled_log * widest / least;
  }
  // lambda of T12n: sup l''/|l'|.
  double curvature() const { return loss == Loss::correlation ? 0 : 1; }

  // l^{-1}(l(best) + excess): the output below which the group alone would have a larger loss gap.
  Number floor(const Number& best, const Number& excess) const {
    using std::exp;
    using std::expm1;
    using std::log;
    if (loss == Loss::correlation) return best - excess;
    // e^-f = e^-best + excess
    if (loss == Loss::exponential) return best - log(Number(1.0) + excess * exp(best));
    // logistic, 1 + e^-f = (1 + e^-best) e^excess: e^(best - f) = 1 + (e^best + 1)(e^excess - 1)
    return best - log(Number(1.0) + (exp(best) + Number(1.0)) * expm1(excess));
  }
};

}  // namespace attest
