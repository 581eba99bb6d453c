// The absorbing region of the globally best tokens, T10 (DYNAMICS.md section 5).
// Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include "proofs/checker/forever/region.hpp"

namespace attest_check {

struct Absorbing : Theorem {
  static constexpr const char* word = "absorbing";
  Rational step_bound;                      // h; used by gd and for a bounded residual
  std::vector<Rational> output, attention;  // phi_i, eps_i

  std::string_view name() const override { return word; }
  void read(Reader& in) override;
  void require(const LaterSteps& where) const override;
};

class AbsorbingRegion : public Region {
 public:
  AbsorbingRegion(const LaterSteps& where, const Absorbing& evidence, const Rational& path)
      : Region(where, {}, path), evidence_(evidence) {}

 protected:
  void require_theorem() override;

  const Absorbing& evidence_;
};

}  // namespace attest_check
