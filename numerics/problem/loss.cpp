#include "numerics/problem/loss.hpp"

namespace attest {

const char* name(Loss loss) {
  switch (loss) {
    case Loss::logistic:
      return "logistic";
    case Loss::exponential:
      return "exponential";
    case Loss::cross_entropy:
      return "cross-entropy";
    case Loss::classifier:
      return "classifier";
    case Loss::relu_logistic:
      return "relu-logistic";
    case Loss::relu_exponential:
      return "relu-exponential";
    case Loss::relu_correlation:
      return "relu-correlation";
    case Loss::correlation:
      break;
  }
  return "correlation";
}

std::optional<Loss> parse_loss(std::string_view word) {
  for (const Loss loss :
       {Loss::logistic, Loss::exponential, Loss::correlation, Loss::cross_entropy, Loss::classifier,
        Loss::relu_logistic, Loss::relu_exponential, Loss::relu_correlation}) {
    if (word == name(loss)) return loss;
  }
  return std::nullopt;
}

void loss_derivatives(arb_ptr slope, arb_ptr ratio, Loss loss, arb_srcptr f, slong precision) {
  switch (loss) {
    case Loss::logistic:  // |l'| = 1/(1 + e^f), l'' = |l'| (1 - |l'|), and 1 - |l'| = e^f/(1 + e^f)
      arb_exp(ratio, f, precision);
      arb_add_ui(slope, ratio, 1, precision);
      arb_div(ratio, ratio, slope, precision);
      arb_inv(slope, slope, precision);
      return;
    case Loss::exponential:
      arb_neg(slope, f);
      arb_exp(slope, slope, precision);
      arb_one(ratio);
      return;
    case Loss::correlation:
      arb_one(slope);
      arb_zero(ratio);
      return;
    case Loss::cross_entropy:
      arb_inv(slope, f, precision);
      arb_set(ratio, slope);
      return;
    default:  // of several outputs: a caller's mistake; nothing is enclosed by everything
      arb_zero_pm_inf(slope);
      arb_zero_pm_inf(ratio);
      return;
  }
}

void loss_gap(arb_ptr gap, Loss loss, arb_srcptr best, arb_srcptr deficit, slong precision) {
  if (loss == Loss::correlation) {
    arb_set(gap, deficit);
    return;
  }
  WorkingBall slope, ratio;
  if (loss == Loss::cross_entropy) {  // log(best/(best - deficit))
    arb_div(slope, deficit, best, precision);
    arb_neg(slope, slope);
    arb_log1p(gap, slope, precision);
    arb_neg(gap, gap);
    return;
  }
  loss_derivatives(slope, ratio, loss, best, precision);
  arb_expm1(gap, deficit, precision);
  arb_mul(gap, gap, slope, precision);  // exponential: e^-best (e^deficit - 1)
  // logistic: log((1 + e^-(best - deficit))/(1 + e^-best)) = log(1 + |l'(best)| (e^deficit - 1))
  if (loss == Loss::logistic) arb_log1p(gap, gap, precision);
}

}  // namespace attest
