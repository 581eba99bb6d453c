// What `attest run` tells: certified observations as text for people and as one JSON value for machines.
#pragma once

#include <string>
#include <vector>

#include "certify/audits/computed_run.hpp"
#include "certify/certificates/text.hpp"
#include "numerics/forever/bounded_residual.hpp"
#include "numerics/runs/validated_run.hpp"

namespace attest {

// What is known about all later steps (theory.md section 5). verdict "holds" or "undecided".
struct ForeverReport {
  std::string verdict = "undecided";
  std::optional<std::uint64_t> t0;
  std::string theorem, rate,
      kind;            // "T12n", "1 - corr <= ...", "from-run" or "from-point"; empty when undecided
  std::string reason;  // when undecided
  // From this step on every selected token has more than half of its group's attention: the least of the
  // proofs'.
  std::optional<std::uint64_t> dominates_from;
  Selection selection;  // the one whose max-margin direction is the limit; empty when undecided
  // Every theorem proved, with its own t0 and rate; the fields above are the earliest one's.
  struct Proof {
    std::string theorem, rate;
    std::uint64_t t0 = 0;
    std::optional<std::uint64_t> dominates_from;
  };
  std::vector<Proof> proofs;
  // The part of the residual W - <W,u>u in the span of the support, at the last step, against its limit p_inf
  // (T15's closed form). Nothing when the support has none.
  std::optional<ResidualLimit> residual;
};

struct RunReport {
  std::string instance_path;
  OptimizerSpec spec;
  std::uint64_t steps_wanted = 0;
  std::string arithmetic = "validated";
  const RunGeometry* geometry = nullptr;
  const RunOutcome* outcome = nullptr;    // validated
  const ComputedRun* computed = nullptr;  // mpfr, double
  ForeverReport forever;
  std::string certificate_wanted;  // where one was asked for; empty: nowhere
  std::string certificate_path;    // empty when none was written
  std::size_t certificate_bytes = 0;
  std::string certificate_note;  // what the certificate lacks, and why; empty when nothing
  std::vector<WrittenClaim> claims;
  double total_seconds = 0;
};

// Compact text, one final `s` line (run_text.cpp).
std::string run_text(const RunReport& report);

// One JSON value: optimizer, steps, selection, correct_bits, checkpoints, forever, shapes, statistics, ...
std::string run_json(const RunReport& report);

// "complete", "stationary" or "undecided".
const char* verdict_word(RunVerdict verdict);

// The record's checkpoints, without those that only claims about all later steps start from.
std::vector<RunPoint> reported(const RunRecord& record);

}  // namespace attest
