// The head as the theorems about all later steps see it (theory.md T16): they use nothing of the loss but
// ranges of the factors b_c, limits and rates, which a head supplies in a file of its own, over either number
// type. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include "numerics/forever/classifier_head.hpp"
#include "numerics/forever/cross_entropy_head.hpp"
#include "numerics/forever/scalar_head.hpp"

namespace attest {

// visit(head) for the head with this loss.
template <typename Number, typename Visitor>
auto with_head(Loss loss, const Number& weight, Visitor&& visit) {
  if (loss == Loss::classifier) return visit(ClassifierHead<Number>{weight});
  return loss == Loss::cross_entropy ? visit(CrossEntropyHead<Number>{weight})
                                     : visit(ScalarHead<Number>{loss, weight});
}

}  // namespace attest
