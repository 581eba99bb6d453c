// Runs of decoder and attention together: see claims/joint/run.hpp.
#include "proofs/checker/claims/joint/run.hpp"

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/claims/joint/replay.hpp"
#include "proofs/checker/claims/replays/solution_entries.hpp"

namespace attest_check {
namespace {

// 1 - <x,u>/||x||.
Interval apart(const SolutionEntries& u, const std::vector<Interval>& x, const Interval& length) {
  return Interval(1) - u.along(x, length) / length;
}

void require_checkpoint(const Claim& claim, const JointCheckpoint& stated, const JointReplay& run,
                        const std::optional<SolutionEntries>& attention,
                        const std::optional<SolutionEntries>& decoder) {
  const std::string at = " at step " + std::to_string(stated.at);
  const Interval norm = length_of(run.matrix()), decoder_norm = length_of(run.decoder());
  require_within(claim, norm, stated.norm, "norm" + at);
  require_within(claim, decoder_norm, stated.decoder_norm, "decoder-norm" + at);
  require_within(claim, run.loss(), stated.loss, "loss" + at);
  claim.require((!stated.one_minus_corr || attention) && (!stated.decoder_one_minus_corr || decoder),
                "a correlation" + at + " with a solution that is not cited");
  if (stated.one_minus_corr)
    require_within(claim, apart(*attention, run.matrix(), norm), *stated.one_minus_corr,
                   "one-minus-corr" + at);
  if (stated.decoder_one_minus_corr)
    require_within(claim, apart(*decoder, run.decoder(), decoder_norm), *stated.decoder_one_minus_corr,
                   "decoder-one-minus-corr" + at);
}

}  // namespace

void JointRun::read(Reader& in) {
  words(in, *this);
  for (const JointStep* step : {&training.attention, &training.decoder})
    if (step->power > 0 || step->power < -64) in.bad("powers are from -64 to 0");
  read_checkpoints(in);
}

Interval JointStep::at(std::size_t t, unsigned bits) const {
  Interval size(step, bits);
  if (power == 0) return size;
  return size * exponential(Interval(power, bits) * logarithm(Interval::ratio(Integer(t) + 1, 1, bits)));
}

void JointRun::describe(const Claim&, Statement& say) const {
  words(say, *this);
  describe_checkpoints(say);
}

std::unique_ptr<Fact> JointRun::check(const Claim& claim) const {
  const Features& features = *claim.problem.features;
  const Instance& instance = features.instance();
  claim.require(!claim.problem.decoder, "the problem is not the attention's");
  claim.require(!instance.Y.empty() && instance.v.size() > 0 && instance.offsets.size() == 0,
                "the instance has no labels and decoder v, or offsets");
  std::optional<SolutionEntries> direction, decoder_direction;
  if (from)
    direction.emplace(reference_direction(claim, claim.cite(*from), working_bits(), false), working_bits());
  if (decoder_from) {
    const Fact& cited = claim.cite_across(*decoder_from);
    claim.require(cited.claim->problem.decoder, "decoder-from cites no decoder's problem");
    decoder_direction.emplace(reference_direction(claim, cited, working_bits(), false), working_bits());
  }
  const Features values(instance, Features::Unknown::decoder);
  JointReplay run(training, features, values, working_bits());
  auto fact = std::make_unique<JointRunFact>();
  fact->training = training;
  follow(claim, run, [&](std::size_t t, const JointCheckpoint* stated) {
    if (stated == nullptr) return;
    require_checkpoint(claim, *stated, run, direction, decoder_direction);
    if (is_asked(claim, t)) fact->points.emplace(t, JointPoint{run.matrix(), run.decoder()});
  });
  return fact;
}

}  // namespace attest_check
