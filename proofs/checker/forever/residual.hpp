// The bounded residual around the natural centre, T14 (DYNAMICS.md section 8; RUNS.md section 5), in a region
// that T10 or T11 keeps the iteration in. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <variant>

#include "proofs/checker/forever/absorbing.hpp"
#include "proofs/checker/forever/local.hpp"

namespace attest_check {

struct Residual : Theorem {
  static constexpr const char* word = "residual";
  Rational path;               // M of the region
  EigenvalueBound eigenvalue;  // of the Gram matrix of S
  std::variant<Absorbing, Local> region;

  std::string_view name() const override { return word; }
  void read(Reader& in) override;
  void require(const LaterSteps& where) const override;
};

}  // namespace attest_check
