// The attention stage's training at some of its steps: see claims/tokens/run.hpp.
#include "proofs/checker/claims/tokens/run.hpp"

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
  read_checkpoints(in);
}

void TokenRun::describe(const Claim&, Statement& say) const {
  say.perhaps("from", from);
  say(training, "steps", steps);
  describe_checkpoints(say);
}

std::unique_ptr<Fact> TokenRun::check(const Claim& claim) const {
  auto fact = std::make_unique<TokenRunFact>();
  fact->training = training;
  const TokenStage stage(claim);
  std::optional<TokenDirection> direction;
  if (from) direction.emplace(claim, stage, *from);
  TokenReplay run(stage, training, working_bits());
  follow(claim, run, [&](std::size_t t, const TokenCheckpoint* stated) {
    if (stated == nullptr) return;
    require_checkpoint(claim, *stated, run, direction, working_bits());
    if (is_asked(claim, t)) fact->points.emplace(t, TokenPoint{run.entries(), run.loss_gap()});
  });
  return fact;
}

}  // namespace attest_check
