// An explicit smoothness constant of the training loss (theory.md T6).
#pragma once

#include <optional>
#include <string_view>

#include "numerics/selection_problem.hpp"

namespace attest {

enum class Loss { logistic, exponential, correlation };

// "logistic", "exponential", "correlation".
const char* name(Loss loss);
std::optional<Loss> parse_loss(std::string_view word);

// A dyadic beta such that grad L is beta-Lipschitz, L = (1/n) sum_i l(f_i) over all n groups:
//     beta >= sum_i (1/n) (M1_i G_i D_i^2 / (6 sqrt 3) + M0_i G_i^2 D_i^2 / 16)
// with the quantities of T6, every rounding outward, and about 2^-30 relative slack on top, so that a checker with
// bounds of its own accepts it. Nothing when beta would leave the exponents a certificate can hold.
std::optional<Rational> smoothness_constant(const TokenData& data, Loss loss);

}  // namespace attest
