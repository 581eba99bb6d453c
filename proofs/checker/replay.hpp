// The checker's own pseudo-orbit of a run: an exact iterate and a proved bound of its distance to the exact
// trajectory (RUNS.md section 3).
#pragma once

#include <cstddef>
#include <vector>

#include "proofs/checker/interval.hpp"
#include "proofs/checker/run_point.hpp"
#include "proofs/checker/step_growth.hpp"
#include "proofs/checker/velocity_norm.hpp"

namespace attest_check {

// What a run claim speaks about at one step, for the exact trajectory W_t.
struct Observation {
  Interval norm, along, one_minus_corr;
  bool directed = false;  // one_minus_corr is defined: ||W_t|| > 0
  Interval loss_gap, gradient, unselected;
};

class Replay {
 public:
  // The direction must outlive the replay; the start is exact. Throws Imprecise when more bits are needed.
  Replay(const ReferenceDirection& direction, const Specification& specification, const StartPoint& start,
         unsigned fraction_bits);

  std::size_t step() const { return step_; }
  // Once at every step, before the others.
  void evaluate();
  void advance();

  // Encloses 1 - corr at W_t; false when W_t = 0 is possible.
  bool correlation_loss(Interval& value) const;
  const Interval& loss_gap() const { return loss_gap_; }
  Observation observe() const;
  // Everything about W_t that the theorems about later steps need.
  RunPoint facts() const;
  const Interval& radius() const { return radius_; }

 private:
  struct Evaluation {
    std::vector<GroupAttention> attention;     // per active group
    std::vector<Interval> slope;               // (1/n) |l'(f_i)|
    std::vector<std::vector<Interval>> omega;  // T1's weights; minus their sum for the reference
  };
  Evaluation evaluate_softmax(const std::vector<std::vector<Interval>>& odds) const;
  Interval total_loss_gap(const Evaluation& at) const;
  void refresh_image();
  void measure();

  const ReferenceDirection& direction_;
  const Problem& problem_;
  const Features& features_;
  const Specification specification_;
  const StartPoint start_;
  const unsigned fraction_bits_, bits_;
  const RunGroups groups_;
  StepGrowth growth_;

  std::vector<std::size_t> best_;
  StartImage start_image_;
  Integer start_scale_;                            // brings start images to image_denominator_
  Integer image_denominator_;
  Interval start_norm_squared_;
  std::vector<std::vector<Integer>> direction_coordinates_;  // U_i in units of 2^-bits_, rounded down

  std::size_t step_ = 0;
  Interval radius_;                                // ||W_t - W~_t|| <= radius_
  std::vector<std::vector<Integer>> position_;     // P_i over 2^fraction_bits_ x denominator of the tokens
  std::vector<std::vector<Integer>> image_;        // W~_t z_i over image_denominator_

  // After evaluate():
  std::vector<std::size_t> reference_;
  std::vector<std::vector<Interval>> margin_;      // of the reference at W~_t
  Evaluation point_, ball_;                        // at W~_t; for every matrix within radius_ of it
  Interval velocity_norm_, ball_velocity_norm_, loss_gap_, norm_, along_;
};

}  // namespace attest_check
