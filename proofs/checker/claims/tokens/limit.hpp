// T23: the attention stage's training from one of its points on (NEXT_TOKEN.md sections 4 and 5).
#pragma once

#include "proofs/checker/claims/tokens/run.hpp"

namespace attest_check {

// Of every step t = T + N, N >= 0, u = W*/||W*||, S = L - L*, y = <W,u>: S falls by at least decrease eta
// ||grad L|| at each and is at most loss_gap loss_ratio^N; 1 - s <= unselected for each selected token; y
// never falls, y_T >= height and y_t >= y_T + growth N - lag; ||W_T - y_T u|| <= residual, and W_t - W_T is
// within sqrt(path N) of (y_t - y_T) u.
struct TokenConclusion {
  Rational unselected, decrease, loss_gap, loss_ratio, height, growth, lag, residual, path;

  static void words(auto& say, auto& self) {
    say("unselected", self.unselected, "decrease", self.decrease, "loss-gap", self.loss_gap, "loss-ratio",
        self.loss_ratio, "height", self.height, "growth", self.growth, "lag", self.lag, "residual",
        self.residual, "path", self.path);
  }
};

inline constexpr unsigned token_limit_bits = 160;

// Rejects the claim unless T23 holds at this point and implies the conclusion. Throws Imprecise where the
// working precision decides nothing.
void require_token_limit(const Claim& claim, const TokenStage& stage, const TokenTraining& training,
                         const TokenDirection& direction, const TokenPoint& point,
                         const TokenConclusion& conclusion);

// The rows a > b of the orders as pairs of entries, each with the largest k_b/k_a of the sentences that say
// it. `margin` below is of these.
std::map<std::pair<std::size_t, std::size_t>, Rational> token_rows(const TokenStage& stage);

}  // namespace attest_check
