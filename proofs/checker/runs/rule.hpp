// Update rules W_{t+1} = W_t + tau_t V(W_t), V = -grad L, one file each: how far a step goes, how much it can
// stretch distances, and what the theorems about later steps ask of it.
#pragma once

#include "proofs/checker/base/interval.hpp"

namespace attest_check {

// Places in the registry (runs/rule.cpp).
enum class Rule { gd, ngd, polyak };
inline constexpr const char* rule_names[] = {"gd", "ngd", "polyak"};

// Numbers at an iterate, of which tau is made; V = scale times V', ||V'|| = speed.
struct StepNumbers {
  Interval step_size;  // eta_t
  Interval scale, speed;
  Interval loss_gap;  // L - L*; only where the rule uses it
};

// What bounds a step's Jacobian, with v = V/||V||, D = DV/||V||, s = tau ||V|| (Lemma G1 in step_growth.cpp).
struct JacobianNumbers {
  Interval rest;             // k: at least max(1 + s above/||V||, s under/||V|| - 1)
  Interval turning_squared;  // g^2, g = s ||(I - vv')Dv||
  Interval step_size;        // S
  Interval rayleigh;         // s v'Dv
};

enum class GrowthLaw { logarithmic, linear };  // of <W_t, u> in the number of steps

struct UpdateRule {
  bool divides;        // tau divides by ||V||, so V must not vanish
  bool uses_loss_gap;  // tau is proportional to L - L*
  bool fixed_length;   // ||tau V|| = eta
  GrowthLaw growth;
  // tau V = V' times this.
  Interval (*factor)(const StepNumbers& at);
  // An upper bound of the Jacobian's norm; the numbers but for `rest` are there where the rule divides.
  Interval (*jacobian)(const JacobianNumbers& at);
};
const UpdateRule& update_rule(Rule rule);

extern const UpdateRule gradient_steps, normalised_steps, polyak_steps;

}  // namespace attest_check
