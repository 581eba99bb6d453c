// A matrix W that a certificate writes out, dense or as a product K Q' of two factors, with the margins that
// it has: exact numbers throughout.
#pragma once

#include <vector>

#include "proofs/checker/base/norm_bounds.hpp"
#include "proofs/checker/problem/problem.hpp"

namespace attest_check {

struct GivenMatrix {
  ExactMatrix left;   // W, or K
  ExactMatrix right;  // Q; without columns where W is given

  bool factored() const { return right.columns > 0; }
  // All entries, row by row, of W, or of K and then of Q.
  std::vector<Rational> entries() const;
  // Margins of all tokens of a group, integers over scale(); 0 at the selected token.
  std::vector<Integer> margins(const Problem& problem, std::size_t group) const;
  Integer scale(const Problem& problem) const;
};

}  // namespace attest_check
