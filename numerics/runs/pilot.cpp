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
  // At most `most` samples closer to each other than growth that changes evenly asks for.
  GrowthSamples(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                std::uint64_t most, const Budget& budget)
      : iteration_(make_iteration({geometry, spec, start, format, &budget})), closer_(most) {}

  // Called at every step; looks at every one of the first, then at one in four, of ever longer stretches, but
  // sooner where growth has just changed so much that a stretch would hide more than a few bits.
  void visit(std::uint64_t t, const std::vector<double>& coordinates) {
    if (failed_ || t < next_) return;
    const double before = iteration_->amplification_bits();
    failed_ = !step_from(t, coordinates);
    if (failed_) return;
    const double bits = iteration_->amplification_bits() - before;
    profile.sample(t, bits);
    const double changed = std::abs(bits - bits_);
    bits_ = bits;
    std::uint64_t stretch = 1 + t / 4;
    if (closer_ > 0 && changed * static_cast<double>(stretch) > hidden) {
      stretch = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(hidden / changed));
      --closer_;
    }
    next_ = t + stretch;
  }

  GrowthProfile profile;

 private:
  static constexpr FixedFormat format{6, 352};
  static constexpr double hidden = 8;

  bool step_from(std::uint64_t t, const std::vector<double>& coordinates) {
    Iteration::State state = iteration_->save();
    if (state.errors.size() != 1) return false;  // a state that is more than W
    FixedVector placed(format, coordinates.size());
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      if (!std::isfinite(coordinates[k]) || !fixed_from_rational(placed[k], Rational(coordinates[k]), format))
        return false;
    }
    state.errors[0] = Ball();  // each step is looked at alone
    state.step = t;
    state.coordinates = placed.limbs();
    if (iteration_->restore(state) != IterationStatus::ok || iteration_->evaluate() != IterationStatus::ok ||
        iteration_->advance() != IterationStatus::ok)
      return false;
    // Where even rounding is felt the bits are too few to tell how errors grow.
    return mag_cmp_2exp_si(iteration_->point().radius(), -100) < 0;
  }

  std::unique_ptr<Iteration> iteration_;
  std::uint64_t next_ = 0, closer_;
  double bits_ = 0;
  bool failed_ = false;
};

// As many steps of a plain run as take a second or two: products of all queries with all positions, and of
// tokens with images and weights.
std::uint64_t first_stretch(const RunGeometry& geometry) {
  constexpr double work = 4e9;
  const auto groups = static_cast<double>(geometry.groups.size()),
             d = static_cast<double>(geometry.dimension), rows = static_cast<double>(geometry.rows);
  return static_cast<std::uint64_t>(
      std::clamp(work / (2 * d * groups * groups + 4 * d * rows + 1), 16.0, 1e5));
}

}  // namespace

Pilot::Pilot(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
             const Budget& budget)
    : geometry_(geometry),
      spec_(spec),
      start_(start),
      budget_(budget),
      run_(geometry, spec, start, GradientForm::cancellation_free) {}

GrowthProfile Pilot::begin(std::uint64_t steps, const std::function<bool()>& stop) {
  horizon_ = first_stretch(geometry_);
  constexpr std::uint64_t plain_steps = 50;  // that take as long as a sample
  GrowthSamples growth(geometry_, spec_, start_, horizon_ / plain_steps, budget_);
  advance(std::min(steps, horizon_), stop,
          [&](const PlainRun<double>& run) { growth.visit(run.step(), run.coordinates()); });
  return std::move(growth.profile);
}

bool Pilot::go_on(std::uint64_t t, std::uint64_t steps, const std::function<bool()>& stop) {
  if (t < horizon_ || horizon_ >= steps) return false;
  while (horizon_ <= t) horizon_ *= 4;
  advance(std::min(steps, horizon_), stop, {});
  return true;
}

Selection Pilot::selection() {
  Selection selection(geometry_.data->groups(), 0);
  const std::vector<std::size_t> dominating = run_.dominating();
  for (std::size_t i = 0; i < geometry_.groups.size(); ++i)
    selection[geometry_.groups[i].original] = dominating[i];
  return selection;
}

std::optional<double> Pilot::largest_coordinate() const {
  double largest = 0;
  for (const double coordinate : run_.coordinates()) {
    if (!std::isfinite(coordinate)) return {};
    largest = std::max(largest, std::abs(coordinate));
  }
  return largest;
}

bool Pilot::stands_still() const {
  const std::vector<double>& moved = run_.coordinates();
  return run_.step() > 0 && std::all_of(moved.begin(), moved.end(), [](double x) { return x == 0; });
}

void Pilot::advance(std::uint64_t steps, const std::function<bool()>& stop,
                    const std::function<void(const PlainRun<double>&)>& visit) {
  const double left = budget_.remaining_seconds();
  const Budget share(left < 0 ? 0 : std::max(left / 10, 1e-3), 0);
  while (run_.step() < steps && !(stop && stop()) && !share.reached()) {
    budget_.poll();
    if (visit) visit(run_);
    if (run_.advance()) continue;
    end_ = run_.step();
    break;
  }
}

}  // namespace attest
