#include "numerics/runs/optimizer.hpp"

namespace attest {

const char* name(Schedule schedule) {
  switch (schedule) {
    case Schedule::constant:
      return "constant";
    case Schedule::inverse:
      return "inverse";
    case Schedule::inverse_sqrt:
      break;
  }
  return "invsqrt";
}

const char* long_name(const OptimizerSpec& spec) {
  return spec.momentum == 0 ? spec.rule->long_name() : "momentum";
}

StepLength step_length(const OptimizerSpec& spec) {
  return spec.momentum == 0 ? spec.rule->length() : StepLength::other;
}

void arb_set_rational(arb_ptr value, const Rational& rational, slong precision) {
  fmpq_t q;
  fmpq_init(q);
  fmpq_set_mpq(q, rational.backend().data());
  arb_set_fmpq(value, q, precision);
  fmpq_clear(q);
}

void step_size(arb_ptr eta, const OptimizerSpec& spec, std::uint64_t t, slong precision) {
  arb_set_rational(eta, spec.step, precision);
  if (spec.schedule == Schedule::inverse) {
    arb_div_ui(eta, eta, t + 1, precision);
  } else if (spec.schedule == Schedule::inverse_sqrt) {
    WorkingBall root;
    arb_sqrt_ui(root, t + 1, precision);
    arb_div(eta, eta, root, precision);
  }
}

}  // namespace attest
