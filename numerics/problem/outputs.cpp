#include "numerics/problem/outputs.hpp"

#include <map>

namespace attest {
namespace {

// log(1 + sum e^{m_u}) without overflow is not needed: balls have unbounded exponents.
void sum_of_exponentials(WorkingBall& sum, std::vector<WorkingBall>& exponentials,
                         const std::vector<WorkingBall>& means, slong precision) {
  arb_zero(sum);
  exponentials.resize(means.size());
  for (std::size_t u = 0; u < means.size(); ++u) {
    arb_exp(exponentials[u], means[u], precision);
    arb_add(sum, sum, exponentials[u], precision);
  }
}

// The sign of each unit's mean times its sense; the first one that is open.
std::optional<std::size_t> active_units(std::vector<bool>& active, const OutputTable& table,
                                        std::size_t group, const std::vector<WorkingBall>& means) {
  active.assign(means.size(), false);
  for (std::size_t u = 0; u < means.size(); ++u) {
    if (table.sense[group * table.width + u] == 0) continue;
    const int sign = arb_is_positive(means[u]) ? 1 : arb_is_negative(means[u]) ? -1 : 0;
    if (sign == 0) return u;
    active[u] = table.active(group, u, sign);
  }
  return std::nullopt;
}

// f = -sum of the means of active units.
void output_of(WorkingBall& f, const std::vector<bool>& active, const std::vector<WorkingBall>& means,
               slong precision) {
  arb_zero(f);
  for (std::size_t u = 0; u < means.size(); ++u) {
    if (active[u]) arb_sub(f, f, means[u], precision);
  }
}

// f where signs may be open: of such a unit the hull of what it can add.
void output_anywhere(WorkingBall& f, const OutputTable& table, std::size_t group,
                     const std::vector<WorkingBall>& means, slong precision) {
  arb_zero(f);
  WorkingBall part;
  for (std::size_t u = 0; u < means.size(); ++u) {
    const int sense = table.sense[group * table.width + u];
    if (sense == 0) continue;
    arb_set(part, means[u]);
    if (sense < 0) arb_neg(part, part);
    arb_nonnegative_part(part, part);
    if (sense < 0) arb_neg(part, part);
    arb_sub(f, f, part, precision);
  }
}

// sum_u e^{c_u} d_u over the selected token's c and the differences d to it: is it exactly 0? The e^c of
// different rational c are linearly independent over the rationals (Lindemann and Weierstrass).
bool vanishes(const std::map<Rational, Rational>& by_exponent) {
  for (const auto& [exponent, sum] : by_exponent) {
    if (sum != 0) return false;
  }
  return true;
}

}  // namespace

const char* name(OutputHead head) {
  return head == OutputHead::classifier ? "classifier" : "relu";
}

std::vector<WorkingBall> enclose_outputs(const OutputTable& table, std::size_t row, slong precision) {
  std::vector<WorkingBall> values(table.width);
  for (std::size_t u = 0; u < table.width; ++u) values[u] = Ball(table.value(row, u), precision);
  return values;
}

std::optional<std::size_t> output_slopes(OutputSlopes& slopes, const OutputTable& table, std::size_t group,
                                         Loss loss, const std::vector<WorkingBall>& means, slong precision) {
  slopes.share.resize(table.width);
  if (table.classifier()) {
    WorkingBall sum;
    sum_of_exponentials(sum, slopes.share, means, precision);
    for (WorkingBall& share : slopes.share) arb_div(share, share, sum, precision);
    arb_add_ui(slopes.slope, sum, 1, precision);
    arb_div(slopes.slope, sum, slopes.slope, precision);
    arb_zero(slopes.ratio);
    return std::nullopt;
  }
  std::vector<bool> active;
  if (const auto open = active_units(active, table, group, means)) return open;
  WorkingBall f;
  output_of(f, active, means, precision);
  for (std::size_t u = 0; u < table.width; ++u) arb_set_ui(slopes.share[u], active[u] ? 1 : 0);
  loss_derivatives(slopes.slope, slopes.ratio, scalar_loss(loss), f, precision);
  return std::nullopt;
}

void output_excess(arb_ptr excess, const OutputTable& table, std::size_t group, Loss loss,
                   const std::vector<WorkingBall>& origin, const std::vector<WorkingBall>& shift,
                   slong precision) {
  WorkingBall part;
  if (table.classifier()) {  // log(1 + sum p_u (e^{shift_u} - 1))
    std::vector<WorkingBall> exponentials;
    WorkingBall sum, moved;
    sum_of_exponentials(sum, exponentials, origin, precision);
    arb_add_ui(sum, sum, 1, precision);
    for (std::size_t u = 0; u < table.width; ++u) {
      arb_expm1(part, shift[u], precision);
      arb_addmul(moved, part, exponentials[u], precision);
    }
    arb_div(moved, moved, sum, precision);
    arb_log1p(excess, moved, precision);
    return;
  }
  std::vector<WorkingBall> means(table.width);
  for (std::size_t u = 0; u < table.width; ++u) arb_add(means[u], origin[u], shift[u], precision);
  std::vector<bool> before, after;
  WorkingBall at_origin, deficit;
  output_anywhere(at_origin, table, group, origin, precision);
  const bool certain =
      !active_units(before, table, group, origin) && !active_units(after, table, group, means);
  if (certain && before == after) {
    output_of(deficit, after, shift, precision);
    arb_neg(deficit, deficit);
  } else {
    output_anywhere(part, table, group, means, precision);
    arb_sub(deficit, at_origin, part, precision);
  }
  WorkingBall result;
  loss_gap(result, scalar_loss(loss), at_origin, deficit, precision);
  arb_set(excess, result);
}

Rational limit_gap(const OutputTable& table, std::size_t group, std::size_t selected_row,
                   std::size_t other_row) {
  if (!table.classifier()) {
    Rational gap = 0;
    for (std::size_t u = 0; u < table.width; ++u) {
      const int sign = table.value(selected_row, u).sign();
      if (sign == 0 && table.sense[group * table.width + u] != 0) return 0;
      if (table.active(group, u, sign)) gap += table.value(other_row, u) - table.value(selected_row, u);
    }
    return gap;
  }
  std::map<Rational, Rational> by_exponent;
  for (std::size_t u = 0; u < table.width; ++u)
    by_exponent[table.value(selected_row, u)] += table.value(other_row, u) - table.value(selected_row, u);
  if (vanishes(by_exponent)) return 0;
  for (slong precision = 128;; precision *= 2) {
    WorkingBall sum, total, power, factor;
    arb_one(total);
    for (std::size_t u = 0; u < table.width; ++u) {
      power = Ball(table.value(selected_row, u), precision);
      arb_exp(power, power, precision);
      arb_add(total, total, power, precision);
    }
    for (const auto& [exponent, difference] : by_exponent) {
      power = Ball(exponent, precision);
      arb_exp(power, power, precision);
      factor = Ball(difference, precision);
      arb_addmul(sum, power, factor, precision);
    }
    arb_div(sum, sum, total, precision);
    if (sum.accuracy_bits() < 60) continue;
    arb_set_round(sum, sum, 64);
    mag_zero(arb_radref(static_cast<arb_ptr>(sum)));
    return sum.upper();
  }
}

Rational vertex_score(const OutputTable& table, std::size_t group, std::size_t row) {
  Rational score = 0;
  if (!table.classifier()) {
    for (std::size_t u = 0; u < table.width; ++u) {
      if (table.active(group, u, table.value(row, u).sign())) score -= table.value(row, u);
    }
    return score;
  }
  std::vector<WorkingBall> exponentials;
  WorkingBall sum;
  sum_of_exponentials(sum, exponentials, enclose_outputs(table, row, 64), 64);
  arb_log1p(sum, sum, 64);
  mag_zero(arb_radref(static_cast<arb_ptr>(sum)));
  return -sum.upper();
}

}  // namespace attest
