// Multiplier vectors of the decoder's solution: where what supports it is linearly dependent there are many.
#pragma once

#include <vector>

#include "numerics/joint/direction.hpp"
#include "numerics/joint/features.hpp"

namespace attest {

// By sequence, as the decoder's own, with sum_i mu_i kappa_i = Gamma u_v.
struct MultiplierChoice {
  std::vector<Ball> values;
  std::vector<Rational> change;  // from the decoder's own, exactly; empty: none
};

// The first is positive wherever one of them is, as far as that was found; of the others each favours one
// sequence, but for the decoder's own.
std::vector<MultiplierChoice> multiplier_choices(const JointData& joint, const Selection& selection,
                                                 const Direction& decoder,
                                                 const std::vector<std::size_t>& supporting);

}  // namespace attest
