// What claims about runs that are replayed number by number share: checkpoints at increasing steps, and how a
// replay comes to them.
#pragma once

#include <algorithm>

#include "proofs/checker/claims/replays/stated_band.hpp"

namespace attest_check {

template <class Checkpoint>
struct ReplayedRun {
  std::size_t steps = 0, bits = 0;  // of the run; of its numbers
  std::vector<Checkpoint> checkpoints;

  unsigned working_bits() const { return static_cast<unsigned>(bits); }

  // The line "checkpoints N bits B", and those of the checkpoints.
  void read_checkpoints(Reader& in) {
    std::size_t count = 0;
    in.next("checkpoints", count, "bits", bits);
    if (bits < 64 || bits > 65536) in.bad("bits are from 64 to 65536");
    while (checkpoints.size() < count) {
      in.next(checkpoints.emplace_back());
      if (checkpoints.size() > 1 && checkpoints[checkpoints.size() - 2].at >= checkpoints.back().at)
        in.bad("checkpoints increase");
      if (checkpoints.back().at > steps) in.bad("a checkpoint after the last step");
    }
  }
  void describe_checkpoints(Statement& say) const {
    for (const Checkpoint& checkpoint : checkpoints) say(checkpoint);
  }

  // visit(t, stated) at every step up to the last checkpoint, `stated` the checkpoint at t, or null.
  template <class Replay, class Visit>
  void follow(const Claim& claim, Replay& run, Visit&& visit) const {
    auto next = checkpoints.begin();
    for (std::size_t t = 0; next != checkpoints.end(); ++t) {
      claim.begin_step(t, steps);
      run.evaluate();
      const bool here = next->at == t;
      visit(t, here ? &*next : nullptr);
      if (here) ++next;
      if (next != checkpoints.end()) run.advance(t);
    }
  }
};

// Does a later claim cite the run's point at this step?
inline bool is_asked(const Claim& claim, std::size_t step) {
  return std::count(claim.points_asked.begin(), claim.points_asked.end(), step) > 0;
}

}  // namespace attest_check
