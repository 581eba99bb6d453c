// Lock-in by loss, T12 and T12n (DYNAMICS.md section 7).
// Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include "proofs/checker/forever/theorem.hpp"

namespace attest_check {

struct LockIn : Theorem {
  static constexpr const char* word = "lock-in";
  std::vector<Rational> floor;  // flo_i

  std::string_view name() const override { return word; }
  void read(Reader& in) override { read_ranges(in, {{"floor", floor}}); }
  void require(const LaterSteps& where) const override;
};

}  // namespace attest_check
