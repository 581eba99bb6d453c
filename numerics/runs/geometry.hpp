// What a run needs to know about its data, derived once: groups with at least two different tokens, exact
// word matrices for the fixed-point kernels, rounded-up norms for error bounds, doubles for the Jacobian
// bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/word_matrix.hpp"
#include "numerics/problem/selection_problem.hpp"
#include "numerics/runs/query_products.hpp"

namespace attest {

// One group that takes part in training. Rows refer to RunGeometry's own numbering (groups without two
// different tokens left out); tokens that another one stands for keep their rows, with multiplicity 0.
struct RunGroup {
  std::size_t original = 0;   // its index in the TokenData
  std::size_t first_row = 0;  // rows [first_row, first_row + tokens)
  std::size_t tokens = 0;
  std::size_t best_token = 0;        // argmax of the scores, the first one on ties
  double query_norm = 0;             // upper bound of ||z_i||
  double diameter = 0;               // upper bound of max ||x_it - x_is||
  double score_spread = 0;           // upper bound of max g - min g; of several outputs, at any weights
  bool has_distinct_scores = false;  // exact
  // Coordinates of the tokens for spectral bounds: frame_dimension numbers a token, from
  // frame_values[frame_first] on. They are the token differences themselves, or, when there are fewer tokens
  // than dimensions, the rows of R with R R' >= (Gram matrix of the differences): lmax(R'NR) <= c then
  // implies lmax(sum N_ts x_t x_s') <= c.
  std::size_t frame_first = 0;
  std::size_t frame_dimension = 0;
};

struct RunGeometry {
  // `data` must outlive the geometry; `max_planes` words an entry at most (word_matrix.hpp); the Gram matrix
  // of the queries is kept for `most_kept` groups at most (query_products.hpp), unless given as many as they
  // have dimensions. Throws BudgetReached.
  RunGeometry(const TokenData& data, std::size_t max_planes, const Budget& budget = Budget(),
              std::optional<std::size_t> most_kept = std::nullopt);

  const TokenData* data = nullptr;
  std::size_t dimension = 0;  // d
  std::size_t rows = 0;       // tokens of all groups kept
  std::vector<RunGroup> groups;
  WordMatrix tokens;                          // rows x d
  std::vector<WordMatrix> tokens_transposed;  // per group: d x tokens
  QueryProducts products;                     // z_i . z_j, exact
  double gram_norm = 0;                       // upper bound of the 2-norm of the Gram matrix
  double gram_row_sum = 0;                    // upper bound of its infinity norm
  double max_logit_norm = 0;                  // upper bound of max_i ||z_i|| diameter_i
  std::vector<double> token_values;      // rows x d: x_it - x_i0, relative error 2^-52 an entry (+ 2^-1000)
  std::vector<double> query_values;      // groups x e, relative error 2^-53 an entry
  std::size_t query_dimension = 0;       // e
  std::vector<double> frame_values;      // see RunGroup
  std::vector<Rational> scores;          // per row; not used where there are several outputs
  const OutputTable* outputs = nullptr;  // the head's, of `data`, if it has several
  std::vector<double> output_spread;     // groups x width of them: upper bound of max_t c_tu - min_t c_tu
  // How strongly weights respond to scores: the bounds over a ball have 12 + response times score_spread.
  double response = 8;
  // Per row. Where the data have offsets these are in the logits with the multiplicities, which then are 1.
  std::vector<std::uint64_t> multiplicities;
  unsigned multiplicity_bits = 0;  // the least p with all of them at most 2^p
  // Parts of the groups, one behind the other: part p is [parts[p], parts[p + 1]). A step's work on each is
  // worth handing to another thread; small data are one part. They depend on the data alone.
  std::vector<std::size_t> parts;

  // work(first, end) for the groups of every part, on all threads (parallel.hpp).
  void for_each_part(const std::function<void(std::size_t first, std::size_t end)>& work) const;

 private:
  void bound_outputs(RunGroup& group);
  void divide();
};

}  // namespace attest
