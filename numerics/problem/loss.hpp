// The losses of token selection (theory.md section 0): strictly decreasing l with l' < 0, as ball functions;
// and that of selection cross-entropy, which is one of them where scores are 1 for one token of a group and 0
// for the others (TokenData::targets).
#pragma once

#include <optional>
#include <string_view>

#include "numerics/numbers/working_ball.hpp"

namespace attest {

// logistic log(1 + e^-f), exponential e^-f, correlation -f; cross-entropy -log f.
//
// Of heads of several outputs (problem/outputs.hpp): that of a classifier, and those of the output of ReLU
// units.
enum class Loss {
  logistic,
  exponential,
  correlation,
  cross_entropy,
  classifier,
  relu_logistic,
  relu_exponential,
  relu_correlation
};

// Is it the loss of a head of several outputs? And that of the output of ReLU units, as a loss of a score; of
// a score it is the loss itself.
constexpr bool several_outputs(Loss loss) {
  return loss >= Loss::classifier;
}
constexpr bool relu_units(Loss loss) {
  return loss >= Loss::relu_logistic;
}
constexpr Loss scalar_loss(Loss loss) {
  switch (loss) {
    case Loss::relu_logistic:
      return Loss::logistic;
    case Loss::relu_exponential:
      return Loss::exponential;
    case Loss::relu_correlation:
      return Loss::correlation;
    default:
      return loss;
  }
}

// "logistic", "exponential", "correlation", "cross-entropy", "classifier", "relu-logistic", ...: the words of
// the certificate language and of the command line.
const char* name(Loss loss);

// The loss with that name, if it is one.
std::optional<Loss> parse_loss(std::string_view word);

// Of a loss of a score. slope encloses |l'(f)|; ratio encloses l''(f) / |l'(f)|, which lies in [0, 1] for the
// losses of scores and is 1/f for cross-entropy.
void loss_derivatives(arb_ptr slope, arb_ptr ratio, Loss loss, arb_srcptr f, slong precision);

// Encloses l(best - deficit) - l(best) without cancellation: relative accuracy survives deficit -> 0.
// scratch-free; gap may not alias best or deficit.
void loss_gap(arb_ptr gap, Loss loss, arb_srcptr best, arb_srcptr deficit, slong precision);

}  // namespace attest
