#include "numerics/next_token/attention_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attest {
namespace {

// Sums and products of up to so many doubles >= 0 are below the truth by less than this share.
constexpr double rounding_room = 1 + 0x1p-20;

constexpr std::size_t groups_a_poll = 16;

}  // namespace

AttentionPoint::AttentionPoint(const AttentionStage& stage, const Ball& scale, const Budget& budget)
    : stage_(&stage), budget_(&budget), scale_(scale) {
  std::size_t tokens = 0;
  for (const StageGroup& group : stage.groups) {
    groups_.emplace_back().first = tokens;
    tokens += group.tokens.size();
  }
  tokens_.resize(tokens);
  velocity_.resize(stage.entry.size());
}

void AttentionPoint::evaluate(const std::vector<WorkingBall>& entries, long bits) {
  bits_ = bits;
  arb_neg(x_, scale_.raw());
  arb_exp(x_, x_, bits);
  arb_mul_ui(least_odds_, x_, stage_->outputs - 1, bits);
  arb_inv(weight_, WorkingBall(static_cast<long>(stage_->groups.size())), bits);
  arb_mul(scaled_weight_, scale_.raw(), weight_, bits);
  for (WorkingBall& x : velocity_) arb_zero(x);
  arb_zero(loss_gap_);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (i % groups_a_poll == 0) budget_->poll();
    attend(i, entries);
    predict(i);
    weigh(i);
  }
  arb_mul(loss_gap_, loss_gap_, weight_, bits);
  arb_zero(sum_);
  for (const WorkingBall& x : velocity_) arb_addmul(sum_, x, x, bits);
  arb_sqrt(speed_, sum_, bits);
}

// s_t = (k_t/k_alpha) e^{W_t - W_alpha} / (1 + the sum of these).
void AttentionPoint::attend(std::size_t i, const std::vector<WorkingBall>& entries) {
  const StageGroup& group = stage_->groups[i];
  const StageToken& top = group.tokens[group.selected];
  arb_zero(sum_);
  for (std::size_t t = 0; t < group.tokens.size(); ++t) {
    if (t == group.selected) continue;
    WorkingBall& odds = tokens_[groups_[i].first + t].attention;
    arb_sub(odds, entries[group.tokens[t].entry], entries[top.entry], bits_);
    arb_exp(odds, odds, bits_);
    arb_mul_ui(odds, odds, group.tokens[t].count, bits_);
    arb_div_ui(odds, odds, top.count, bits_);
    arb_add(sum_, sum_, odds, bits_);
  }
  arb_add_ui(x_, sum_, 1, bits_);
  WorkingBall& selected = groups_[i].selected;
  arb_inv(selected, x_, bits_);
  arb_mul(groups_[i].unselected, sum_, selected, bits_);
  for (std::size_t t = 0; t < group.tokens.size(); ++t) {
    WorkingBall& attention = tokens_[groups_[i].first + t].attention;
    if (t == group.selected) {
      arb_set(attention, selected);
    } else {
      arb_mul(attention, attention, selected, bits_);
    }
  }
}

// Shares p, and the sentence's part of L - L*: with x_t = e^{c (s_t + 1 - s_alpha)} - 1 for paired t other
// than alpha, and the same with s_t = 0 for outputs that no token of the context has next, sum_x being their
// sum, the odds (1 - p)/p of the next token are r* + e^-c sum_x.
void AttentionPoint::predict(std::size_t i) {
  const StageGroup& group = stage_->groups[i];
  Group& facts = groups_[i];
  std::uint64_t paired = 1;
  arb_zero(sum_);
  for (std::size_t t = 0; t < group.tokens.size(); ++t) {
    Token& token = tokens_[facts.first + t];
    arb_zero(token.share);
    if (t == group.selected || !group.tokens[t].paired) continue;
    ++paired;
    arb_add(x_, token.attention, facts.unselected, bits_);
    arb_mul(x_, x_, scale_.raw(), bits_);
    arb_expm1(token.share, x_, bits_);
    arb_add(sum_, sum_, token.share, bits_);
  }
  arb_mul(x_, facts.unselected, scale_.raw(), bits_);
  arb_expm1(x_, x_, bits_);
  arb_addmul_ui(sum_, x_, stage_->outputs - paired, bits_);

  arb_neg(y_, scale_.raw());
  arb_exp(y_, y_, bits_);
  arb_mul(sum_, sum_, y_, bits_);  // e^-c sum_x
  arb_add_ui(x_, least_odds_, 1, bits_);
  arb_div(x_, sum_, x_, bits_);
  arb_log1p(x_, x_, bits_);
  arb_add(loss_gap_, loss_gap_, x_, bits_);

  arb_add(sum_, sum_, least_odds_, bits_);  // the odds
  arb_add_ui(x_, sum_, 1, bits_);
  arb_div(facts.left, sum_, x_, bits_);
  arb_div(y_, y_, x_, bits_);  // p_t is so often 1 + x_t
  for (std::size_t t = 0; t < group.tokens.size(); ++t) {
    Token& token = tokens_[facts.first + t];
    if (t == group.selected) {
      arb_inv(token.share, x_, bits_);
    } else if (group.tokens[t].paired) {
      arb_add_ui(token.share, token.share, 1, bits_);
      arb_mul(token.share, token.share, y_, bits_);
    }
  }
}

