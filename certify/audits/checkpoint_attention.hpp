// The attention of a layer on a dataset, enclosed.
#pragma once

#include "certify/audits/checkpoint.hpp"

namespace attest {

// K Q' exactly: K is d x m, Q is e x m, both row-major. Throws BudgetReached.
ExactArray matrix_product(const ExactArray& keys, const ExactArray& queries, std::size_t d, std::size_t e,
                          std::size_t m, const Budget& budget);

// Fills attention, selection, margins and norm of the answer from its data and weights. Logits are exact,
// attention is enclosed to some 30 digits. Throws BudgetReached.
void fill_attention(CheckpointAnswer& answer, const Budget& budget);

}  // namespace attest
