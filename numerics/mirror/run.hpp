// A validated run of mirror descent: the trajectory from W_0, what is observed of it against the solution of
// the margin problem in the potential's norm, and what is proved about all later steps (theory.md T13, T17).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numerics/mirror/iteration.hpp"
#include "numerics/mirror/limit.hpp"
#include "numerics/mirror/plan.hpp"
#include "numerics/mirror/region.hpp"
#include "numerics/norms/solution_matrix.hpp"
#include "numerics/runs/ball_run.hpp"

namespace attest {

// Enclosures at the exact W_t. Those that need the direction are 0 where there is none.
struct MirrorPoint {
  std::uint64_t step = 0;
  Ball norm;           // ||W_t||_P
  Ball dual_norm;      // ||Z_t||_Q
  Ball along;          // <Z_t, u>
  Ball bregman;        // D_psi(u, W_t/||W_t||_P) = 1 - <Z_t,u>/||Z_t||_Q
  Ball euclidean;      // 1 - <W_t,u>/(||W_t||_2 ||u||_2)
  Ball loss_gap;       // L(W_t) - L*, L* the loss with all attention on the best scores
  Ball gradient_norm;  // ||grad L(W_t)||_Q
  Ball max_unselected;
  std::vector<Ball> unselected;  // 1 - s of every kept group's dominant token
  Ball off_limit;                // max over groups of 1 - s of the limit's token
};

// T13 along a stretch of steps: the least C_0 that makes its inequality true, and the theorem's own at
// checkpoints.
struct MirrorInequality {
  LeastConstant needed;  // to = 0: no step with <Z_{t+1} - Z_t, u> > 0 for certain up to the end
  struct Own {
    std::uint64_t step = 0;
    Ball theorem, needed;
  };
  std::vector<Own> steps;
};

struct MirrorRecord : BallRunRecord<MirrorPoint, TraceRow> {
  std::vector<RateShape> shapes;  // of the Bregman correlation
  MirrorInequality inequality;
};

// What is proved for all steps from t0 on.
struct MirrorProof {
  std::uint64_t t0 = 0;
  MirrorRegion region;
};

// The last step against a matrix that solves the problem of its selection in another norm.
struct MirrorAgainst {
  Norm norm;
  std::string reason;  // why there is none; then the rest means nothing
  SolutionStanding standing = SolutionStanding::only;
  Rational gap;    // as of SolutionMatrix
  Ball bregman;    // D_psi(u, W/||W||_P), u the matrix divided by its P-norm
  Ball euclidean;  // 1 - <W,u>/(||W||_2 ||u||_2)
};

// How a checker may find the same, from a step that may be another one: a guess.
struct MirrorPlanned {
  std::uint64_t t0 = 0;
  MirrorPlan plan;
};

struct MirrorOutcome : BallRunOutcome {
  MirrorRecord record;
  std::optional<MirrorLimit> limit;    // of the selection the run is seen from
  std::string limit_reason;            // where there is none
  std::vector<Constraint> conflict;    // where it is infeasible: rows that no W satisfies together
  std::vector<MirrorAgainst> against;  // for each norm asked for
  std::optional<MirrorProof> proof;
  std::optional<MirrorPlanned> planned;

  bool settled() const;  // the selection at the last step is the limit's
};

struct MirrorOptions : BallRunOptions {
  bool until_forever = false;
  bool plan = false;          // for a certificate. Then until_forever means until there is one
  std::vector<Norm> against;  // with whose solutions the last step is compared
};

// `data` has a head of one output. The start: d x e exact entries, row-major; empty: zero.
MirrorOutcome mirror_run(const TokenData& data, const MirrorSpec& spec, const ExactArray& start,
                         const MirrorOptions& options);

}  // namespace attest
