// The attention stage trained from W = 0: what is enclosed along the run, and what is proved of all later
// steps.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numerics/next_token/attention_lock_in.hpp"

namespace attest {

struct AttentionTrainingRequest {
  Rational squared_scale;  // c^2 > 0
  Rational step;           // eta > 0
  std::uint64_t steps = 0;
};

struct AttentionCheckpoint {
  std::uint64_t step = 0;
  Ball norm, loss_gap, most_unselected;
  Ball one_minus_corr;      // with W*; not finite where W = 0
  double entry_growth = 0;  // bits that a replay entry by entry has lost by then, as EntryGrowth guesses
};

struct AttentionTraining {
  std::string reason;       // why it ended before its last step; empty: it did not
  std::uint64_t steps = 0;  // done
  long bits = 0;            // of the entries kept
  std::vector<AttentionCheckpoint> checkpoints;
  // From the first step that proves it, and from the last one, where the run did not end before (then from
  // the first, too). Both steps are checkpoints.
  std::optional<AttentionLimit> lock_in, limit;
  double seconds = 0;
};

// Deterministic, but for a budget that ends it. `progress` hears of steps; may be empty.
AttentionTraining train_attention(const AttentionStage& stage, const AttentionOptimum& optimum,
                                  const AttentionTrainingRequest& request, const Budget& budget,
                                  const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

}  // namespace attest