// (psi_t - psibar)/c = p_t + s_alpha (1 - p_alpha) - sum over t' other than alpha of s_t' p_t'; omega_t =
// (c/n) s_t times that, which moves W by omega_t Delta_t.
void AttentionPoint::weigh(std::size_t i) {
  const StageGroup& group = stage_->groups[i];
  Group& facts = groups_[i];
  arb_mul(y_, facts.selected, facts.left, bits_);
  for (std::size_t t = 0; t < group.tokens.size(); ++t) {
    const Token& token = tokens_[facts.first + t];
    if (t != group.selected) arb_submul(y_, token.attention, token.share, bits_);
  }
  WorkingBall& top = velocity_[group.tokens[group.selected].entry];
  for (std::size_t t = 0; t < group.tokens.size(); ++t) {
    if (t == group.selected) continue;
    Token& token = tokens_[facts.first + t];
    arb_add(token.rise, token.share, y_, bits_);
    arb_mul(token.weight, token.rise, token.attention, bits_);
    arb_mul(token.weight, token.weight, scaled_weight_, bits_);
    arb_add(top, top, token.weight, bits_);
    WorkingBall& other = velocity_[group.tokens[t].entry];
    arb_sub(other, other, token.weight, bits_);
  }
}

// |x|/||V||, rounded up.
double AttentionPoint::relative(const WorkingBall& x) {
  arb_mul(x_, x, inverse_speed_, bits_);
  arb_abs(x_, x_);
  return x_.upper_double();
}

void AttentionPoint::bound_group(std::size_t i, ColumnBounds& column, std::vector<double>& degree) {
  const StageGroup& group = stage_->groups[i];
  const Group& facts = groups_[i];
  const double eps = facts.unselected.upper_double(), kept = facts.selected.upper_double();
  double mass = 0, against = 0, squares = 0, flow = kept * std::min(1.0, eps);
  double likely = tokens_[facts.first + group.selected].share.upper_double();
  for (std::size_t t = 0; t < group.tokens.size(); ++t) {
    if (t == group.selected) continue;
    const Token& token = tokens_[facts.first + t];
    const double s = token.attention.upper_double(), size = relative(token.weight);
    squares += s * s;
    flow = std::max(flow, s);
    likely = std::max(likely, token.share.upper_double());
    if (!certainly_positive(token.weight)) against += size;
    if (certainly_negative(token.weight)) continue;
    mass += size;
    degree[group.tokens[t].entry] += size;
  }
  degree[group.tokens[group.selected].entry] += mass;
  const double derivative = std::min(0.5, 2 * flow);  // of the softmax
  arb_mul(y_, scaled_weight_, scale_.raw(), bits_);   // c^2/n
  const double curved =
      relative(y_) * std::min(likely, 2 * facts.left.upper_double()) * derivative * derivative;
  column.fall += mass * (eps * eps + squares) + 2 * against;
  column.trace += mass * (1 + kept * kept + squares) + 2 * against + curved;
  column.cross += 2 * std::sqrt(2 * (eps * eps + squares)) * (mass + against) + curved;
}

