// The losses of a score as formulas over any numbers: doubles and MPFR's (guesses), or balls (enclosures).
// What inner loops ask of balls is in loss.hpp, in place.
#pragma once

#include <cmath>

#include "numerics/problem/loss.hpp"

namespace attest {

// |l'(f)|, which decreases in f for every loss.
template <typename Number>
Number loss_slope(Loss loss, const Number& f) {
  using std::exp;
  switch (loss) {
    case Loss::logistic:
      return Number(1.0) / (Number(1.0) + exp(f));
    case Loss::exponential:
      return exp(-f);
    case Loss::cross_entropy:
      return Number(1.0) / f;
    default:
      break;
  }
  return Number(1.0);
}

// l(f).
template <typename Number>
Number loss_value(Loss loss, const Number& f) {
  using std::exp;
  using std::log;
  using std::log1p;
  if (loss == Loss::correlation) return -f;
  if (loss == Loss::cross_entropy) return -log(f);
  const Number tail = exp(-f);
  return loss == Loss::exponential ? tail : Number(log1p(tail));
}

// The score whose loss is l(best) + rise, rise >= 0.
template <typename Number>
Number score_below(Loss loss, const Number& best, const Number& rise) {
  using std::exp;
  using std::expm1;
  using std::log1p;
  if (loss == Loss::correlation) return best - rise;
  if (loss == Loss::cross_entropy) return best * exp(-rise);
  // e^-f = e^-best + rise
  if (loss == Loss::exponential) return best - log1p(rise * exp(best));
  // logistic, 1 + e^-f = (1 + e^-best) e^rise: e^(best - f) = 1 + (e^best + 1)(e^rise - 1)
  return best - log1p((exp(best) + Number(1.0)) * expm1(rise));
}

// sup l''/|l'| over scores from `least` on.
template <typename Number>
Number steepest_ratio(Loss loss, const Number& least) {
  if (loss == Loss::correlation) return Number(0.0);
  return loss == Loss::cross_entropy ? Number(1.0) / least : Number(1.0);
}

// sup l'' over scores from `least` on of which `nearest` is the one nearest 0.
template <typename Number>
Number steepest_bend(Loss loss, const Number& least, const Number& nearest) {
  if (loss == Loss::correlation) return Number(0.0);
  if (loss == Loss::cross_entropy) return Number(1.0) / (least * least);
  if (loss == Loss::exponential) return loss_slope(loss, least);
  const Number slope = loss_slope(loss, nearest);  // |l'| (1 - |l'|) decreases away from f = 0
  return slope * (Number(1.0) - slope);
}

// log |l'(f)| of the two losses whose slopes are beyond every range for large scores (a guess).
template <typename Real>
Real log_loss_slope(Loss loss, const Real& f) {
  using std::exp;
  using std::log1p;
  if (loss == Loss::exponential) return -f;
  return f > 0 ? Real(-(f + log1p(exp(-f)))) : Real(-log1p(exp(f)));
}

// l(best - deficit) - l(best) without cancellation (a guess).
template <typename Real>
Real loss_gap(Loss loss, const Real& best, const Real& deficit) {
  using std::exp;
  using std::expm1;
  using std::log1p;
  if (loss == Loss::correlation) return deficit;
  if (loss == Loss::cross_entropy) return -log1p(-deficit / best);
  if (deficit > 1) {  // without the product of a number that is too large and one that is too small
    const Real f = best - deficit;
    if (loss == Loss::exponential) return exp(-f) - exp(-best);
    const Real above = log1p(exp(f < 0 ? f : -f)), below = log1p(exp(best < 0 ? best : -best));
    return (f < 0 ? Real(above - f) : above) - (best < 0 ? Real(below - best) : below);
  }
  const Real growth = expm1(deficit) * loss_slope(loss, best);
  return loss == Loss::exponential ? growth : Real(log1p(growth));
}

}  // namespace attest
