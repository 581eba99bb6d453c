// Proof that a Gram matrix has no eigenvalue below a bound, by a fixed-point Cholesky factorisation.
//
// The rows of the Gram matrix are vectors given as Kronecker products of up to two factors, so that its
// entries are products of factor Gram entries: <x z', y w'> = (x.y)(z.w). The procedure and its error bound
// are stated in GRAMMAR.md section 7 and proved in SOUNDNESS.md.
#pragma once

#include <cstddef>
#include <vector>

#include "proofs/checker/base/exact.hpp"

namespace attest_check {

// One factor: vector k of the Gram matrix has the factor rows[index[k]] / denominator.
struct GramFactor {
  std::vector<std::vector<Integer>> rows;
  Integer denominator = 1;
  std::vector<std::size_t> index;
};

// True only if lambda_min(G) >= bound, where G_ab is the product over the factors (one or two, with equally
// long index lists) of the inner products of their rows. `bits` in [29, 4096] are the fractional bits of the
// factorisation; with 29 it runs in machine words. False when the bound could not be proved. bound > 0.
bool smallest_eigenvalue_at_least(const std::vector<GramFactor>& factors, const Rational& bound,
                                  unsigned bits);

}  // namespace attest_check
