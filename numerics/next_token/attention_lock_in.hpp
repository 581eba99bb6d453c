// T23: from one point of the attention stage on, normalised descent with a constant step decreases the loss
// at every step, geometrically, keeps every selected token, and tends to the direction of W* (NEXT_TOKEN.md
// sections 4 and 5).
#pragma once

#include <cstdint>
#include <optional>

#include "numerics/forever/ball_number.hpp"
#include "numerics/next_token/attention_stage.hpp"

namespace attest {

// What the theorem is told of the stage and of the steps.
struct StageTraining {
  BallNumber scale{0.0};  // c of W_ov
  BallNumber step{0.0};   // eta
};

// The loss alone, at a point: it decreases from there on.
class AttentionLockIn {
 public:
  // `loss_gap` encloses S = L - L* at step t0 of the run. Nothing when the hypotheses are not certain.
  static std::optional<AttentionLockIn> prove(const AttentionStage& stage, const StageTraining& training,
                                              const BallNumber& loss_gap, std::uint64_t t0);

  std::uint64_t from() const { return t0_; }
  // 1 - s_alpha is at most this in every sentence, at all later steps.
  const BallNumber& unselected() const { return eps_; }
  // theta: S decreases by at least theta eta ||V|| at every step.
  const BallNumber& decrease() const { return theta_; }
  const BallNumber& loss_gap() const { return loss_gap_; }

 private:
  std::uint64_t t0_ = 0;
  BallNumber eps_{0.0}, theta_{0.0}, loss_gap_{0.0};
};

// Of every step t = t0 + N, S = L - L*, u = W*/||W*||, y = <W,u>: S falls by at least decrease eta ||grad L||
// at each and is at most loss_gap loss_ratio^N; 1 - s <= unselected for each selected token; y never falls
// and is at least height + growth N - lag; ||W - y u|| <= residual at t0, and ||W_t - W - (y_t - y) u||^2 <=
// path N. Numbers that a certificate states: each is rounded to the side on which this stays true.
struct AttentionConclusion {
  Rational unselected, decrease, loss_gap, loss_ratio, height, growth, lag, residual, path;
};

// With the direction u = W*/||W*||, from the point W at which it is locked in.
class AttentionLimit {
 public:
  // The entries of W within balls, with what the theorem needs of it.
  struct Start {
    std::vector<BallNumber> entries;
    BallNumber height{0.0};    // <W, u>
    BallNumber residual{0.0};  // ||W - <W, u> u||
  };
  // Nothing without constraints, or where rounding leaves nothing to say.
  static std::optional<AttentionLimit> prove(const AttentionStage& stage, const AttentionOptimum& optimum,
                                             const StageTraining& training, const AttentionLockIn& lock_in,
                                             const Start& start);

  std::uint64_t from() const { return t0_; }
  const AttentionConclusion& conclusion() const { return said_; }
  const std::vector<BallNumber>& entries() const { return entries_; }  // of W at from()
  // Bounds at every step t >= from(), from above: S, and 1 - cos(W_t, u).
  BallNumber loss_gap_at(std::uint64_t t) const;
  BallNumber one_minus_cos_at(std::uint64_t t) const;
  // A lower bound of <W_t, u>, at least linear in t.
  BallNumber height_at(std::uint64_t t) const;
  // A lower bound of W's entry `winner` less its entry `loser` at all later steps, along rows that lead from
  // one to the other (the extended partial order); nothing where none do.
  std::optional<BallNumber> margin(const AttentionStage& stage, std::size_t winner, std::size_t loser) const;
  // The first step from which on <Delta, W_t> + offset > 0 is certain at every step, for ||Delta|| at most
  // sqrt 2 with <Delta, u> = rate and <Delta, W> = margin at the start; none where rate > 0 is not certain.
  std::optional<std::uint64_t> positive_from(const BallNumber& rate, const BallNumber& margin,
                                             const BallNumber& offset) const;

 private:
  std::uint64_t t0_ = 0;
  AttentionConclusion said_;
  std::vector<BallNumber> entries_;
};

}  // namespace attest
