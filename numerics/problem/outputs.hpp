// Heads of several outputs (theory.md section 9): the loss of a group is a function of the means m_u = sum_t
// s_t c_tu of exact numbers c_tu, u < width, with dl/dm_u = slope pi_u >= 0. So at a point it is the scalar
// head with the scores -sum_u pi_u c_tu, which move with the means (DYNAMICS.md section 11).
//
// classifier: -log softmax(sum_t s_t G_t)_y = log(1 + sum_u e^{m_u}), c_tu = G_tu - G_ty for the classes u
// other than y; slope = 1 - p_y, pi_u = p_u/(1 - p_y). ReLU units: l(f), f = -sum of the m_u of the active
// units, c_tu = -Y r_u (A_u x_t + bias_u); unit u is active where sense_u m_u > 0; slope = |l'(f)|, pi_u is 1
// for active units and 0 for the others.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "numerics/numbers/rational.hpp"
#include "numerics/numbers/working_ball.hpp"
#include "numerics/problem/loss_law.hpp"

namespace attest {

enum class OutputHead { classifier, relu };

// "classifier", "relu": the words of instances.
const char* name(OutputHead head);

struct OutputTable {
  OutputHead head = OutputHead::classifier;
  std::size_t width = 0;         // classes but y, or units
  std::vector<Rational> values;  // total tokens x width: c_tu; of equal tokens the mean by their counts
  std::vector<int> sense;        // relu: groups x width; 0 for units without effect

  bool classifier() const { return head == OutputHead::classifier; }
  const Rational& value(std::size_t row, std::size_t u) const { return values[row * width + u]; }
  // relu: is the unit active where the mean has this sign?
  bool active(std::size_t group, std::size_t u, int sign) const {
    return sense[group * width + u] * sign > 0;
  }
};

// Enclosures at enclosed means.
struct OutputSlopes {
  std::vector<WorkingBall> share;  // pi_u
  WorkingBall slope;               // at least 0
  WorkingBall ratio;               // relu: l''/|l'|; classifier: 0
};

// The unit whose sign is open, if there is one: then nothing is enclosed. `group`: of the table; `loss`: the
// problem's.
std::optional<std::size_t> output_slopes(OutputSlopes& slopes, const OutputTable& table, std::size_t group,
                                         Loss loss, const std::vector<WorkingBall>& means, slong precision);

// Encloses l(origin + shift) - l(origin), relatively accurate at small shifts.
void output_excess(arb_ptr excess, const OutputTable& table, std::size_t group, Loss loss,
                   const std::vector<WorkingBall>& origin, const std::vector<WorkingBall>& shift,
                   slong precision);

// c_tu of a token row, enclosed.
std::vector<WorkingBall> enclose_outputs(const OutputTable& table, std::size_t row, slong precision);

// What a selected token gains over another one, phi_selected - phi_other, where all attention is on it: its
// sign is the exact one, and it is 0 where a unit is on its kink there; the value is exact for ReLU units,
// but for the slope, which is left out, and within 2^-60 of its size for a classifier.
Rational limit_gap(const OutputTable& table, std::size_t group, std::size_t selected_row,
                   std::size_t other_row);

// -l of all attention on the token: of ReLU units its output, exactly; of a classifier a guess.
Rational vertex_score(const OutputTable& table, std::size_t group, std::size_t row);

// The same in ordinary floating point: shares into `share`, the slope is returned.
template <typename Real>
Real plain_output_slopes(const OutputTable& table, std::size_t group, Loss loss,
                         const std::vector<Real>& means, std::vector<Real>& share) {
  using std::exp;
  Real sum = 0;
  for (std::size_t u = 0; u < table.width; ++u) {
    if (table.classifier()) {
      share[u] = exp(means[u]);
      sum += share[u];
    } else {
      share[u] = table.active(group, u, means[u] > 0 ? 1 : -1) ? 1 : 0;
      sum += share[u] * means[u];
    }
  }
  if (!table.classifier()) return loss_slope(scalar_loss(loss), Real(-sum));
  for (Real& x : share) x /= sum;
  return sum / (1 + sum);
}

template <typename Real>
Real plain_output_loss(const OutputTable& table, std::size_t group, Loss loss,
                       const std::vector<Real>& means) {
  using std::exp;
  using std::log1p;
  Real sum = 0;
  for (std::size_t u = 0; u < table.width; ++u) {
    if (table.classifier()) {
      sum += exp(means[u]);
    } else if (table.active(group, u, means[u] > 0 ? 1 : -1)) {
      sum += means[u];
    }
  }
  if (table.classifier()) return log1p(sum);
  return loss_value(scalar_loss(loss), Real(-sum));
}

}  // namespace attest
