// Which head a loss is of: see problem/head_kind.hpp.
#include "proofs/checker/problem/head_kind.hpp"

namespace attest_check {

HeadKind head_kind(Loss loss) {
  if (loss == Loss::cross_entropy) return HeadKind::cross_entropy;
  if (loss == Loss::classifier) return HeadKind::classifier;
  return several_outputs(loss) ? HeadKind::units : HeadKind::scalar;
}

HeadKind head_kind(const Instance& instance) {
  if (instance.outputs) return instance.outputs->classifier ? HeadKind::classifier : HeadKind::units;
  return instance.cross_entropy() ? HeadKind::cross_entropy : HeadKind::scalar;
}

const char* name(HeadKind head) {
  constexpr const char* names[] = {"scalar", "cross-entropy", "a classifier", "of ReLU units"};
  return names[static_cast<std::size_t>(head)];
}

Loss loss_of_output(Loss loss) {
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

}  // namespace attest_check
