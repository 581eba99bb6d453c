// The checker's own pseudo-orbit of a run: an exact iterate and a proved bound of its distance to the exact
// trajectory.
//
// W~_t = W_0 + sum_i P_i z_i', the entries of P_i integers in units of u = 2^-F, F the fraction bits, exact.
// Everything that is computed at a step is such integers; products are rounded down. "Off by k" means k
// units; a letter with ^ is a stored number, e_... the error it is counted with. Groups with equal scores do
// not move anything. Lemmas R1 to R16, one above each function, are the proof; RUNS.md section 3 lists them.
// Their letters: a_it = x_it z_i' the features, q_i the images W~_t z_i, r the reference of a group (the
// token with the largest logit; T1 holds for any), m_t the margins against it, gap_t = g_r - g_t, s_t the
// softmax, f the mean score, d the left dimension, T_i the tokens of group i, T the most of them, 2^s at
// least every difference of scores within a group. Equal tokens are one: k_t is the multiplicity of a token,
// 0 for those that another one stands for, and k'_t = k_t 2^-p with the least p that makes all of them at
// most 1. T_i counts multiplicities, which are at least as many as the rows. Where the instance has offsets,
// k_t = sum count e^offset is no integer: log k_t is part of the logits, and in what follows k_t is 1.
//
// Of a head of several outputs (DYNAMICS.md section 11) scores and slope are those of the point, -sum_u pi_u
// c_tu and (1/n) sigma: they are made at every step, in replay_outputs.cpp. c_tu are exact, m_u their means;
// 2^s is at least every difference of c_tu within a group and, of ReLU units, the sum of the largest ones
// over u.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "proofs/checker/base/exponential.hpp"
#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/runs/output_point.hpp"
#include "proofs/checker/runs/point.hpp"
#include "proofs/checker/runs/step_growth.hpp"
#include "proofs/checker/runs/velocity_norm.hpp"
#include "proofs/checker/runs/word_sums.hpp"

namespace attest_check {

// What a run claim speaks about at one step, for the exact trajectory W_t.
struct Observation {
  Interval norm, along, one_minus_corr;
  bool directed = false;  // one_minus_corr is defined: ||W_t|| > 0
  Interval loss_gap, gradient, unselected;
};

// How far W_t is from 0, and along the direction.
struct Place {
  Interval norm, along;                              // ||W_t||, y_t = <W_t, u>
  bool directed() const { return norm.positive(); }  // W_t = 0 is not possible
  Interval one_minus_corr() const { return maximum(norm - along, Interval(0)) / norm; }  // when directed
};

// What of W_t decides its loss.
struct LossPoint {
  std::vector<std::size_t> reference;  // per active group
  std::vector<Interval> deficit;       // g_reference - f
  std::vector<Interval> slope;         // (1/n) |l'(f)|, in 64 bits
  std::vector<std::vector<Interval>>
      outputs{};                          // of several outputs instead, else empty: c_reference,u - m_u
  mutable std::optional<Interval> gap{};  // L - L* with 128 bits, once it was asked for
};

// In the ball around the iterate in which the trajectory is, every softmax weight, omega and V change by less
// than 2^-ball_bits of their size (Lemma R6).
inline constexpr long ball_bits = 56;

// Numbers of the iteration are integers in units of 2^-fraction_bits with counted errors; `units` below are
// these.
class Replay {
 public:
  // The direction must outlive the replay; the start is exact. Throws Imprecise when more bits are needed.
  Replay(const ReferenceDirection& direction, const Specification& specification, const StartPoint& start,
         unsigned fraction_bits);

  std::size_t step() const { return step_; }
  // The gradient; once at every step, before the others.
  void evaluate();
  void advance();
  // Goes on with fewer bits (no more than it has): before evaluate(), not at the start.
  void narrow(unsigned fraction_bits);

  Place place() const;
  LossPoint loss_point() const { return loss_point(true); }
  // Is the loss at `later` certainly below the loss at `earlier`? Throws Imprecise when neither that nor the
  // opposite is certain.
  bool loss_decreases(const LossPoint& earlier, const LossPoint& later) const;
  Observation observe() const;
  // Everything about W_t that the theorems about later steps need.
  RunPoint facts() const;
  const Interval& radius() const { return radius_; }

 private:
  friend struct ReplayInspection;  // tests/unit/proofs/runs compares every stored number with the exact one

  struct Group {
    std::size_t index = 0, tokens = 0;
    std::vector<std::uint64_t> multiplicity;  // tokens: k
    std::vector<Integer> log_multiplicity;    // tokens, where there are offsets: less that of e^(the first's)
    std::size_t best = 0;                     // a token with the best score
    bool moves = false;                       // its scores are not all equal, so it contributes to gradients
    WordTable rows, columns;                  // tokens x left, over the tokens' denominator, and transposed
    std::vector<Integer> score;               // tokens: (g_0 - g_t) / score_scale, rounded down
    // Of several outputs, outputs x tokens: (c_0u - c_tu) / score_scale, rounded down; and c_tu.
    std::vector<std::vector<Integer>> output_drop;
    std::vector<std::vector<Interval>> output_value;
    std::vector<Integer> direction;  // left: U_i, rounded down
    std::vector<Integer> start;      // left: W_0 z_i, rounded down
    Integer reach_one;               // at least ||x_s - x_t||_1

