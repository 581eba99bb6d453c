// The attention stage's training at some of its steps: see claims/token_run.hpp.
#include "proofs/checker/claims/token_run.hpp"

#include <algorithm>

namespace attest_check {
namespace {

void require_checkpoint(const Claim& claim, const TokenCheckpoint& stated, const TokenReplay& run,
                        const std::optional<TokenDirection>& direction, unsigned bits) {
  const std::string at = " at step " + std::to_string(stated.at);
  require_within(claim, run.norm(), stated.norm, "norm" + at);
  require_within(claim, run.loss_gap(), stated.loss_gap, "loss-gap" + at);
  require_within(claim, run.unselected(), stated.unselected, "unselected" + at);
  if (!stated.one_minus_corr) return;
  claim.require(direction.has_value(), "a correlation" + at + " with a solution that is not cited");
  const Interval off = Interval(1) - direction->along(run.entries(), bits) / run.norm();
  require_within(claim, off, *stated.one_minus_corr, "one-minus-corr" + at);
}

}  // namespace

void TokenRun::read(Reader& in) {
  in.perhaps("from", from);
  in(training, "steps", steps);
  if (training.fed_steps == 0) in.bad("W_ov is 0 before the first step");
  std::size_t count = 0;
  in.next("checkpoints", count, "bits", bits);
  if (bits < 64 || bits > 65536) in.bad("bits are from 64 to 65536");
  while (checkpoints.size() < count) {
    in.next(checkpoints.emplace_back());
    if (checkpoints.size() > 1 && checkpoints[checkpoints.size() - 2].at >= checkpoints.back().at)
      in.bad("checkpoints increase");
    if (checkpoints.back().at > steps) in.bad("a checkpoint after the last step");
  }
}

void TokenRun::describe(const Claim&, Statement& say) const {
  say.perhaps("from", from);
  say(training, "steps", steps);
  for (const TokenCheckpoint& checkpoint : checkpoints) say(checkpoint);
}

std::unique_ptr<Fact> TokenRun::check(const Claim& claim) const {
  const auto working_bits = static_cast<unsigned>(bits);
  auto fact = std::make_unique<TokenRunFact>();
  fact->training = training;
  const TokenStage stage(claim);
  std::optional<TokenDirection> direction;
  if (from) direction.emplace(claim, stage, *from);
  try {
    TokenReplay run(stage, training, working_bits);
    auto next = checkpoints.begin();
    for (std::size_t t = 0; next != checkpoints.end(); ++t) {
      claim.begin_step(t, steps);
      run.evaluate();
      if (next->at == t) {
        require_checkpoint(claim, *next++, run, direction, working_bits);
        if (std::count(claim.points_asked.begin(), claim.points_asked.end(), t) > 0)
          fact->points.emplace(t, TokenPoint{run.entries(), run.loss_gap()});
      }
      if (next != checkpoints.end()) run.advance();
    }
  } catch (const Imprecise&) {
    claim.fail("a number is not bounded away from 0");
  }
  return fact;
}

}  // namespace attest_check
