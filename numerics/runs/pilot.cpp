#include "numerics/runs/pilot.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "numerics/runs/iteration.hpp"
#include "numerics/runs/plain_run.hpp"

namespace attest {
namespace {

// The growth of errors along a run in doubles: one enclosed step from its point now and then, with few bits.
class GrowthSamples {
 public:
  GrowthSamples(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                const Budget& budget)
      : iteration_(make_iteration({geometry, spec, start, format, &budget})) {}

  // Called at every step; looks at every one of the first, then at one in four, of ever longer stretches.
  void visit(std::uint64_t t, const std::vector<double>& coordinates) {
    if (failed_ || t < next_) return;
    const double before = iteration_->amplification_bits();
    failed_ = !step_from(t, coordinates);
    if (!failed_) profile.sample(t, iteration_->amplification_bits() - before);
    next_ = t + 1 + t / 4;
  }

  GrowthProfile profile;

 private:
  static constexpr FixedFormat format{6, 352};

  bool step_from(std::uint64_t t, const std::vector<double>& coordinates) {
    Iteration::State state = iteration_->save();
    if (state.errors.size() != 1) return false;  // a state that is more than W
    FixedVector placed(format, coordinates.size());
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      if (!std::isfinite(coordinates[k]) || !fixed_from_rational(placed[k], Rational(coordinates[k]), format))
        return false;
    }
    state.step = t;
    state.coordinates = placed.limbs();
    if (iteration_->restore(state) != IterationStatus::ok || iteration_->evaluate() != IterationStatus::ok ||
        iteration_->advance() != IterationStatus::ok)
      return false;
    // Where even rounding is felt the bits are too few to tell how errors grow.
    return mag_cmp_2exp_si(iteration_->point().radius(), -100) < 0;
  }

  std::unique_ptr<Iteration> iteration_;
  std::uint64_t next_ = 0;
  bool failed_ = false;
};

}  // namespace

Pilot pilot_run(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                std::uint64_t steps, const std::function<bool()>& stop, const Budget& budget) {
  GrowthSamples growth(geometry, spec, start, budget);
  Pilot pilot;
  pilot.selection =
      guess_selection(geometry, spec, start, steps, stop, budget,
                      [&](const PlainRun<double>& run) { growth.visit(run.step(), run.coordinates()); });
  pilot.growth = std::move(growth.profile);
  return pilot;
}

}  // namespace attest
