#include "numerics/updates/heavy_ball.hpp"

#include <cmath>
#include <limits>

#include "numerics/runs/feature_point.hpp"
#include "numerics/runs/gradient_step.hpp"
#include "numerics/updates/pair_error.hpp"

namespace attest {
namespace {

// The errors e of W~ and f of U~ obey f' = beta f + (F(W) - F(W~)) + noise, e' = e + f', where F = tau V
// moves by a derivative T with ||T + kept I|| <= spread over the ball: pair_error.hpp.
class HeavyBall final : public Iteration {
 public:
  explicit HeavyBall(const IterationStart& start)
      : spec_(start.spec),
        point_(start.geometry, start.spec.loss, start.start, start.format, start.budget),
        gradient_step_(start.geometry, start.spec, start.format, start.budget),
        velocity_(start.format, start.geometry.groups.size() * start.geometry.dimension),
        velocity_image_(velocity_),
        momentum_(start.spec.momentum, 64),
        momentum_above_(std::nextafter(mpq_get_d(start.spec.momentum.backend().data()), 1.0)),
        stored_momentum_(start.format, 1) {
    fixed_from_rational(stored_momentum_[0], start.spec.momentum, start.format);
  }

  IterationStatus evaluate() override { return point_.evaluate(); }
  IterationStatus advance() override;
  std::uint64_t step() const override { return step_; }
  const EnclosedPoint& point() const override { return point_; }
  double amplification_bits() const override { return amplification_bits_; }
  State save() const override;
  IterationStatus restore(const State& state) override;
  std::optional<State> state_in(FixedFormat format) const override;

 private:
  // The step's derivative as a disc: ||T + kept I|| <= spread.
  struct Disc {
    double kept = 0, spread = 0, growth_bits = std::numeric_limits<double>::infinity();
  };
  Disc best_disc(const StepDerivative& derivative) const;
  IterationStatus move_velocity(Magnitude& noise);
  State state_of(const FixedVector& position, const FixedVector& velocity) const;

