// The attention stage at a point W, or at all points of a box around one: its loss, its gradient, and how far
// a step of normalised descent can move two of these points apart (NEXT_TOKEN.md sections 2 and 3).
#pragma once

#include <vector>

#include "numerics/next_token/attention_stage.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/working_ball.hpp"

namespace attest {

// The loss of a sentence is log(sum over paired t of e^{c s_t}, and 1 for each other output) - c s_alpha,
// with the scale c > 0 of W_ov. Everything encloses its value at every W of the box.
class AttentionPoint {
 public:
  // `stage` and `budget` must outlive the point.
  AttentionPoint(const AttentionStage& stage, const Ball& scale, const Budget& budget);

  // The entries of W within balls, at this precision. Throws BudgetReached.
  void evaluate(const std::vector<WorkingBall>& entries, long bits);

  const WorkingBall& loss_gap() const { return loss_gap_; }               // S = L - L*
  const std::vector<WorkingBall>& velocity() const { return velocity_; }  // V = -grad L, by entry
  const WorkingBall& speed() const { return speed_; }                     // ||V||
  const WorkingBall& unselected(std::size_t group) const { return groups_[group].unselected; }

  // An upper bound of the 2-norm of the derivative of W -> W + step V/||V||, at every W of the box; infinite
  // where V = 0 is possible. Throws BudgetReached.
  double expansion(const Ball& step);

 private:
  struct Token {
    WorkingBall attention;  // s_t
    WorkingBall share;      // p of its next token; 0 without one
    WorkingBall rise;       // (psi_t - psibar)/c, not of the selected token
    WorkingBall weight;     // omega_t, not of the selected token
  };
  struct Group {
    std::size_t first = 0;             // of its tokens
    WorkingBall selected, unselected;  // s_alpha, 1 - s_alpha
    WorkingBall left;                  // 1 - p of the next token
  };
  // Upper bounds relative to ||V||, of one column's second derivative H: -lmin(H), and lmax(H) twice.
  struct ColumnBounds {
    double fall = 0, trace = 0, cross = 0, edge = 0;
  };

  void attend(std::size_t i, const std::vector<WorkingBall>& entries);
  void predict(std::size_t i);
  void weigh(std::size_t i);
  void bound_group(std::size_t i, ColumnBounds& column, std::vector<double>& degree);
  void turn_group(std::size_t i, const std::vector<WorkingBall>& direction, std::vector<WorkingBall>& turned);
  double relative(const WorkingBall& x);
  double turning();

  const AttentionStage* stage_;
  const Budget* budget_;
  Ball scale_;
  long bits_ = 0;
  WorkingBall least_odds_;     // r* = (V - 1) e^-c
  WorkingBall weight_;         // 1/n
  WorkingBall scaled_weight_;  // c/n
  std::vector<Token> tokens_;
  std::vector<Group> groups_;
  std::vector<WorkingBall> velocity_;
  WorkingBall loss_gap_, speed_, inverse_speed_;
  WorkingBall x_, y_, sum_;  // scratch
};

}  // namespace attest
