// One update rule: the step W+ = W + tau V(W) with V = -grad L(W), tau a function of eta_t and of W.
//
// A rule is one file of numerics/updates and one line of its registry. Everything else - runs, theorems,
// catalogue, commands - asks this interface and never which rule it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numerics/numbers/rational.hpp"
#include "numerics/numbers/working_ball.hpp"

namespace attest {

// Covers the roundings of fewer than 500 operations on non-negative doubles.
inline constexpr double rounded_up = 1 + 0x1p-44;

// How long a step is, tau ||V||. The theorems about all later steps distinguish rules by nothing else.
enum class StepLength {
  gradient,  // eta ||V||: y = <W,u> grows like the logarithm of the sum of the eta
  constant,  // eta: y grows like that sum
  polyak,    // eta (L - L*)/||V||: likewise
  other,     // no theorem says anything
};

// Eta or eta ||V||: the steps of T11, T12, T12n and T15. T10 and T14 cover Polyak's, too.
constexpr bool without_loss_gap(StepLength length) {
  return length == StepLength::gradient || length == StepLength::constant;
}

// Enclosures of what tau may depend on. V = unit V', so that ||V'|| = speed is of ordinary size however small
// V is.
struct StepPoint {
  arb_srcptr unit, speed;
  arb_srcptr loss_gap;  // L - L*; null unless uses_loss_gap()
};

// The same in ordinary floating point (plain_step.hpp).
struct DoubleStep;
struct MpfrStep;

// ||V'|| at the centre of a ball of parameters, and bounds of it over the ball.
struct SpeedRange {
  double centre = 0, low = 0, high = 0;
};

// The derivative of V over a ball of parameters, scaled by s = tau ||V||, the longest step taken from
// there: with D = DV/||V|| and v = V/||V||, bounds that hold at every point of the ball.
struct StepDerivative {
  double step = 0;         // s
  double rise = 0;         // lmax(D)
  double fall = 0;         // -lmin(D)
  double across = 0;       // ||(I - vv') D v||
  double along = 0;        // v'Dv, about; at any point of the ball, and with any shorter step there,
  double along_slack = 0;  // s v'Dv is within s along_slack of s along
  double eta = 0;          // eta_t, within 2^-45 of its size

  // ||kept I + s D||, for any symmetric D with these bounds.
  double spectral_norm(double kept) const;
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;

  // The word of commands and certificates: "gd". And in prose: "gradient descent".
  virtual const char* word() const = 0;
  virtual const char* long_name() const = 0;
  // What its S is called: "step" or "factor"; and the S where none is given, nothing where one must be.
  virtual const char* step_word() const { return "step"; }
  virtual std::optional<Rational> default_step() const { return std::nullopt; }

  virtual StepLength length() const = 0;
  // Does tau depend on L - L*?
  virtual bool uses_loss_gap() const { return false; }

  // Turns an enclosure of eta into one of tau unit. The speed is positive.
  virtual void scale(arb_ptr eta, const StepPoint& point, slong precision) const = 0;
  // The same in floating point.
  virtual void scale(DoubleStep& step) const = 0;
  virtual void scale(MpfrStep& step) const = 0;

  // How many times longer than the step from the centre one from elsewhere in the ball may be, L - L* varying
  // by at most the factor 1 + gap_slack. Rounded up.
  virtual double lengthening(const SpeedRange& speed, double gap_slack) const = 0;
  // An upper bound of ||kept I + D(tau V)|| over the ball, kept >= 0. With kept = 1 that is the step's
  // own Jacobian.
  virtual double jacobian_norm(const StepDerivative& derivative, double kept) const = 0;
};

// All rules, in the order of their registry (numerics/updates), and the one with this word, null if none.
const std::vector<const UpdateRule*>& update_rules();
const UpdateRule* update_rule(std::string_view word);

}  // namespace attest
