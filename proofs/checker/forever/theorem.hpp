// The theorems about all later steps (DYNAMICS.md sections 5 to 9), one file each: the constants it needs,
// its words in certificates, and its hypotheses, which are checked at one point.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "proofs/checker/runs/point.hpp"

namespace attest_check {

// For s >= 0: ||w_s - y_s u - p|| <= sqrt(excess + path (y_s - y_0)), ||p|| <= centre, y_0 >= height, and the
// growth of y_s; from step dominates_from of the iteration on, more than half of every group's attention is
// on its selected token (RUNS.md section 1).
struct ForeverConclusion {
  Rational path, excess, centre, height, growth;
  GrowthLaw law = GrowthLaw::linear;
  std::optional<std::size_t> dominates_from;

  static void words(auto& say, auto& self) {
    constexpr const char* laws[] = {"logarithmic", "linear"};
    say("path", self.path, "excess", self.excess, "centre", self.centre, "height", self.height, "growth");
    say.one_of(laws, self.law);
    say(self.growth);
  }
};

// Where a theorem is applied: at `point`, W_step of the iteration, whose steps from that index on follow.
struct LaterSteps {
  const Claim& claim;
  const ReferenceDirection& direction;
  const Specification& specification;
  std::size_t step = 0;
  const RunPoint& point;
  const ForeverConclusion& conclusion;
};

// The evidence for one theorem. Numbers per group are for the groups with more than one token.
struct Theorem {
  virtual ~Theorem() = default;
  virtual std::string_view name() const = 0;
  // All lines of the evidence.
  virtual void read(Reader& in) = 0;
  // Rejects the claim unless the theorem's hypotheses hold and imply the conclusion. Throws Imprecise where
  // the working precision decides nothing.
  virtual void require(const LaterSteps& where) const = 0;
};

// "theorem NAME": the theorem, whose evidence is read later.
std::unique_ptr<Theorem> read_theorem(Reader& in);

// "outside count" and the constraints: those with a positive gap that are in N, increasing.
std::vector<Constraint> read_outside(Reader& in);
// "ranges count", and a line "group i" for each group with more than one token, on which each of the words is
// followed by a number of its list.
struct RangeList {
  const char* word;
  std::vector<Rational>& values;
};
void read_ranges(Reader& in, const std::vector<RangeList>& lists);

}  // namespace attest_check
