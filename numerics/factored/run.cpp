#include "numerics/factored/run.hpp"

#include <algorithm>
#include <cmath>

namespace attest {
namespace {

constexpr long observed_guard = 96;

GrowthPilot fly(const TokenData& data, const FactoredSpec& spec, const FactoredStart& start,
                std::uint64_t steps, const Budget& budget) {
  const Features features(data, GrowthPilot::bits);
  FactoredIteration run(features, spec, start);
  GrowthPilot pilot = growth_pilot(run, steps, budget);
  pilot.selection.assign(data.groups(), 0);
  const std::vector<std::size_t> dominant = run.dominant();
  for (std::size_t i = 0; i < dominant.size(); ++i)
    pilot.selection[features.groups[i].original] = dominant[i];
  return pilot;
}

class FactoredAttempt {
 public:
  FactoredAttempt(const TokenData& data, const Features& features, const Features& observed,
                  const FactoredSpec& spec, const FactoredStart& start, const BallRunOptions& options,
                  const GrowthPilot& pilot, const StepBits& bits, const Budget& budget,
                  FactoredOutcome& outcome)
      : data_(data),
        features_(features),
        observed_(observed),
        spec_(spec),
        options_(options),
        pilot_(pilot),
        bits_(bits),
        budget_(budget),
        outcome_(outcome),
        run_(features, spec, start),
        observer_(observed, spec, outcome.limits, run_.left(observed.bits), run_.right(observed.bits)) {}

  // How the trajectory ended; `outcome.reason` says more of range and time.
  RunEnding follow() {
    return follow_planned(
        run_, pilot_, bits_, options_, budget_, outcome_, [&] { return observe(); }, [&] { return false; },
        [&] { finish(); });
  }

 private:
  // False when the enclosure has not the bits wanted.
  bool observe() {
    const std::uint64_t t = run_.step();
    FactoredRecord& record = outcome_.record;
    const long correct = run_.correct_bits();
    if (t > 0 && options_.precision == 0 && correct < options_.bits) return false;
    if (t > 0) record.correct_bits = std::min(record.correct_bits, correct);
    record.step = t;
    const bool traced = t % record.trace_stride == 0, kept = is_checkpoint(t, options_.steps);
    if (!traced && !kept) return true;
    const FactorColumns left = run_.left(observed_.bits), right = run_.right(observed_.bits);
    if (kept) add_checkpoint(left, right);
    if (traced) record_trace(left, right, correct);
    return true;
  }

  void add_checkpoint(const FactorColumns& left, const FactorColumns& right) {
    FactoredObservation seen = observer_.observe(run_.step(), left, right);
    const auto later =
        factored_later_steps(data_, observed_, spec_, outcome_.limits, seen, outcome_.proof_reason);
    if (later) {
      outcome_.proof = FactoredProof{run_.step(), *later};
      if (!outcome_.first_proof) outcome_.first_proof = run_.step();
    }
    outcome_.record.checkpoints.push_back(std::move(seen));
  }

  void record_trace(const FactorColumns& left, const FactorColumns& right, long correct) {
    FactoredRecord& record = outcome_.record;
    const std::vector<Ball> w = observer_.product(left, right);
    FactoredTraceRow traced;
    TraceRow& row = traced.row;
    row.step = run_.step();
    row.norm = sqrt(dot(w, w, 64), 64).approx_mid();
    const Ball corr = observer_.one_minus_corr(w), nuclear = observer_.one_minus_corr_nuclear(w);
    const auto low = [](const Ball& gap) { return std::max(0.0, gap.lower_double()); };
    row.one_minus_corr_lo = corr.is_finite() ? low(corr) : 0;
    row.one_minus_corr_hi = corr.is_finite() ? corr.upper_double() : 2;
    traced.nuclear_lo = nuclear.is_finite() ? low(nuclear) : 0;
    traced.nuclear_hi = nuclear.is_finite() ? nuclear.upper_double() : 2;
    row.log2_radius = -static_cast<double>(std::min(correct, 100000L));
    record.trace.push_back(traced);
    thin_trace(record.trace, record.trace_stride, options_.max_trace_rows,
               [](const FactoredTraceRow& old) { return old.row.step; });
  }

  // The selection and the factors at the last step, and that step as a checkpoint.
  void finish() {
    FactoredRecord& record = outcome_.record;
    outcome_.selection.assign(data_.groups(), std::nullopt);
    if (run_.step() != record.step) return;
    outcome_.left = run_.left(observed_.bits);
    outcome_.right = run_.right(observed_.bits);
    if (record.checkpoints.empty() || record.checkpoints.back().step != record.step)
      add_checkpoint(outcome_.left, outcome_.right);
    const FactoredObservation& last = record.checkpoints.back();
    for (std::size_t i = 0; i < data_.groups(); ++i) {
      for (std::size_t t = 0; t < data_.tokens(i); ++t) {
        if (data_.different(i) == 1 && data_.present(i, t)) outcome_.selection[i] = t;
      }
    }
    for (std::size_t i = 0; i < last.dominant.size(); ++i) {
      if (last.dominates[i]) outcome_.selection[features_.groups[i].original] = last.dominant[i];
    }
  }

  const TokenData& data_;
  const Features& features_;
  const Features& observed_;
  const FactoredSpec& spec_;
  const BallRunOptions& options_;
  const GrowthPilot& pilot_;
  const StepBits& bits_;
  const Budget& budget_;
  FactoredOutcome& outcome_;
  FactoredIteration run_;
  FactoredObserver observer_;
};

// Attempts until one stands, seen from the selection it leads to.
void attempt_until_proved(const TokenData& data, const FactoredSpec& spec, const FactoredStart& start,
                          const BallRunOptions& options, const Budget& budget, FactoredOutcome& outcome) {
  GrowthPilot pilot = fly(data, spec, start, options.steps, budget);
  const Features observed(data, options.bits + observed_guard);
  repeat_attempts(
      pilot, options, outcome,
      [&](const StepBits& bits) {
        outcome.first_proof.reset();
        const Features features(data, outcome.precision_bits);
        return FactoredAttempt(data, features, observed, spec, start, options, pilot, bits, budget, outcome)
            .follow();
      },
      [&](const Selection& selection) { outcome.limits = factored_limits(data, selection, budget); });
}

}  // namespace

bool FactoredOutcome::settled() const {
  return attest::settled(selection, limits.selection);
}

FactoredOutcome factored_run(const TokenData& data, const FactoredSpec& spec, const FactoredStart& start,
                             const BallRunOptions& options) {
  return timed_run<FactoredOutcome>(data, options, [&](const Budget& budget, FactoredOutcome& outcome) {
    if (const auto reason = too_many_differences(data, "training (K,Q)", "training of W itself")) {
      outcome.reason = *reason;
      return;
    }
    const auto entries = static_cast<double>(data.left_dimension * data.right_dimension);
    const auto factors = static_cast<double>((data.left_dimension + data.right_dimension) * spec.rank);
    budget.reserve(entries * (24 * static_cast<double>(constraint_count(data)) + 2000) + 4000 * factors,
                   "training (K,Q)");
    attempt_until_proved(data, spec, start, options, budget, outcome);
  });
}

}  // namespace attest
