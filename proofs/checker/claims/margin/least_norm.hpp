// The W of least norm with given margins at the constraints = 0, enclosed from those of them that are
// spanning (SOUNDNESS.md, finite-part).
#pragma once

#include <functional>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct LeastNorm {
  Rational lo, hi;  // of its squared norm
  Rational radius;
  EigenvalueBound eigenvalue;  // of the Gram matrix of `spanning`
  std::vector<Constraint> spanning;
  ConstraintVector coefficients;  // of a matrix within the radius

  static void words(auto& say, auto& self) { say("norm-squared", self.lo, self.hi, "radius", self.radius); }
  // The lines "spanning" and "vector coefficients", of at most so many equations.
  void read_spanning(Reader& in, std::size_t most, const char* of_what);
  bool spans(const Constraint& c) const;

  // Rejects unless the numbers may be bounds and the spanning ones are among the equations, which are those =
  // 0.
  void require_form(const Claim& claim, const std::vector<Constraint>& equations) const;
  // Its squared norm is from here up, by no more than radius^2 where what follows is proved.
  Interval dual_value(const Claim& claim, const std::function<Interval(const Constraint&)>& margin,
                      unsigned bits) const;
  // Rejects unless W(coefficients) is as near as is said to the W with these margins at the spanning ones, of
  // which the others are combinations. Bits are those of rationals beside the margins. Throws Imprecise.
  void require_near(const Claim& claim, const std::function<Interval(const Constraint&)>& margin,
                    unsigned bits) const;
  void require_eigenvalue(const Claim& claim) const;
};

// Is it one of them?
bool lists(const std::vector<Constraint>& increasing, const Constraint& c);
// Rejects unless sum_c x_c Delta_c = 0.
void require_vanishing(const Claim& claim, const ConstraintVector& x);
// Rejects unless x has c, and else only what is spanning.
void require_on_spanning(const Claim& claim, const LeastNorm& part, const Constraint& c,
                         const ConstraintVector& x);

}  // namespace attest_check
