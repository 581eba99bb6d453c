// The support constraints of a selection as T14 and T15 need them (DYNAMICS.md sections 8 and 9, with dO =
// 0). Symbols: proofs/statements/GLOSSARY.md.
//
// With linearly independent support constraints everything has a closed form: U's Gram matrix differs from
// the support constraints' G by gamma^2 1 1', a vector of U with products t with the e_c (then sum mu t =
// 0) has length^2 t'G^{-1}t, and p_inf has the products log(b_inf_c/mu_c) - sum mu log(b_inf/mu).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "numerics/forever/start_point.hpp"

namespace attest {

// What T14 and T15 need of the data besides SelectionFacts; the same at every step.
template <typename Number>
struct SupportFacts {
  std::vector<std::size_t> support;  // S, constraint numbers
  std::vector<Number> inverse;       // G^{-1}, |S| x |S|
  std::vector<Number> limit;         // per member of S: <e_c, p_inf>
  Number limit_norm{0.0};            // ||p_inf||
  Number least_eigenvalue{0.0};      // at most that of S's Gram matrix
  Number diameter{0.0};              // R_S
  std::vector<Number> sensitivity;   // k_c, per group of the facts
};

// Nothing when a tight constraint may lack a multiplier, a support constraint has no positive gap, or
// independence of the support is not certain; nothing either when the inverse, which cannot be interrupted
// once it is begun, is predicted to take more than a quarter of the time left: a run goes on without T14 and
// T15. Throws BudgetReached.
std::optional<SupportFacts<BallNumber>> enclose_support(const SelectionFacts<BallNumber>& facts,
                                                        const RunGeometry& geometry,
                                                        const ReferenceDirection& direction,
                                                        const Budget& budget = Budget());
SupportFacts<double> approximate(const SupportFacts<BallNumber>& support);

// The part of w - y u in U at a point of the iteration, against its limit p_inf.
struct ResidualLimit {
  std::uint64_t step = 0;
  BallNumber norm{0.0};        // of that part
  BallNumber limit_norm{0.0};  // ||p_inf||
  BallNumber distance{0.0};    // from p_inf
};
ResidualLimit compare_with_limit(const SupportFacts<BallNumber>& support,
                                 const StartPoint<BallNumber>& point);

// t' A t for a symmetric A given row by row.
double quadratic_form(const std::vector<double>& matrix, const std::vector<double>& t);
BallNumber quadratic_form(const std::vector<BallNumber>& matrix, const std::vector<BallNumber>& t);
// <a, t>, `a` starting at entry `first` of `matrix`.
double row_product(const std::vector<double>& matrix, std::size_t first, const std::vector<double>& t);
BallNumber row_product(const std::vector<BallNumber>& matrix, std::size_t first,
                       const std::vector<BallNumber>& t);

}  // namespace attest
