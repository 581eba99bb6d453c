// The absorbing region of a local optimum, T11 (DYNAMICS.md section 6).
// Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include "proofs/checker/forever/region.hpp"

namespace attest_check {

struct Local : Theorem {
  static constexpr const char* word = "local";
  Rational step_bound, ratio, extra, theta;  // h, rho_bar, C1, theta
  std::vector<Constraint> outside;
  std::vector<Rational> attention;  // eps_i

  std::string_view name() const override { return word; }
  void read(Reader& in) override;
  void require(const LaterSteps& where) const override;
};

class LocalRegion : public Region {
 public:
  LocalRegion(const LaterSteps& where, const Local& evidence, const Rational& path)
      : Region(where, evidence.outside, path), evidence_(evidence) {}

 protected:
  void require_theorem() override;

  const Local& evidence_;
};

}  // namespace attest_check
