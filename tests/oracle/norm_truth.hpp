// Whether claims about the least norm of a matrix with margins of at least 1 are true, in the norms other
// than the Euclidean one: from the problem alone, the dual problem solved for itself. For l1 and linf the
// least norm is exact, a linear program's; for the others a barrier method in 150 digits ends with a matrix
// and multipliers that enclose it, and what its enclosure does not tell passes for true.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/certificate.hpp"
#include "tests/oracle/margin.hpp"
#include "tests/oracle/real.hpp"

namespace reference {

class NormTruth {
 public:
  // `answer` is the feasible problem's exact answer and outlives this; matrices have this shape.
  NormTruth(const MarginAnswer& answer, Pair shape, const std::string& norm);

  // Empty when the claim is true; otherwise says what is not.
  std::string optimum_objection(const Claim& claim) const;
  std::string support_objection(const std::vector<Pair>& listed) const;
  std::string local_objection() const;
  // Of a claim that cites an optimum with this upper bound: what is known of one solution must not refute it.
  std::string near_rank_objection(const Claim& claim, const Number& high) const;

  // Of l1 and linf: the dimension of all solutions and what is tight at each, by linear programs over them.
  std::string face_objection(const Claim& claim) const;
  // Is there one solution in the nuclear norm, of this rank, this near, with margin 1 where this says?
  std::string solution_objection(const Claim& claim) const;

  Real size(const std::vector<Real>& matrix) const;

 private:
  // Positions of the constraints with margin 1 at the solution.
  std::vector<std::size_t> tight(const Real& tolerance) const;
  bool several_solutions(std::size_t rank, const std::vector<std::size_t>& everywhere) const;
  Number margin(std::size_t constraint, const Row& matrix) const;

  const MarginAnswer& answer_;
  Pair shape_;
  std::string norm_;
  Number exponent_;            // of a power norm, else 0
  Number exact_;               // of l1 and linf: the least norm
  Real lo_, hi_;               // the least norm
  std::vector<Real> nearest_;  // a power's: the only solution; the nuclear norm's: of norm hi_
};

// Bounds of the least norm, and a matrix with margins of at least 1 of norm `hi`.
struct LeastNorm {
  Real lo, hi;
  std::vector<Real> matrix;
};

// "nuclear", or a power more than 1 (then `exponent` is that).
LeastNorm least_norm(const MarginAnswer& answer, Pair shape, const Number& exponent);

// The matrix of a norm-optimum claim, or the product of its two factors.
Row given_entries(const Claim& claim);

// A matrix, row by row: its singular values, falling, with the right singular vectors and their images.
struct SingularParts {
  std::vector<Real> values;
  std::vector<std::vector<Real>> images, right;
};
SingularParts singular_parts(const std::vector<Real>& matrix, Pair shape);
std::vector<Real> singular_values(const std::vector<Real>& matrix, Pair shape);
// (sum |x|^exponent)^(1/exponent)
Real power_norm(const std::vector<Real>& entries, const Real& exponent);

}  // namespace reference
