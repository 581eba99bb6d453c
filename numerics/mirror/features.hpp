// The rank-one features of a selection problem as balls, in the order that dot products want, for iterations
// whose state is not a combination of features: W is a full matrix here.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <vector>

#include "numerics/numbers/ball.hpp"
#include "numerics/problem/loss.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// A group with at least two different tokens; others keep no attention in play.
struct FeatureGroup {
  std::size_t original = 0;
  std::vector<std::size_t> tokens;     // present, of the TokenData
  std::vector<std::uint64_t> counts;   // their multiplicities
  std::vector<Ball> token;             // tokens x d
  std::vector<Ball> token_transposed;  // d x tokens
  std::vector<Ball> query;             // e
  std::vector<Ball> score;
  std::size_t first = 0;  // of its coordinates, one for every token but the first
};

// What one matrix W makes of the data.
struct FeatureWeights {
  std::size_t dominant = 0;
  std::vector<Ball> margin;                // logit of the dominant token less each token's (0 for its own)
  std::vector<Ball> share;                 // attention s_t
  std::vector<Ball> weight;                // v_t = wt |l'(f)| s_t (g_t - f); they sum to 0
  Ball unselected, deficit, ratio, slope;  // 1 - s, g - f of the dominant token; l''/|l'| and |l'| at f
};

struct Features {
  Features(const TokenData& data, long bits);

  std::size_t d = 0, e = 0, all_groups = 0;
  std::size_t coordinates = 0;  // sum over groups of (tokens - 1)
  long bits = 0;
  std::vector<FeatureGroup> groups;
  std::vector<Ball> query_transposed;  // e x groups
  Eigen::MatrixXd rows;                // coordinates x (d e): (x_t - x_first) z', nearest doubles
  std::vector<bool> moves;             // per entry of W: some coordinate has it

  // Attention and gradient weights at W.
  std::vector<FeatureWeights> weigh(const std::vector<Ball>& w, Loss loss) const;
  // The same from the logits of every token of every group. `uneven`: attention that is small beside what
  // the gradient is made of is enclosed with as many bits less.
  std::vector<FeatureWeights> weigh_logits(const std::vector<std::vector<Ball>>& logits, Loss loss,
                                           long working_bits, bool uneven) const;
  // sum_i (sum_t value_it x_it) z_i', a value for every token of every group: d x e.
  std::vector<Ball> combine(const std::vector<std::vector<Ball>>& values) const;
};

}  // namespace attest
