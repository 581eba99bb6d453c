// The exact solution of a margin problem in the nuclear norm from an approximate one (theory.md T24).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "numerics/norms/optimum.hpp"

namespace attest {

// Established: of the matrices with margins >= 1 exactly one, W*, has the least nuclear norm; its rank is
// rank(), ||W* - left right'||_F <= distance, and its margins are 1 at the constraints of `multipliers`,
// above 1 at all others. The other numbers are what the claim norm-solution shows (GRAMMAR.md section 4).
struct NuclearSolution {
  WrittenMatrix left, right, inverse;
  ConstraintVector multipliers;
  Rational distance;
  Rational radius, factors, rows, residual, inverse_norm;
  Rational smallest, columns, dual_bound, slope;
  unsigned bits = 0;

  std::size_t rank() const { return left.columns; }
  const std::vector<Constraint>& support() const { return multipliers.constraint; }
};

// Why no solution is enclosed.
struct NoEnclosure {
  enum class Why {
    no_point,        // the solver's refinement did not begin
    size,            // `unknowns` of the equations are more than `most`
    multiplier,      // that of constraint `at` is not told from 0
    margin,          // that of constraint `at`, which has no multiplier, is not told from 1
    singular,        // the equations' derivative is, or nearly: several solutions or multipliers are possible
    singular_value,  // one more of the dual matrix is not told from 1
    precision,       // numbers of so many digits as are tried do not suffice
    limit            // a limit of time or memory: `reason`
  };
  Why why = Why::no_point;
  std::optional<Constraint> at;
  std::size_t unknowns = 0;
  std::string reason;
  static constexpr std::size_t most = 1000;
};

using Enclosure = std::variant<NoEnclosure, NuclearSolution>;

// From the point that Newton's method ended with, `answer.refined`; the answer is solve_norm_problem's for
// the nuclear norm. Takes about as long as Newton's method did.
Enclosure enclose_solution(const TokenData& data, const Selection& selection, const NormRequest& request,
                           const NormAnswer& answer, const Budget& budget);

}  // namespace attest
