// The use case `run --joint`: attention and decoder trained together, validated, seen against every problem
// that may be the attention's limit, and T20's limits of both. A certificate holds the pair at its
// checkpoints (joint-run), not T20.
#pragma once

#include <string>

#include "certify/audits/followed_run.hpp"
#include "numerics/joint/run.hpp"

namespace attest {

struct JointRunRequest {
  RunRequest run;  // of the attention, and all else
  // "gd" or "ngd", of mirror descent "md" or "nmd", a step, a schedule; empty: the attention's.
  std::string decoder_optimizer, decoder_step, decoder_schedule;
  std::string decoder_init;  // v_0: instance (its v, the default), zero, @FILE, random:SEED
};

struct JointRunAnswer : FollowedRunAnswer {
  JointSpec spec;
  JointOutcome outcome;

  bool decided() const { return outcome.verdict != RunVerdict::undecided; }
};

// "ngd", "md".
std::string optimizer_word(const JointSpec& spec, const JointStep& step);
// "ngd, step 1/10 (power -1/2)"; of mirror descent with its P.
std::string step_words(const JointSpec& spec, const JointStep& step);

// Is it a schedule: constant, inverse, invsqrt, power:E with an exact E <= 0?
std::optional<Rational> schedule_power(const std::string& schedule);

// `page` draws the report of a request that wants one. Throws BudgetReached when the end comes before the
// first step.
Result<JointRunAnswer> joint_run(const JointRunRequest& request, AuditWatch& watch,
                                 const PageOf<JointRunAnswer>& page = {});

}  // namespace attest
