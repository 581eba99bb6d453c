// Claim kind run: what happened along the exact iteration (RUNS.md sections 1 and 3).
#pragma once

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/runs/rate_shapes.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {

// What a number lies strictly between.
struct Band {
  Rational lo, hi;

  static void words(auto& say, auto& self) { say(self.lo, self.hi); }
};

// The rule for bands (RUNS.md section 1): the value lies strictly further inside than 2^-32 of the band's
// width. So an end that the value meets is refused whatever the rounding. Of what is never negative an end at
// most 0 asks nothing. Rejects where it does not; throws Imprecise where that is open.
void require_in(const Claim& claim, const Interval& value, const Band& band, bool never_negative,
                const std::string& what);

// Bands of what a run shows at one step.
struct Checkpoint {
  std::size_t step = 0;
  Band norm, along;
  std::optional<Band> one_minus_corr;  // none: nothing is said of the direction
  Band loss_gap, gradient, unselected;

  static void words(auto& say, auto& self) {
    say("at", self.step, "norm", self.norm, "along", self.along, "one-minus-corr", self.one_minus_corr);
    say("loss-gap", self.loss_gap, "gradient", self.gradient, "unselected", self.unselected);
  }
};

// one-minus-corr stays below constant times the shape, from a step on.
struct Rate {
  const RateShape* shape = nullptr;
  std::size_t from = 0;
  Rational constant;
};

// From a step on the producer worked with fewer bits: evidence that a replay may do so, too.
struct Width {
  std::size_t from = 0, fraction_bits = 0;

  static void words(auto& say, auto& self) { say(self.from, self.fraction_bits); }
};

struct Run : EvidenceOf<Run> {
  Citation direction;
  std::size_t steps = 0;
  Specification specification;
  std::size_t fraction_bits = 0;
  std::vector<Width> narrower;
  StartPoint start;
  std::vector<Checkpoint> checkpoints;
  std::size_t decreases_until = 0;
  std::vector<Rate> rates;

  static void words(auto& say, auto& self) { say("from", self.direction, "steps", self.steps); }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
