// Mirror descent at some of its steps: see claims/mirror/run.hpp.
#include "proofs/checker/claims/mirror/run.hpp"

namespace attest_check {
namespace {

void require_direction(const Claim& claim, const MirrorCheckpoint& stated, const MirrorReplay& run,
                       const MirrorDirection& direction, const std::string& at) {
  const std::vector<Interval>& u = direction.entries;
  const Interval along = inner_product(run.dual(), u);
  if (stated.along) require_within(claim, along, *stated.along, "along" + at);
  if (stated.bregman)
    require_within(claim, Interval(1) - along / run.dual_norm(), *stated.bregman, "bregman" + at);
  if (!stated.one_minus_corr) return;
  const std::vector<Interval>& w = run.primal();
  const Interval lengths = square_root(inner_product(w, w) * inner_product(u, u));
  require_within(claim, Interval(1) - inner_product(w, u) / lengths, *stated.one_minus_corr,
                 "one-minus-corr" + at);
}

void require_checkpoint(const Claim& claim, const MirrorCheckpoint& stated, const MirrorReplay& run,
                        const std::optional<MirrorDirection>& direction) {
  const std::string at = " at step " + std::to_string(stated.at);
  require_within(claim, run.norm(), stated.norm, "norm" + at);
  require_within(claim, run.dual_norm(), stated.dual_norm, "dual-norm" + at);
  require_within(claim, run.loss_gap(), stated.loss_gap, "loss-gap" + at);
  require_within(claim, run.unselected(), stated.unselected, "unselected" + at);
  if (!stated.directed()) return;
  claim.require(direction.has_value(), "a correlation" + at + " with a solution that is not cited");
  require_direction(claim, stated, run, *direction, at);
}

// What T13 compares of an iterate with the next one.
struct BeforeStep {
  explicit BeforeStep(const MirrorReplay& run)
      : dual(run.dual()),
        primal(run.primal()),
        sum(inner_product(primal, dual)),
        norm(run.norm()),
        dual_norm(run.dual_norm()) {}

  std::vector<Interval> dual, primal;
  Interval sum, norm, dual_norm;  // <W,Z>, ||W||_P, ||Z||_Q
};

// ||Z+|| - ||Z|| <= (1 + C ||W*||/||W||) <Z+ - Z, u> + r/||W||, r = D_psi*(Z+, Z) (MIRROR.md section 2);
// `conjugate` is 1/Q.
void require_inequality(const Claim& claim, const BeforeStep& before, const MirrorReplay& run,
                        const MirrorDirection& direction, const Interval& conjugate, const Interval& constant,
                        std::size_t t) {
  const BeforeStep now(run);
  std::vector<Interval> moved;
  for (std::size_t j = 0; j < now.dual.size(); ++j) moved.push_back(now.dual[j] - before.dual[j]);
  const Interval curved = (now.sum - before.sum) * conjugate - inner_product(before.primal, moved);
  const Interval left = now.dual_norm - before.dual_norm - curved / before.norm;
  const Interval factor = Interval(1) + constant * direction.norm / before.norm;
  claim.require_at_most(left.upper(), (factor * inner_product(moved, direction.entries)).lower(),
                        "T13's inequality at step " + std::to_string(t));
}

}  // namespace

void MirrorRun::read(Reader& in) {
  norm.read(in);
  if (!norm.strictly_convex()) in.bad("a potential is a power, of an exponent above 1");
  in.perhaps("from", from);
  in("steps", steps);
  in.perhaps("inequality", inequality);
  in.next(specification);
  start = read_start(in);
  read_checkpoints(in);
}

void MirrorRun::describe(const Claim&, Statement& say) const {
  say(norm);
  say.perhaps("from", from);
  say("steps", steps);
  say.perhaps("inequality", inequality);
  say(specification, words_of(start));
  describe_checkpoints(say);
}

void MirrorRun::require_readable(const Claim& claim) const {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  claim.require(claim.problem.features->outputs() == nullptr, "the head has several outputs");
  if (!inequality) return;
  claim.require(from.has_value(), "T13's inequality with a solution that is not cited");
  claim.require(!checkpoints.empty() && inequality->since < checkpoints.back().at,
                "T13's inequality is of no step before the last checkpoint");
}

std::unique_ptr<Fact> MirrorRun::check(const Claim& claim) const {
  require_readable(claim);
  auto fact = std::make_unique<MirrorRunFact>();
  fact->exponent = norm.exponent;
  fact->steps = specification;
  fact->start = start;
  std::optional<MirrorDirection> direction;
  if (from) direction.emplace(claim, cited_optimum(claim, norm, *from), working_bits());
  MirrorReplay run(claim.problem, norm.exponent, specification, start, working_bits());
  std::optional<BeforeStep> before;
  follow(claim, run, [&](std::size_t t, const MirrorCheckpoint* stated) {
    if (before)
      require_inequality(claim, *before, run, *direction, Interval(1 - 1 / norm.exponent, working_bits()),
                         Interval(inequality->constant, working_bits()), t - 1);
    if (stated != nullptr) {
      require_checkpoint(claim, *stated, run, direction);
      if (is_asked(claim, t)) fact->duals.emplace(t, run.dual());
    }
    if (inequality && t >= inequality->since) before.emplace(run);
  });
  return fact;
}

}  // namespace attest_check
