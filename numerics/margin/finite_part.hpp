// The finite part of several selected tokens (papers.md B.gen): the W_fin of least norm with
// <a_{i,first} - a_it, W> = log(s_{i,first}/s_it) for the tokens t of each selected set, or the proof that no
// W has all of these. W_mm is 0 on all of these differences, so <W_fin, W_mm> = 0.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/problem/integer_constraints.hpp"

namespace attest {

// The equations <Delta_k, W> = value_k, k a row = 0 of the sets' margin_rows(), whatever the values are.
class FiniteEquations {
 public:
  // `data` must outlive the object. Throws BudgetReached.
  FiniteEquations(const TokenData& data, const SelectedSets& sets, const Budget& budget);

  const IntegerConstraints& constraints() const { return rows_; }
  std::size_t size() const { return rows_.size(); }
  const MarginRow& row(std::size_t k) const { return rows_.row(k); }

  // Equations of linearly independent Delta_k, increasing, as many as there can be.
  const std::vector<std::size_t>& independent() const { return independent_; }

  // Any other Delta_k: exactly sum_j on[j] Delta_independent()[j].
  struct Dependence {
    std::size_t equation = 0;
    std::vector<Rational> on;
  };
  const std::vector<Dependence>& dependences() const { return dependences_; }

  // The first dependence that values log(ratio_k), ratios > 0, contradict; nothing when some W has them all.
  // Exact: the ratios are compared as products of powers of coprime numbers.
  const Dependence* contradiction(const std::vector<Rational>& ratios) const;

  // W = sum coefficient_j Delta_independent()[j], the one of least norm with <Delta_k, W> = values[k] for the
  // independent k.
  struct LeastNorm {
    std::vector<Ball> coefficient;
    Ball norm_squared;
  };
  // Encloses it, `values` one for each equation. Nothing where the values are too wide for that.
  std::optional<LeastNorm> least_norm(const std::vector<Ball>& values, long bits) const;

 private:
  bool find_dependences(const std::vector<Integer>& gram, const Budget& budget);
  Dependence dependence(const std::vector<Integer>& gram, std::size_t equation, const Budget& budget) const;

  IntegerConstraints rows_;
  std::vector<std::size_t> independent_;
  std::vector<Dependence> dependences_;
  std::vector<Integer> gram_;  // of the independent ones; times rows_.gram_scale()
};

// W_fin from given ratios s_{i,first}/s_it, one for each equation: solved, or contradicted.
struct FinitePart {
  std::vector<MarginRow> equations;
  std::vector<std::size_t> independent;
  std::optional<FiniteEquations::LeastNorm> least_norm;
  std::optional<FiniteEquations::Dependence> contradiction;  // then log(ratio) is not what it has to be,
  Ball excess;                                               // but more by this (not 0)
};
FinitePart solve_finite_part(const FiniteEquations& equations, const std::vector<Rational>& ratios,
                             long bits);

// Pairwise coprime numbers above 1, of which each ratio, positive, is a product of powers.
std::vector<Integer> coprime_base(const std::vector<Rational>& ratios);

// log(ratio) for each ratio, positive.
std::vector<Ball> logarithms(const std::vector<Rational>& ratios, long bits);

}  // namespace attest
