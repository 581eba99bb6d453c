// Claim kind token-shift: what other sentences end in (GRAMMAR.md section 4, NEXT_TOKEN.md section 5).
#pragma once

#include "proofs/checker/claims/tokens/forever.hpp"

namespace attest_check {

// Tokens before the last one, the next token of the one that has the greatest logit along W*, and the step
// from which on that one has most attention at every step.
struct ShiftedSentence {
  std::vector<std::size_t> context;
  std::size_t next = 0;
  std::optional<std::size_t> from;

  void read(Reader& in);
  void describe(Statement& say) const;
};

struct TokenShift : EvidenceOf<TokenShift> {
  Citation solution;
  std::optional<Citation> forever;
  std::vector<ShiftedSentence> sentences;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
