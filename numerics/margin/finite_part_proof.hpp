// What others can check of the finite part W_fin: an enclosure of it, or that there is none.
#pragma once

#include <vector>

#include "numerics/margin/finite_part.hpp"
#include "numerics/margin/solution.hpp"

namespace attest {

// With l_c the margin asked for at c, a logarithm, and G the Gram matrix of the `spanning` equations:
// lambda_min(G) >= least_eigenvalue, ||sum coefficient_c Delta_c - W_fin|| <= radius, and ||W_fin||^2 is in
// norm_squared.
struct EnclosedFinitePart {
  std::vector<Constraint> spanning;
  Rational least_eigenvalue;      // a dyadic
  ConstraintVector coefficients;  // on these; the denominator is a power of two
  Rational radius;                // a dyadic
  Interval norm_squared;          // dyadic ends
  std::vector<Integer> bases;  // all ratios are products of powers of these, if an equation is not spanning
  std::vector<ConstraintVector> combinations;  // that vanish: of each equation that is not spanning
};

// What others can check of the W of least norm that solves the equations, whatever the margins asked for are.
class FinitePartProver {
 public:
  // Of no more than `budget`, which it throws as BudgetReached; both must outlive the object.
  FinitePartProver(const FiniteEquations& equations, const Budget& budget);

  // From enclosures of the margins asked for, one for each equation, that agree with the dependences. Without
  // bases. Nothing where doubles do not bound the eigenvalue, or the margins are too wide.
  std::optional<EnclosedFinitePart> enclose(const std::vector<Ball>& margins, long bits) const;

 private:
  const FiniteEquations& equations_;
  const Budget& budget_;
  Rational least_eigenvalue_;  // 0 where there is none
};

// One of the two, or neither: doubles or bits did not do.
struct FinitePartProof {
  std::vector<Constraint> equations;
  std::vector<Rational> ratios;
  long bits = 0;  // with which logarithms of the ratios prove it
  std::optional<EnclosedFinitePart> enclosed;
  std::optional<ConstraintVector> contradiction;  // it vanishes, and that of the logarithms does not
};

// `part` is what solve_finite_part found. Throws BudgetReached.
FinitePartProof prove_finite_part(const FiniteEquations& equations, const std::vector<Rational>& ratios,
                                  const FinitePart& part, long bits, const Budget& budget);

}  // namespace attest
