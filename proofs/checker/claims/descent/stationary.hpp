// Claim kind stationary: the gradient vanishes exactly at the start (RUNS.md section 1).
#pragma once

#include "proofs/checker/runs/specification.hpp"

namespace attest_check {

struct Stationary : EvidenceOf<Stationary> {
  StartPoint start;

  void read(Reader& in) { start = read_start(in); }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim&, Statement& say) const override { say(words_of(start)); }
};

}  // namespace attest_check
