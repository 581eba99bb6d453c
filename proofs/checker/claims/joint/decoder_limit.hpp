// The limit of a decoder that is trained beside the attention (JOINT.md section 1): u_v with its margin, the
// sequences that support it, and the labelled values of tokens that it scores.
#pragma once

#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/text/context.hpp"

namespace attest_check {

struct DecoderLimit {
  const Problem* problem = nullptr;
  std::vector<std::size_t> supporting;  // groups, increasing
  Interval margin, norm;                // Gamma and ||v*|| = 1/Gamma
  std::vector<Interval> direction;      // u_v
  std::vector<Interval> multipliers;    // by supporting group, sum 1: the solution's own
};

// Of the decoder's problem that the support is about. Rejects where the instance has offsets, or tokens that
// are equal to a selected one and have other rows of X.
DecoderLimit decoder_limit(const Claim& claim, const SupportFact& support, unsigned bits);

// Y_i x_it; of equal tokens the mean by their counts. `decoder`: what its problems are about.
std::vector<Interval> labelled_value(const Features& decoder, std::size_t group, std::size_t token,
                                     unsigned bits);

}  // namespace attest_check
