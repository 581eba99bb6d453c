// The feed-forward stage at every step: see claims/tokens/ray.hpp.
#include "proofs/checker/claims/tokens/ray.hpp"

namespace attest_check {

void TokenRay::read(Reader& in) {
  in("step");
  in.positive(step);
  const std::size_t count = in.count("checkpoints");
  while (checkpoints.size() < count) {
    in.next(checkpoints.emplace_back());
    if (checkpoints.size() > 1 && checkpoints[checkpoints.size() - 2].at >= checkpoints.back().at)
      in.bad("checkpoints increase");
  }
}

void TokenRay::describe(const Claim&, Statement& say) const {
  say("step", step);
  for (const RayCheckpoint& checkpoint : checkpoints) say(checkpoint);
}

// Along W* the loss is log(1 + (V - 1) e^-c).
std::unique_ptr<Fact> TokenRay::check(const Claim& claim) const {
  constexpr unsigned bits = 160;
  const TokenPairs pairs(claim, Stage::feed_forward);
  std::size_t i = 0;
  for (const auto& [x, y] : pairs.next) {
    claim.require(claim.problem.selection[i] == y,
                  "group " + std::to_string(i) + " does not select the output next to its token");
    ++i;
  }
  for (const RayCheckpoint& stated : checkpoints) {
    const std::string at = " at step " + std::to_string(stated.at);
    const Interval scale = pairs.scale(step, stated.at, bits);
    const Interval others = Interval::ratio(Integer(pairs.outputs - 1), 1, bits);
    require_within(claim, scale, stated.scale, "scale" + at);
    require_within(claim, logarithm_of_one_plus(others * exponential(-scale)), stated.loss, "loss" + at);
  }
  return std::make_unique<Fact>();
}

}  // namespace attest_check
