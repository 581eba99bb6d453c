// A validated joint run: pilot, precision, trajectory of the pair, and what is observed of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numerics/joint/region.hpp"
#include "numerics/runs/ball_run.hpp"

namespace attest {

// Enclosures at one step. Those that need a solution are not finite where there is none.
struct JointPoint {
  std::uint64_t step = 0;
  Ball norm, decoder_norm;           // ||W||_F, ||v||
  std::vector<Ball> one_minus_corr;  // of W, by problem of JointLimits::attention
  Ball decoder_one_minus_corr;       // of v
  Ball decoder_margin;               // least Y_i x_{i,selected}'v/||v||
  Ball loss;                         // training loss
  Ball least_output;                 // least label margin Y_i v'X_i's_i over ||v||
  std::vector<Ball> unselected;      // 1 - s of each sequence's dominant token
  Ball max_unselected;
  Ball attention_gradient, decoder_gradient;  // at the kept point
};

// Least constants of papers.md C.joint: 1 - corr <= c shape(t), or loss <= exp(-c t^(1/3)) (the largest c).
struct JointShape {
  std::string of;    // "attention plain", "decoder", "loss"
  std::string name;  // "1/log(t)", "exp(-c t^(1/3))"
  LeastConstant constant;
};

// One row for plots.
struct JointTraceRow {
  std::uint64_t step = 0;
  double norm = 0, decoder_norm = 0, decoder_lo = 0, decoder_hi = 0, loss = 0;
  std::vector<double> lo, hi;  // of 1 - corr, by problem
};

struct JointRecord : BallRunRecord<JointPoint, JointTraceRow> {
  std::vector<JointShape> shapes;
};

struct JointProof {
  std::uint64_t t0 = 0;
  JointRegion region;
};

struct JointOutcome : BallRunOutcome {
  JointRecord record;
  JointLimits limits;
  std::optional<JointProof> proof;

  bool settled() const;  // the selection at the last step is that of `limits`
  // The problem whose direction W is certainly nearest to at the last step; "A or B", where these may have
  // one solution and every other is certainly farther. Nothing unless the correlation with every problem that
  // applies is enclosed or the problem is infeasible, and one is certainly farther or alone; and unless the
  // decoder has a direction to tend to, for which problems apply depends on it.
  std::optional<std::string> nearest() const;
};

struct JointOptions : BallRunOptions {
  bool until_forever = false;
};

// Why a run on such data is not followed; nothing where it is.
std::optional<std::string> joint_run_excluded(const TokenData& data);

// `joint.data` has no offsets.
JointOutcome joint_run(const JointData& joint, const JointSpec& spec, const JointStart& start,
                       const JointLimitsOf& limits_of, const JointOptions& options);

}  // namespace attest
