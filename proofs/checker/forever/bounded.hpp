// The sharp bounded residual, T15 (DYNAMICS.md section 9; RUNS.md section 5).
// Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include "proofs/checker/forever/theorem.hpp"

namespace attest_check {

struct Bounded : Theorem {
  static constexpr const char* word = "bounded";
  Rational step_bound, ratio, reach;  // h, rho_bar, dX
  EigenvalueBound eigenvalue;         // of the Gram matrix of S
  ConstraintVector pull;              // e_0, nearly, as a combination of the Delta_c
  std::vector<Constraint> outside;
  std::vector<Rational> attention;  // eps_i

  std::string_view name() const override { return word; }
  void read(Reader& in) override;
  void require(const LaterSteps& where) const override;
};

}  // namespace attest_check
