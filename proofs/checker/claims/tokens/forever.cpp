// The attention stage's training from a step on: see claims/tokens/forever.hpp.
#include "proofs/checker/claims/tokens/forever.hpp"

namespace attest_check {

void TokenForever::read(Reader& in) {
  words(in, *this);
  in.asked(run).points_asked.push_back(step);
}

void TokenForever::describe(const Claim& claim, Statement& say) const {
  words(say, *this);
  say(claim.cite_as<TokenRunFact>(run, "token-run").training);
}

std::unique_ptr<Fact> TokenForever::check(const Claim& claim) const {
  const auto& fact = claim.cite_as<TokenRunFact>(run, "token-run");
  const auto point = fact.points.find(step);
  claim.require(point != fact.points.end(),
                "step " + std::to_string(step) + " is not a checkpoint of the run");
  const TokenStage stage(claim);
  const TokenDirection direction(claim, stage, solution);
  require_token_limit(claim, stage, fact.training, direction, point->second, conclusion);
  auto proved = std::make_unique<TokenForeverFact>();
  proved->at = step;
  proved->solution = solution.claim;
  proved->point = point->second;
  proved->conclusion = conclusion;
  return proved;
}

}  // namespace attest_check
