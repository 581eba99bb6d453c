// What holds for all later steps: see claims/descent/forever.hpp.
#include "proofs/checker/claims/descent/forever.hpp"

#include "proofs/checker/runs/fact.hpp"

namespace attest_check {
namespace {

constexpr unsigned working_bits = 384;  // attest-check-verified has 320, and is nowhere sharper

// "theorem … dominates-from …", the end of the claim's first line.
void describe_theorem(Statement& say, const Theorem& theorem, const ForeverConclusion& conclusion) {
  say("theorem", theorem.name(), "dominates-from", conclusion.dominates_from);
}

// The theorem at W_step of the iteration, which point(direction) makes. Rejects the claim where the checker's
// own precision does not reach.
template <class Point>
void require_theorem(const Claim& claim, const Theorem& theorem, const Citation& solution,
                     const Specification& specification, std::size_t step,
                     const ForeverConclusion& conclusion, Point&& point) {
  const ReferenceDirection direction = reference_direction(claim, claim.cite(solution), working_bits, true);
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  theorem.require({claim, direction, specification, step, point(direction), conclusion});
}

}  // namespace

void ForeverFromPoint::read(Reader& in) {
  in("from", from);
  theorem = read_theorem(in);
  in("dominates-from", conclusion.dominates_from);
  in.next(specification);
  start = read_start(in);
  theorem->read(in);
  in.next(conclusion);
}

std::unique_ptr<Fact> ForeverFromPoint::check(const Claim& claim) const {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  require_theorem(
      claim, *theorem, from, specification, 0, conclusion,
      [&](const ReferenceDirection& direction) { return start_point_facts(direction, start, working_bits); });
  return std::make_unique<Fact>();
}

void ForeverFromPoint::describe(const Claim&, Statement& say) const {
  say("from", from);
  describe_theorem(say, *theorem, conclusion);
  say(specification, words_of(start), conclusion);
}

void ForeverFromRun::read(Reader& in) {
  words(in, *this);
  in.asked(run).points_asked.push_back(step);
  theorem = read_theorem(in);
  in("dominates-from", conclusion.dominates_from);
  theorem->read(in);
  in.next(conclusion);
}

std::unique_ptr<Fact> ForeverFromRun::check(const Claim& claim) const {
  const auto& fact = claim.cite_as<RunFact>(run, "run");
  const auto point = fact.points.find(step);
  claim.require(point != fact.points.end(),
                "step " + std::to_string(step) + " is not a checkpoint of the run");
  require_theorem(claim, *theorem, from, fact.specification, step, conclusion,
                  [&](const ReferenceDirection&) -> const RunPoint& { return point->second; });
  return std::make_unique<Fact>();
}

void ForeverFromRun::describe(const Claim& claim, Statement& say) const {
  words(say, *this);
  describe_theorem(say, *theorem, conclusion);
  say(claim.cite_as<RunFact>(run, "run"), conclusion);
}

}  // namespace attest_check
