// The attention stage's training where every entry of W is enclosed by itself, as a checker may do
// (NEXT_TOKEN.md section 7): how much wider the enclosures become.
#pragma once

#include <vector>

#include "numerics/next_token/attention_stage.hpp"

namespace attest {

// A number and the width of its enclosure, which operations add up as intervals do. Exponents of long doubles
// hold what a step makes of large entries.
struct WideNumber {
  long double value = 0, width = 0;
};

class EntryGrowth {
 public:
  // From W = 0; `scale` is c, `step` is eta. The stage must outlive it.
  EntryGrowth(const AttentionStage& stage, double scale, double step);

  void advance();
  // log2 of the factor by which the widest of W's entries has grown, to first order and in floating point: a
  // guess. Not finite where floating point does not do.
  double bits() const { return bits_; }

 private:
  void pull(const StageGroup& group);

  const AttentionStage& stage_;
  const WideNumber scale_, step_;
  std::vector<WideNumber> entries_, velocity_;
  double bits_ = 0;
};

}  // namespace attest
