// Two Lipschitz constants of grad L: the paper's L_W (B.L4) and theory.md T6's beta.
#pragma once

#include <optional>

#include "certify/catalogue/loss_enclosure.hpp"
#include "certify/instance/instance.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// Enclosure of the squared spectral norm of rows [first, last) of a rows x d array. `squarings` of the Gram
// matrix make it tight to a factor min(rows, d)^(2^-squarings).
Interval squared_spectral_norm(const ExactArray& rows, std::size_t first, std::size_t last, std::size_t d,
                               int squarings, const Budget& budget = Budget());

// L_W of an instance with a decoder, M0, M1 the maxima of |l''|, |l'| over [least, greatest], z_i the query
// rows of `data`. Nothing when the loss is not evaluated there. Throws BudgetReached, as the other two do.
std::optional<Interval> paper_smoothness(const Instance& instance, const TokenData& data, Loss loss,
                                         const Rational& least, const Rational& greatest,
                                         const Budget& budget = Budget());

// T6: sum_i (1/n)(M1_i G_i D_i^2/(6 sqrt 3) + M0_i G_i^2 D_i^2/16).
std::optional<Interval> sharp_smoothness(const TokenData& data, Loss loss, const Budget& budget = Budget());

}  // namespace attest
