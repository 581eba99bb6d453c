// All solutions of a margin problem in another norm, of which there may be many: what is proved of each.
#pragma once

#include <cstdint>
#include <optional>

#include "numerics/norms/optimum.hpp"

namespace attest {

// What the claim norm-face shows (GRAMMAR.md section 4): solutions that agree at these entries, row by row,
// are equal, since the rows with multipliers are independent modulo the prime at the other entries in which
// solutions may differ; and each of the others differs from the optimum's own matrix at an entry of its own.
struct FaceEvidence {
  std::vector<Constraint> tight;
  std::uint64_t modulus = 0;
  std::size_t columns = 0;  // of a matrix
  std::vector<std::size_t> entries;
  std::vector<WrittenMatrix> others;
};

// The solutions in l1 or linf, a face of the polytope of separating matrices.
struct SolutionFace {
  // Of margin exactly 1 at every solution: where there is one these are all, else those of a multiplier.
  std::vector<Constraint> tight;
  // Bounds of its dimension, which is 0 where there is one solution.
  std::size_t dimension_at_least = 0, dimension_at_most = 0;
  // Of as many of the others as have 2^18 entries, or of one.
  std::optional<FaceEvidence> evidence;

  // Nothing where the bounds do not decide.
  std::optional<bool> unique() const {
    if (dimension_at_least > 0) return false;
    return dimension_at_most == 0 ? std::optional<bool>(true) : std::nullopt;
  }
};

// From complementary slackness: with M the combination of the multipliers, B its dual norm and nu the least
// norm, sum lambda_c (m_c(W) - 1) + B nu - <M, W> = 0 at every solution W, and all terms of both sums are at
// least 0. So m_c(W) = 1 where lambda_c > 0; l1: W_j = 0 where |M_j| < B, else W_j M_j >= 0; linf: W_j = nu
// sgn M_j where M_j is not 0. What solutions differ by is in the kernel of these margins on the other
// entries. A vector D of it leads from the optimum's own W to others if m_c(D) >= 0 at the other constraints
// with margin 1, and no entry of D breaks |W_j| <= nu (linf) or W_j M_j >= 0 (l1) at once: of a basis, each
// vector that does, with either sign, is a dimension. Where none of a basis' do, rows that are nevertheless 1
// at all solutions, and entries that are settled, may be found: then the optimum's multipliers are replaced
// by others that prove as much and are positive there. Nothing unless the norm is l1 or linf and the value
// one number, and when the budget is reached.
std::optional<SolutionFace> solution_face(const TokenData& data, const Selection& selection, const Norm& norm,
                                          NormOptimum& optimum, const Budget& budget);

// Of every solution W in a norm that orthogonal projections do not increase, and decrease when they change W
// (the nuclear norm): with P that onto the span of the z_i of groups that have constraints, W P has the same
// margins, so W = W P; and alike on the left.
std::size_t largest_solution_rank(const TokenData& data);

}  // namespace attest
