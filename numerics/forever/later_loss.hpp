// What a proof for all later steps says of the training loss.
#pragma once

#include "numerics/forever/proof.hpp"

namespace attest {

// Upper bound, over all later steps s >= t, of L(W_s) less its limit, the loss of all attention on the
// selected tokens: of L - L* where these are the best ones. Not finite where nothing is known yet.
BallNumber later_loss_gap(const ForeverProof& proof, const SelectionFacts<BallNumber>& facts,
                          std::uint64_t t);

// L(W_s) less its limit is at most gap ratio^(s - t) at every step s >= t, ratio < 1.
struct GeometricLoss {
  BallNumber gap, ratio;
};
// Nothing where heights need not grow linearly (steps that are not normalised, or become shorter), or some
// margin's bound may still fall.
std::optional<GeometricLoss> geometric_loss(const ForeverProof& proof,
                                            const SelectionFacts<BallNumber>& facts, std::uint64_t t);

}  // namespace attest
