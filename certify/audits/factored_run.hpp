// The use case `run` for the factors of W = K Q' (--parameterization kq): a validated trajectory, singular
// values, correlation with the solutions in the Frobenius and the nuclear norm, and what is proved about all
// later steps, with a certificate of both.
#pragma once

#include <string>

#include "certify/audits/followed_run.hpp"
#include "numerics/factored/run.hpp"

namespace attest {

struct FactoredRunAnswer : FollowedRunAnswer {
  std::string start;  // in words
  FactoredSpec spec;
  FactoredOutcome outcome;

  bool decided() const { return outcome.verdict != RunVerdict::undecided; }
};

// Is it one of this use case's?
bool trains_factors(const RunRequest& request);

// `page` draws the report of a request that wants one. Throws BudgetReached when the end comes before the
// first step.
Result<FactoredRunAnswer> factored_run(const RunRequest& request, AuditWatch& watch,
                                       const PageOf<FactoredRunAnswer>& page = {});

}  // namespace attest