  OptimizerSpec spec_;
  FeaturePoint point_;
  GradientStep gradient_step_;
  FixedVector velocity_, velocity_image_;  // U~ as coordinates, and U~ z_i
  FixedVector previous_velocity_;          // before the step that is being made
  double velocity_image_error_ = 0;        // ulps
  Ball momentum_;                          // encloses beta
  double momentum_above_;                  // at least beta
  FixedVector stored_momentum_;            // 1: beta, within 1 ulp
  PairError error_;
  std::uint64_t step_ = 0;
  double amplification_bits_ = 0;
};

// Discs about -kept for kept between 0 and the fall of T; the one by which errors grow least.
HeavyBall::Disc HeavyBall::best_disc(const StepDerivative& derivative) const {
  constexpr int parts = 16;
  const double fall = derivative.step * derivative.fall;
  Disc best;
  for (int k = 0; k <= parts; ++k) {
    Disc disc;
    disc.kept = fall * k / parts;
    disc.spread = spec_.rule->jacobian_norm(derivative, disc.kept);
    disc.growth_bits = error_.growth_bits(momentum_above_, disc.kept, disc.spread);
    const bool better = disc.growth_bits < best.growth_bits ||
                        (disc.growth_bits == best.growth_bits && disc.spread < best.spread);
    if (better) best = disc;
  }
  return best;
}

// U~ = beta U~ + tau V, rounded; noise bounds its distance to the exact value for this U~ and W~.
IterationStatus HeavyBall::move_velocity(Magnitude& noise) {
  const FixedFormat& format = point_.format();
  const RunGeometry& geometry = point_.geometry();
  double square = 0;
  for (std::size_t k = 0; k < velocity_.size(); ++k) {
    const double entry = fixed_to_double(velocity_[k], format);
    square += entry * entry;
    if (!fixed_multiply(velocity_[k], velocity_[k], stored_momentum_[0], format) ||
        !fixed_multiply(velocity_image_[k], velocity_image_[k], stored_momentum_[0], format))
      return IterationStatus::range;
    fixed_add(velocity_[k], velocity_[k], gradient_step_.coordinates()[k], format.limbs);
    fixed_add(velocity_image_[k], velocity_image_[k], gradient_step_.image()[k], format.limbs);
  }
  if (!fixed_has_headroom(velocity_) || !fixed_has_headroom(velocity_image_)) return IterationStatus::range;
  // An ulp of beta times each coordinate, and an ulp of rounding; as a matrix through the queries' Gram
  // matrix.
  const double size = static_cast<double>(velocity_.size());
  mag_set_d(noise, std::sqrt(geometry.gram_norm) * (std::sqrt(square) + std::sqrt(size)) * (1 + 0x1p-30));
  mag_mul_2exp_si(noise, noise, -format.fraction_bits);
  mag_add(noise, noise, gradient_step_.error());
  // Rounding of the product's coordinates through the Gram matrix, the image's own, and the increment's.
  velocity_image_error_ = momentum_above_ * velocity_image_error_ * (1 + 0x1p-40) + geometry.gram_row_sum +
                          1 + gradient_step_.image_error();
  return IterationStatus::ok;
}

IterationStatus HeavyBall::advance() {
  // Unlike plain descent, momentum pays for every part of the falling spectrum that is only feared.
  constexpr double negligible = 0x1p-10;
  const IterationStatus prepared = gradient_step_.prepare(point_, step_);
  if (prepared != IterationStatus::ok) return prepared;
  const auto derivative = gradient_step_.derivative(point_, negligible);
  if (!derivative) return IterationStatus::precision;
  const Disc disc = best_disc(*derivative);
  if (!std::isfinite(disc.growth_bits) || !std::isfinite(disc.spread)) return IterationStatus::precision;
  const IterationStatus multiplied = gradient_step_.multiply(point_);
  if (multiplied != IterationStatus::ok) return multiplied;
  Magnitude noise;
  previous_velocity_ = velocity_;
  const IterationStatus moved = move_velocity(noise);
  if (moved != IterationStatus::ok) {
    velocity_ = previous_velocity_;
    return moved;
  }
  bool in_range = point_.move(velocity_, velocity_image_, velocity_image_error_);
  if ((step_ + 1) % refresh_period == 0) {
    in_range = point_.images_of(velocity_, velocity_image_, velocity_image_error_) && point_.refresh_image();
  }
  if (!in_range) {
    point_.take_back(velocity_);
    velocity_ = previous_velocity_;
    return IterationStatus::range;
  }
  ++step_;
  error_.step(momentum_, disc.kept, disc.spread, noise);
  error_.first(point_.error());
  amplification_bits_ += disc.growth_bits;
  return IterationStatus::ok;
}

Iteration::State HeavyBall::save() const {
  return state_of(point_.coordinates(), velocity_);
}

Iteration::State HeavyBall::state_of(const FixedVector& position, const FixedVector& velocity) const {
  State state{step_, position.limbs(), {error_.ee(), error_.ef(), error_.ff()}};
  state.coordinates.insert(state.coordinates.end(), velocity.limbs().begin(), velocity.limbs().end());
  return state;
}

// Only with as many fraction bits, where nothing is rounded.
std::optional<Iteration::State> HeavyBall::state_in(FixedFormat format) const {
  if (format.fraction_bits != point_.format().fraction_bits) return std::nullopt;
  const std::optional<FixedVector> position = in_format(point_.coordinates(), format),
                                   velocity = in_format(velocity_, format);
  if (!position || !velocity) return std::nullopt;
  return state_of(*position, *velocity);
}

IterationStatus HeavyBall::restore(const State& state) {
  const std::size_t half = velocity_.limbs().size();
  if (state.coordinates.size() != 2 * half || state.errors.size() != 3) return IterationStatus::range;
  const auto middle = state.coordinates.begin() + static_cast<std::ptrdiff_t>(half);
  velocity_.limbs().assign(middle, state.coordinates.end());
  if (!error_.set(state.errors[0], state.errors[1], state.errors[2]) ||
      !point_.place({state.coordinates.begin(), middle}, state.step == 0) ||
      !point_.images_of(velocity_, velocity_image_, velocity_image_error_))
    return IterationStatus::range;
  step_ = state.step;
  error_.first(point_.error());
  return IterationStatus::ok;
}

}  // namespace

std::unique_ptr<Iteration> heavy_ball(const IterationStart& start) {
  return std::make_unique<HeavyBall>(start);
}

}  // namespace attest
