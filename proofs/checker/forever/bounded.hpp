// The sharp bounded residual, T15 (DYNAMICS.md section 9; RUNS.md section 5).
#pragma once

#include "proofs/checker/forever/theorem.hpp"

namespace attest_check {

struct Bounded : Theorem {
  static constexpr const char* word = "bounded";
  Rational step_bound, ratio, reach;  // h, rho_bar, dX
  EigenvalueBound eigenvalue;         // of the Gram matrix of S
  ConstraintVector pull;              // e_0 = sum pull_c Delta_c, nearly
  std::vector<Constraint> outside;
  std::vector<Rational> attention;  // eps_i

  std::string_view name() const override { return word; }
  void read(Reader& in) override;
  void require(const LaterSteps& where) const override;
};

}  // namespace attest_check
