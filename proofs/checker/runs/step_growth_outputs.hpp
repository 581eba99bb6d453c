// What a classifier adds to the derivative of V (Lemmas R16 and G11).
#pragma once

#include <vector>

#include "proofs/checker/runs/step_growth_words.hpp"

namespace attest_check {

// A part -B_i of a classifier's C_i, 0 <= B_i <= sum_u weight_u N_u N_u', N_u = sum_t s_t o_tu x~_t, ||N_u||
// <= most. Empty where there is none.
struct OutputBend {
  Interval most;                 // at least every ||N_u||
  std::vector<Interval> weight;  // per output: at least its weight, in the point's units
  std::vector<Word> difference;  // outputs x tokens: o_tu, at most 1, within 2 units; the reference's is 0
};

}  // namespace attest_check
