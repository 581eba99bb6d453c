// The limit direction of mirror descent: u = W*/||W*||_P of min ||W||_P subject to the selection's margins
// >= 1, with everything around it that is known for certain (theory.md section 6).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/mirror/potential.hpp"
#include "numerics/norms/optimum.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

// Enclosures, of entries of d x e matrices (row-major) and of constraints in increasing (group, token) order.
struct MirrorLimit {
  Selection selection;
  NormOptimum optimum;
  std::vector<Ball> direction;  // u, ||u||_P = 1
  std::vector<Ball> normal;     // n = grad psi(u): ||n||_Q = <n,u> = 1
  Ball gamma;                   // 1/||W*||_P
  std::vector<Constraint> constraints;
  std::vector<std::vector<Ball>> rows;  // Delta_c, d x e entries each
  std::vector<Ball> along;              // <Delta_c, u>; exactly gamma or more
  // A probability vector with sum mu_c Delta_c = gamma n; empty where it is not unique or not known.
  std::vector<Ball> multipliers;
  double euclidean_norm = 0;  // of u, a guess
};

// Solves the problem. Nothing, with the reason, when it is infeasible, has no constraints or stays undecided;
// rows that no W satisfies together go to `conflict`.
std::optional<MirrorLimit> mirror_limit(const TokenData& data, const Selection& selection,
                                        const Potential& potential, const Budget& budget, std::string& reason,
                                        std::vector<Constraint>* conflict = nullptr);

}  // namespace attest
