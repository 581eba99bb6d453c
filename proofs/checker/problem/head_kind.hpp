// The losses by name, and which head each is of: the last ones are those of heads of several outputs.
#pragma once

#include "proofs/checker/instance/instance.hpp"

namespace attest_check {

// Places in the registry (problem/loss.cpp).
enum class Loss {
  none,
  logistic,
  exponential,
  correlation,
  cross_entropy,
  classifier,
  relu_logistic,
  relu_exponential,
  relu_correlation
};
inline constexpr const char* loss_names[] = {"none",          "logistic",         "exponential",
                                             "correlation",   "cross-entropy",    "classifier",
                                             "relu-logistic", "relu-exponential", "relu-correlation"};

// l(f) of a score; -log of the attention on one token; and, of several outputs (problem/outputs.hpp), -log of
// the softmax of a classifier's means, and losses of the output of ReLU units.
enum class HeadKind { scalar, cross_entropy, classifier, units };

HeadKind head_kind(Loss loss);  // of a loss that is not none
HeadKind head_kind(const Instance& instance);
const char* name(HeadKind head);
inline bool several_outputs(Loss loss) {
  return loss >= Loss::classifier;
}

// Of ReLU units the loss of their output; of a score itself.
Loss loss_of_output(Loss loss);

}  // namespace attest_check
