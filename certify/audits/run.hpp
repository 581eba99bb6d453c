// The use case `run`: an optimiser run with proof, and what is proved about all its later steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/audits/certificate_file.hpp"
#include "certify/audits/comparison.hpp"
#include "certify/audits/computed_run.hpp"
#include "certify/audits/later_attention.hpp"
#include "certify/audits/run_request.hpp"
#include "certify/audits/watched_sets.hpp"
#include "certify/pictures/plot.hpp"
#include "numerics/forever/support_facts.hpp"

namespace attest {

// What is known about all later steps (theory.md section 5). verdict "holds" or "undecided".
struct ForeverAnswer {
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
  // At all steps from this one on the training loss is at most so far above that of the limit, L* where the
  // selected tokens are the best ones.
  struct LossBound {
    std::uint64_t from = 0;
    Rational loss_gap;
  };
  std::vector<LossBound> loss_bounds;
  // At every step t from this one on at most loss_gap ratio^(t - from), ratio < 1; for steps of one length.
  struct LossRate {
    std::uint64_t from = 0;
    Rational loss_gap, ratio;
  };
  std::optional<LossRate> loss_rate;
  std::vector<LaterAttention> attention;  // from the same steps on
  std::vector<LaterSets> sets;            // likewise, where sets are asked about
  // The part of the residual W - <W,u>u in the span of the support, at the last step, against its limit p_inf
  // (T15's closed form). Nothing when the support has none.
  std::optional<ResidualLimit> residual;
};

// "at most 1.5e-7 q^(t - 1000) above its limit at every t >= 1000, q = 0.98".
std::string words(const ForeverAnswer::LossRate& rate);

struct RunAnswer {
  std::string instance_path, instance_sha256;
  OptimizerSpec spec;
  std::string arithmetic;  // the request's word
  std::vector<TokenClass> merged;
  std::vector<std::size_t> groups;       // of the data, those with at least two different tokens
  std::optional<RunOutcome> outcome;     // validated
  std::optional<ComputedRun> computed;   // mpfr, double
  std::optional<Comparison> comparison;  // with a recorded run, where one is given
  std::optional<SelectedSetsRun> sets;   // where several tokens of a sequence are asked about
  ForeverAnswer forever;
  std::string certificate;  // the text; empty when nothing was proved
  CertificateFile file;
  std::string certificate_note;  // what the certificate lacks, and why; empty when nothing
  std::vector<WrittenClaim> claims;
  ChartLine later;              // the explicit bound of 1 - corr at later steps; no points: none is proved
  std::optional<RunPlot> plot;  // when a plot or a report is written
  double total_seconds = 0;

  bool decided() const {
    return outcome ? outcome->verdict != RunVerdict::undecided : computed->stopped_by.empty();
  }
};

// Throws BudgetReached when the end comes before the first step.
Result<RunAnswer> run(const RunRequest& request, AuditWatch& watch);

}  // namespace attest
