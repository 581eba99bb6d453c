// What a replay keeps to itself: to be compared with exact numbers, or set to others that its error counts
// allow.
#pragma once

#include "proofs/checker/runs/replay.hpp"

namespace attest_check {

struct ReplayInspection {
  const Replay& replay;
  const std::vector<Replay::Group>& groups() const { return replay.groups_; }
  const Integer& image_error() const { return replay.image_error_; }
  const Integer& margin_error() const { return replay.margin_error_; }
  const Integer& odds_error() const { return replay.odds_error_; }
  const Integer& weight_error() const { return replay.weight_error_; }
  unsigned multiplicity_bits() const { return replay.multiplicity_bits_; }
  const Integer& least_margin() const { return replay.least_margin_; }
  long common_exponent() const { return replay.slope_exponent_ + replay.score_exponent_; }
  const Interval& velocity_slack() const { return replay.velocity_slack_; }
  const Interval& speed() const { return replay.speed_; }
  // tau V over the stored velocity.
  Interval factor() const { return replay.step_factor(replay.speed_, Interval(0)); }

  using Group = Replay::Group;
  static std::vector<Group>& groups(Replay& replay) { return replay.groups_; }
  static void set_radius(Replay& replay, const Interval& radius) { replay.radius_ = radius; }
  const Interval& widest() const { return replay.widest_; }
  long token_exponent() const { return replay.growth_.token_exponent(); }
  long query_exponent() const { return replay.growth_.query_exponent(); }
  static GrowthPoint growth_point(Replay& replay, const Interval& loss_gap) {
    return replay.growth_point(loss_gap);
  }
  // The bound of the next step's Jacobian, after evaluate().
  static Interval stretch(Replay& replay) {
    const bool polyak = replay.specification_.rule == Rule::polyak;
    return replay.stretch(polyak ? replay.loss_gap(replay.loss_point(false), replay.bits_) : Interval(0));
  }
};

}  // namespace attest_check
