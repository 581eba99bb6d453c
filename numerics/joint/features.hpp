// The data of joint training as balls: keys and queries make the attention, labelled values the scores that
// the decoder gives (theory.md section 13).
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/numbers/ball.hpp"
#include "numerics/problem/loss.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// What is trained: features as in `data` (whose scores are not used), and g_it(v) = <value_it, v>.
struct JointData {
  TokenData data;
  std::size_t decoder_dimension = 0;
  // Total tokens x decoder_dimension: Y_i x_it; of equal tokens the mean by their counts, which the first
  // has.
  std::vector<Rational> values;
};

struct JointGroup {
  std::vector<std::size_t> tokens;            // present, of the data
  std::vector<std::uint64_t> counts;          // their multiplicities
  std::vector<Ball> key, key_transposed;      // tokens x d, d x tokens
  std::vector<Ball> value, value_transposed;  // tokens x decoder_dimension, and its transpose
  std::vector<Ball> query;                    // e
};

// What one (W, v) makes of a group.
struct JointWeights {
  std::size_t dominant = 0;
  std::vector<Ball> margin;  // logit of the dominant token less each token's
  std::vector<Ball> share;   // attention s_t
  std::vector<Ball> gap;     // g of the dominant token less each token's
  std::vector<Ball> weight;  // |l'(f)|/n s_t (g_t - f): they sum to 0
  Ball unselected;           // 1 - s of the dominant token
  Ball output;               // f
  Ball slope, ratio;         // |l'(f)|/n and l''/|l'|
};

struct JointFeatures {
  JointFeatures(const JointData& joint, long bits);

  std::size_t d = 0, e = 0, decoder_dimension = 0;
  long bits = 0;
  std::vector<JointGroup> groups;  // all of them
  std::vector<Ball> query_gram;    // groups x groups: <z_i, z_j>

  std::vector<JointWeights> weigh(const std::vector<std::vector<Ball>>& logits, const std::vector<Ball>& v,
                                  Loss loss, long working_bits) const;
};

}  // namespace attest
