// Claim kinds about the selection's optimality: locally-optimal, not-locally-optimal, globally-optimal,
// not-globally-optimal and score-tie (GRAMMAR.md section 4, SOUNDNESS.md).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct LocallyOptimal : EvidenceOf<LocallyOptimal> {
  Citation from;

  static void words(auto& say, auto& self) { say("from", self.from); }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

struct NotLocallyOptimal : EvidenceOf<NotLocallyOptimal> {
  Citation from;
  std::optional<Constraint> at;  // none: there is no solution

  static void words(auto& say, auto& self) {
    say("from", self.from);
    say.perhaps("at", self.at);
  }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

struct GloballyOptimal : EvidenceOf<GloballyOptimal> {
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

struct NotGloballyOptimal : EvidenceOf<NotGloballyOptimal> {
  Constraint at;

  static void words(auto& say, auto& self) { say("at", self.at); }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

struct ScoreTie : EvidenceOf<ScoreTie> {
  std::size_t group = 0, first = 0, second = 0;  // two tokens of the group

  static void words(auto& say, auto& self) { say("group", self.group, "tokens", self.first, self.second); }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
