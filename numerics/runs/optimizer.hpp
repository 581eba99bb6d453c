// Which iteration a run performs, exactly: W_{t+1} = W_t + U_{t+1} with U_{t+1} = beta U_t - tau_t grad
// L(W_t), U_0 = 0 and tau_t from eta_t by the rule; without momentum, beta = 0, that is W_{t+1} = W_t - tau_t
// grad L(W_t).
#pragma once

#include <cstdint>

#include "numerics/numbers/rational.hpp"
#include "numerics/numbers/working_ball.hpp"
#include "numerics/problem/loss.hpp"
#include "numerics/runs/update_rule.hpp"

namespace attest {

// eta_t = S, S/(t+1), S/sqrt(t+1), t = 0, 1, ...
enum class Schedule { constant, inverse, inverse_sqrt };

struct OptimizerSpec {
  const UpdateRule* rule = update_rule("gd");  // never null
  Schedule schedule = Schedule::constant;
  Rational step = 1;  // S > 0
  Loss loss = Loss::logistic;
  // beta, 0 <= beta < 1: heavy-ball momentum (B. T. Polyak, Some methods of speeding up the convergence of
  // iteration methods, 1964). The step stands inside the velocity; libraries that keep b_{t+1} = beta b_t +
  // grad L and step by -eta_t b_{t+1} do the same where eta_t is constant.
  Rational momentum = 0;
};

// "constant", "inverse", "invsqrt".
const char* name(Schedule schedule);

// The rule's, or "momentum".
const char* long_name(const OptimizerSpec& spec);

// How long its steps W_{t+1} - W_t are, which is what theorems about all later steps ask. With momentum:
// other.
StepLength step_length(const OptimizerSpec& spec);

// Encloses eta_t.
void step_size(arb_ptr eta, const OptimizerSpec& spec, std::uint64_t t, slong precision);

// Encloses an exact rational.
void arb_set_rational(arb_ptr value, const Rational& rational, slong precision);

}  // namespace attest
