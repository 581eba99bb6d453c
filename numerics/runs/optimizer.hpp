// Which iteration a run performs, exactly: W_{t+1} = W_t - tau_t grad L(W_t).
#pragma once

#include <cstdint>

#include "numerics/numbers/rational.hpp"
#include "numerics/numbers/working_ball.hpp"
#include "numerics/problem/loss.hpp"

namespace attest {

// gd: tau_t = eta_t; ngd: eta_t / ||grad L||; polyak: eta_t (L - L*) / ||grad L||^2 with L* = sum wt_i
// l(max_t g_it).
enum class UpdateRule { gd, ngd, polyak };

// eta_t = S, S/(t+1), S/sqrt(t+1), t = 0, 1, ...
enum class Schedule { constant, inverse, inverse_sqrt };

struct OptimizerSpec {
  UpdateRule rule = UpdateRule::gd;
  Schedule schedule = Schedule::constant;
  Rational step = 1;  // S > 0
  Loss loss = Loss::logistic;
};

// "gd", "ngd", "polyak" and "constant", "inverse", "invsqrt".
const char* name(UpdateRule rule);
const char* name(Schedule schedule);

// Encloses eta_t.
void step_size(arb_ptr eta, const OptimizerSpec& spec, std::uint64_t t, slong precision);

// Encloses an exact rational.
void arb_set_rational(arb_ptr value, const Rational& rational, slong precision);

}  // namespace attest