// Adds the group's part of H v for v = `direction`, all over ||V||.
void AttentionPoint::turn_group(std::size_t i, const std::vector<WorkingBall>& direction,
                                std::vector<WorkingBall>& turned) {
  const StageGroup& group = stage_->groups[i];
  const Group& facts = groups_[i];
  const std::size_t count = group.tokens.size();
  const auto of = [&](std::size_t t) -> const Token& { return tokens_[facts.first + t]; };
  const WorkingBall& top = direction[group.tokens[group.selected].entry];
  std::vector<WorkingBall> slope(count);  // of s_t along v: s_t (abar - a_t), a_t = v_alpha - v_t
  WorkingBall mean, spread, share, pull;
  for (std::size_t t = 0; t < count; ++t) {
    if (t == group.selected) continue;
    arb_sub(slope[t], top, direction[group.tokens[t].entry], bits_);
    arb_addmul(mean, of(t).attention, slope[t], bits_);
  }
  for (std::size_t t = 0; t < count; ++t) {
    arb_sub(slope[t], mean, slope[t], bits_);
    arb_mul(slope[t], slope[t], of(t).attention, bits_);
    if (t != group.selected) arb_addmul(spread, of(t).share, slope[t], bits_);
  }
  // psi_t/c = p_t, of alpha p_t - 1; along v p_t changes by c p_t (s_t' - sum p s').
  WorkingBall& selected = slope[group.selected];
  std::vector<WorkingBall> change(count);  // of psi_t/c
  for (std::size_t t = 0; t < count; ++t) {
    if (t == group.selected) {
      arb_mul(share, facts.left, selected, bits_);
      arb_sub(share, share, spread, bits_);
    } else {
      arb_mul(share, of(group.selected).share, selected, bits_);
      arb_add(share, share, spread, bits_);
      arb_sub(share, slope[t], share, bits_);
    }
    arb_mul(change[t], share, of(t).share, bits_);
    arb_mul(change[t], change[t], scale_.raw(), bits_);
    arb_addmul(pull, of(t).attention, change[t], bits_);
    if (t != group.selected) arb_addmul(pull, slope[t], of(t).share, bits_);
  }
  arb_submul(pull, selected, facts.left, bits_);  // of psibar/c
  arb_mul(x_, scaled_weight_, inverse_speed_, bits_);
  WorkingBall& at_top = turned[group.tokens[group.selected].entry];
  for (std::size_t t = 0; t < count; ++t) {
    if (t == group.selected) continue;
    arb_sub(y_, change[t], pull, bits_);
    arb_mul(y_, y_, of(t).attention, bits_);
    arb_addmul(y_, slope[t], of(t).rise, bits_);
    arb_mul(y_, y_, x_, bits_);
    WorkingBall& other = turned[group.tokens[t].entry];
    arb_add(other, other, y_, bits_);
    arb_sub(at_top, at_top, y_, bits_);
  }
}

// ||H v||/||V||, v = V/||V||, rounded up.
double AttentionPoint::turning() {
  std::vector<WorkingBall> direction(velocity_.size()), turned(velocity_.size());
  for (std::size_t k = 0; k < velocity_.size(); ++k)
    arb_mul(direction[k], velocity_[k], inverse_speed_, bits_);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (i % groups_a_poll == 0) budget_->poll();
    turn_group(i, direction, turned);
  }
  arb_zero(sum_);
  for (const WorkingBall& x : turned) arb_addmul(sum_, x, x, bits_);
  arb_sqrt(sum_, sum_, bits_);
  return sum_.upper_double();
}

double AttentionPoint::expansion(const Ball& step) {
  if (!certainly_positive(speed_)) return std::numeric_limits<double>::infinity();
  arb_inv(inverse_speed_, speed_, bits_);
  std::vector<ColumnBounds> columns(stage_->columns);
  std::vector<double> degree(velocity_.size(), 0.0);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (i % groups_a_poll == 0) budget_->poll();
    bound_group(i, columns[stage_->groups[i].column], degree);
  }
  for (const StageGroup& group : stage_->groups) {
    const double top = degree[group.tokens[group.selected].entry];
    for (std::size_t t = 0; t < group.tokens.size(); ++t) {
      if (t == group.selected) continue;
      double& edge = columns[group.column].edge;
      edge = std::max(edge, top + degree[group.tokens[t].entry]);
    }
  }
  double fall = 0, rise = 0;
  for (const ColumnBounds& column : columns) {
    fall = std::max(fall, column.fall);
    rise = std::max(rise, std::min(column.trace, column.edge + column.cross));
  }
  const double eta = step.upper_double();
  return rounding_room * (std::max(1 + eta * fall, eta * rise - 1) + eta * turning());
}

}  // namespace attest
