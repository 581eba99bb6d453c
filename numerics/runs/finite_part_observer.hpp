// A run seen from several selected tokens (papers.md B.gen): how their sets share the attention, and the
// angle between W_t and the best combination W_fin + c W_mm.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "numerics/margin/finite_part.hpp"
#include "numerics/margin/primal_dual.hpp"
#include "numerics/runs/enclosed_point.hpp"

namespace attest {

// One step; every ball encloses the value at the exact W_t.
struct FinitePartPoint {
  std::uint64_t step = 0;
  // The least attention of a selected token and the greatest of another one, over all groups; equal tokens
  // are one. 1 and 0 where no group has two different tokens.
  Ball least_selected, greatest_masked;
  Ball norm;                        // ||W_t||
  std::optional<Ball> finite_norm;  // ||W_fin||; nothing where it is not enclosed
  // 1 - max over c > 0 of cos(W_t, W_fin + c W_mm); nothing where <W_t, W_mm>, or <W_t, W_fin> of given
  // ratios, is not certainly positive.
  std::optional<Ball> one_minus_corr;
  std::optional<Ball> factor;  // that c; of given ratios nothing where W_fin may be 0, too
};

class FinitePartObserver {
 public:
  // `values` of all equations, log(s_{i,first}/s_it); null: those of W_t itself, whose ratios are then
  // matched exactly. `solution` is that of the sets' rows; without an optimum only the attention is observed.
  // All but `values` must outlive the observer. For data without offsets.
  FinitePartObserver(const RunGeometry& geometry, const SelectedSets& sets, const FiniteEquations& equations,
                     const MarginSolution& solution, std::optional<std::vector<Ball>> values);

  FinitePartPoint observe(std::uint64_t step, const EnclosedPoint& point) const;
  // <Delta_k, W_t> of every equation: the logarithms of W_t's own ratios.
  std::vector<Ball> margins(const EnclosedPoint& point) const;

 private:
  void observe_attention(FinitePartPoint& seen, const EnclosedPoint& point) const;
  void observe_angle(FinitePartPoint& seen, const EnclosedPoint& point) const;
  // <a_{group,winner} - a_{group,loser}, W_t>, group of the data.
  Ball difference(const EnclosedPoint& point, std::size_t group, std::size_t winner, std::size_t loser) const;

  const RunGeometry& geometry_;
  const SelectedSets& sets_;
  const FiniteEquations& equations_;
  std::unique_ptr<PrimalDual> optimum_;
  std::optional<std::vector<Ball>> values_;
  std::vector<std::size_t> kept_;  // of each group of the data: its index in the geometry, if it is there
};

}  // namespace attest