    std::vector<Integer> position;  // left: P_i, exact
    std::vector<Integer> image;     // left: W~ z_i, within image_error_

    // After evaluate():
    std::size_t reference = 0;
    std::vector<Integer> margin;  // tokens: of the reference, within margin_error_
    // tokens: k' e^-(margin - least margin), within odds_error_; 0 for the reference
    std::vector<Integer> odds;
    Interval others, partition;            // sum k' e^-margin without the reference, and with it
    Interval output, deficit, slope;       // f, g_reference - f, (1/n) |l'(f)|
    std::vector<Interval> output_deficit;  // c_reference,u - m_u
    OutputSlopes outputs;                  // without 1/n
    std::vector<Integer>
        weight;  // tokens: omega over the common factor; the reference's is minus the others' sum
    std::vector<Integer> velocity;        // left: V_i over the common factor
    std::vector<Integer> velocity_image;  // left: (sum_j velocity_j z_j') z_i, within one unit
  };
  struct Softmax {
    std::vector<GroupAttention> attention;
    std::vector<std::vector<Interval>> omega;
  };

  // work(begin, end) for the groups of every part, on all threads (base/parallel.hpp).
  void for_parts(const std::function<void(std::size_t begin, std::size_t end)>& work) const;
  // Of the start; widens `spread`, the largest difference of scores within a group.
  void add_group(std::size_t i, const StartImage& started, std::size_t& next, Rational& spread);
  Interval number(const Integer& units, const Integer& error) const;
  // log k_t, k_t over e^(the offset of the group's first token), rounded down: off by less than two.
  Integer log_multiplicity(std::size_t group, std::size_t token) const;
  // The margin of the reference without multiplicities, within margin_error_.
  Integer plain_margin(const Group& group, std::size_t token) const;
  void compute_margins();
  void compute_odds();
  void compute_odds(Group& group, const UnitExponential& unit_exponential, UnitExponential::Room& room) const;
  void compute_deficits();
  void compute_deficit(Group& group, const Interval& top_score) const;
  // Of several outputs.
  void add_outputs(Group& group, Rational& spread);
  void store_outputs(Group& group);
  void compute_output_deficits(Group& group);
  void score_by_outputs(Group& group);
  // m_u, widened by `change`.
  std::vector<Interval> means(const Group& group, const Interval& change) const;
  OutputBend output_bend(const Group& group, const Interval& unit) const;
  void require_small_change(const Interval& unit) const;
  // By how much a deficit may change in the ball.
  Interval deficit_change(const Group& group) const;
  void compute_weights();
  // The error of these omegas.
  Integer compute_weights(Group& group, const Interval& factor) const;
  void compute_velocity();
  void compute_images();
  Interval loss_gap(const LossPoint& point, unsigned bits) const;
  Interval least_decrease(const LossPoint& earlier, const LossPoint& later) const;
  LossPoint loss_point(bool over_ball) const;  // of W_t, or of the iterate
  Interval common_factor() const;
  Interval step_factor(const Interval& speed, const Interval& loss_gap) const;
  GrowthPoint growth_point(const Interval& gap_there);
  void describe_group(std::size_t a, long size, const Interval& factor, GrowthPoint& point) const;
  Interval gap_over_ball(const Interval& gap_there) const;
  Interval stretch(const Interval& gap_there);
  Softmax softmax() const;

  const ReferenceDirection& direction_;
  const Problem& problem_;
  const Features& features_;
  const Specification specification_;
  const UpdateRule& rule_;
  unsigned fraction_bits_, bits_;
  const RunGroups run_groups_;
  const QueryImages query_images_;
  StepGrowth growth_;

  // Constants of the data and the start.
  const Divisor token_denominator_, gram_denominator_;
  Interval start_norm_squared_;
  long score_exponent_ =
      0;  // score_scale = 2^score_exponent: score differences within a group are at most that
  unsigned multiplicity_bits_ = 0;              // p
  Integer most_tokens_, root_left_, gram_row_;  // the last: at least max_i sum_j |z_i.z_j|
  Interval widest_;                             // largest ||a_it - a_is||
  Interval reaches_, queries_;                  // sum_i (T_i - 1) max ||a_it - a_is||, sum_i ||z_i||
  Interval sensitivity_;  // how the ball's quantities respond to logits: 16 + 4 T + 8 2^s (Lemma R6)
  Interval move_;         // x of Lemma R6: how far logit differences are from the stored ones

  std::size_t step_ = 0;
  Interval radius_;            // ||W_t - W~_t|| <= radius_
  Integer image_error_ = 1;    // e_q, in units: W_0 z_i is stored within one
  std::vector<Group> groups_;  // with more than one token

  // After evaluate(): the common factor is e^-(least margin) 2^(slope_exponent + score_exponent).
  Integer margin_error_, odds_error_, gap_error_, weight_error_;  // e_m, e_E, e_g, e_w
  Integer least_margin_;
  Interval least_odds_;  // e^-(least margin)
  long slope_exponent_ = 0;
  Interval velocity_slack_;  // distance of the stored velocity to the exact one at W~_t (Lemma R5)
  Interval speed_;           // norm of the stored velocity
  Integer scratch_;
};

}  // namespace attest_check
