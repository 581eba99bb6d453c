#include "numerics/next_token/attention_training.hpp"

#include "numerics/next_token/attention_run.hpp"
#include "numerics/next_token/entry_growth.hpp"
#include "numerics/numbers/clock.hpp"
#include "numerics/runs/record.hpp"

namespace attest {
namespace {

constexpr long first_entry_bits = 192, most_entry_bits = 6144;

Ball scale_of(const AttentionTrainingRequest& request, long bits) {
  return sqrt(Ball(request.squared_scale, bits + 16), bits + 16);
}

// One trajectory with given bits.
class TrainingAttempt {
 public:
  TrainingAttempt(const AttentionStage& stage, const AttentionOptimum& optimum,
                  const AttentionTrainingRequest& request, long bits, const Budget& budget)
      : stage_(stage),
        optimum_(optimum),
        request_(request),
        training_{BallNumber(scale_of(request, BallNumber::bits)), number(request.step)},
        run_(stage, scale_of(request, bits), Ball(request.step, bits + 16), bits, budget),
        growth_(stage, training_.scale.ball().approx_mid(), request.step.convert_to<double>()) {
    found_.bits = bits;
  }

  // False when the bits did not do; what budget ends it is thrown, and what was found stands.
  bool follow(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    observe();
    while (run_.step() < request_.steps) {
      if (!run_.advance()) return false;
      growth_.advance();
      observe();
      if (progress) progress(run_.step(), request_.steps);
    }
    if (found_.lock_in) conclude();
    return true;
  }

  // Why the bits did not do, and the way on.
  std::string why_it_stopped() const {
    const std::string last = std::to_string(found_.steps);
    return "precision: " + std::to_string(found_.bits) + " bits, the most there are, do not prove step " +
           std::to_string(found_.steps + 1) + ": " + run_.obstacle() +
           (found_.steps > 0 ? " (--steps " + last + " ends before it; " : " (") +
           "a smaller --attention-step comes further)";
  }

  AttentionTraining record() { return std::move(found_); }

 private:
  void observe() {
    found_.steps = run_.step();
    const bool locks_in = !found_.lock_in && conclude();
    if (locks_in) found_.lock_in = found_.limit;
    if (!locks_in && !is_checkpoint(run_.step(), request_.steps)) return;
    AttentionCheckpoint& at = found_.checkpoints.emplace_back();
    at.step = run_.step();
    at.entry_growth = growth_.bits();
    at.loss_gap = run_.point().loss_gap();
    at.norm = run_.norm();
    for (std::size_t i = 0; i < stage_.groups.size(); ++i)
      at.most_unselected = max(at.most_unselected, run_.point().unselected(i), BallNumber::bits);
    const BallNumber norm = sqrt(number(optimum_.norm_squared));
    at.one_minus_corr =
        (BallNumber(1.0) - BallNumber(run_.product(optimum_.entries)) / (norm * BallNumber(at.norm))).ball();
  }

  // What this step proves of the limit, if it does.
  bool conclude() {
    const auto here =
        AttentionLockIn::prove(stage_, training_, BallNumber(run_.point().loss_gap()), run_.step());
    if (!here) return false;
    AttentionLimit::Start start;
    for (const WorkingBall& entry : run_.entries()) start.entries.emplace_back(entry);
    const BallNumber norm = sqrt(number(optimum_.norm_squared)), whole{run_.norm()};
    start.height = BallNumber(run_.product(optimum_.entries)) / norm;
    start.residual = sqrt(whole * whole - start.height * start.height);
    auto limit = AttentionLimit::prove(stage_, optimum_, training_, *here, start);
    if (!limit) return false;
    found_.limit = std::move(limit);
    return true;
  }

  const AttentionStage& stage_;
  const AttentionOptimum& optimum_;
  const AttentionTrainingRequest& request_;
  StageTraining training_;
  AttentionRun run_;
  EntryGrowth growth_;
  AttentionTraining found_;
};

}  // namespace

AttentionTraining train_attention(const AttentionStage& stage, const AttentionOptimum& optimum,
                                  const AttentionTrainingRequest& request, const Budget& budget,
                                  const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const Clock::time_point start = Clock::now();
  AttentionTraining found;
  for (long bits = first_entry_bits;; bits *= 2) {
    std::optional<TrainingAttempt> attempt;
    try {
      attempt.emplace(stage, optimum, request, bits, budget);
      const bool done = attempt->follow(progress);
      if (!done && bits < most_entry_bits) continue;
      const std::string reason = done ? "" : attempt->why_it_stopped();
      found = attempt->record();
      found.reason = reason;
    } catch (const BudgetReached& reached) {
      if (attempt) found = attempt->record();
      found.reason = reached.reason;
    }
    found.seconds = seconds_since(start);
    return found;
  }
}

}  // namespace attest
