// What a run on (K,Q) is measured against: the margin problem's solution in the Frobenius norm, and a matrix
// that nearly solves it in the nuclear norm, with the certified interval for that norm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/mirror/limit.hpp"
#include "numerics/norms/optimum.hpp"

namespace attest {

struct FactoredLimits {
  Selection selection;
  std::optional<MirrorLimit> euclidean;  // of the potential with P = 2
  std::string euclidean_reason;          // where there is none
  std::vector<Constraint> conflict;      // where it is infeasible: rows that no W satisfies together
  // min ||W||_*: its interval and a matrix with margins >= 1 whose norm is in it. The solution need not be
  // unique; correlations are with this matrix.
  std::optional<NormOptimum> nuclear;
  std::string nuclear_reason;
  std::vector<Ball> nuclear_matrix;  // row-major; exact but for rounding
};

FactoredLimits factored_limits(const TokenData& data, const Selection& selection, const Budget& budget);

}  // namespace attest
