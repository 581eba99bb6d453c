#include "numerics/joint/mirror.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/mirror/entry_errors.hpp"
#include "numerics/runs/ball_run.hpp"

namespace attest {
namespace {

constexpr long radius_bits = 64;

std::vector<Ball> dual_of(const ExactArray& array, std::size_t size, const Potential& potential, long bits) {
  std::vector<Ball> result(size);
  for (std::size_t k = 0; k < array.size(); ++k)
    result[k] = potential.gradient(Ball(array.exact(k), bits), bits);
  return result;
}

std::vector<Ball> primal_of(const std::vector<Ball>& dual, const Potential& potential, long bits) {
  std::vector<Ball> result;
  for (const Ball& entry : dual) result.push_back(potential.inverse_gradient(entry, bits));
  return result;
}

// x + factor y, entry by entry.
void move(std::vector<Ball>& x, const Ball& factor, const std::vector<Ball>& y, long bits) {
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = add(x[k], mul(factor, y[k], bits), bits);
}

}  // namespace

JointMirror::JointMirror(const JointFeatures& features, const JointSpec& spec, const JointStart& start)
    : JointTraining(features, spec),
      potential_(*spec.exponent),
      dual_(dual_of(start.attention, features.d * features.e, potential_, features.bits)),
      decoder_dual_(dual_of(start.decoder, features.decoder_dimension, potential_, features.bits)) {}

// Both gradients, from the weights of all tokens.
void JointMirror::pull() {
  const std::size_t d = features_.d, e = features_.e, dimension = features_.decoder_dimension;
  velocity_.assign(d * e, Ball());
  decoder_velocity_.assign(dimension, Ball());
  for (std::size_t i = 0; i < features_.groups.size(); ++i) {
    const JointGroup& group = features_.groups[i];
    const std::size_t tokens = group.tokens.size();
    for (std::size_t j = 0; j < d; ++j) {
      const Ball pulled = dot(weights_[i].weight, {group.key_transposed.data() + j * tokens, tokens}, bits_);
      for (std::size_t k = 0; k < e; ++k) add_product(velocity_[j * e + k], pulled, group.query[k], bits_);
    }
    for (std::size_t j = 0; j < dimension; ++j)
      add_product(decoder_velocity_[j], weights_[i].slope,
                  dot(weights_[i].share, {group.value_transposed.data() + j * tokens, tokens}, bits_), bits_);
  }
}

IterationStatus JointMirror::dual_factor(const JointStep& step, const std::vector<Ball>& velocity,
                                         const char* whose, Ball& tau) {
  const bool still = all_zero(velocity);
  const Ball norm = step.normalised && !still ? potential_.dual_norm(velocity, bits_) : Ball();
  return factor(step, norm, still, whose, tau);
}

IterationStatus JointMirror::evaluate(long working_bits) {
  bits_ = working_bits;
  primal_ = primal_of(dual_, potential_, bits_);
  decoder_ = primal_of(decoder_dual_, potential_, bits_);
  if (!all_finite(primal_) || !all_finite(decoder_)) return IterationStatus::precision;
  std::vector<std::vector<Ball>> logits;
  for (const JointGroup& group : features_.groups) {
    std::vector<Ball> image;
    for (std::size_t j = 0; j < features_.d; ++j)
      image.push_back(dot({primal_.data() + j * features_.e, features_.e}, group.query, bits_));
    std::vector<Ball>& logit = logits.emplace_back();
    for (std::size_t t = 0; t < group.tokens.size(); ++t)
      logit.push_back(dot({group.key.data() + t * features_.d, features_.d}, image, bits_));
  }
  weights_ = features_.weigh(logits, decoder_, spec_.loss, bits_);
  pull();
  attention_norm_ = sqrt(dot(velocity_, velocity_, bits_), bits_);
  decoder_norm_ = sqrt(dot(decoder_velocity_, decoder_velocity_, bits_), bits_);
  if (all_zero(velocity_) && all_zero(decoder_velocity_)) return IterationStatus::stationary;
  const IterationStatus attention =
      dual_factor(spec_.attention, velocity_, "the attention", attention_factor_);
  if (attention != IterationStatus::ok) return attention;
  return dual_factor(spec_.decoder, decoder_velocity_, "the decoder", decoder_factor_);
}

// log2 of the largest radius of both.
double JointMirror::reach() const {
  return std::max(log2_radius(dual_), log2_radius(decoder_dual_));
}

IterationStatus JointMirror::advance() {
  const double before = reach();
  move(dual_, attention_factor_, velocity_, bits_);
  move(decoder_dual_, decoder_factor_, decoder_velocity_, bits_);
  ++step_;
  if (!all_finite(dual_) || !all_finite(decoder_dual_)) return IterationStatus::precision;
  if (std::isfinite(before)) growth_bits_ += std::max(0.0, reach() - before);
  return IterationStatus::ok;
}

IterationStatus JointMirror::advance_unproved(std::uint64_t stride) {
  const double so_far = growth_bits_;
  if (step_ % stride == 0) {
    JointMirror near = *this;
    widen_for_pilot({&near.dual_, &near.decoder_dual_});
    if (near.evaluate(bits_) == IterationStatus::ok && near.advance() == IterationStatus::ok)
      growth_bits_ += static_cast<double>(stride) * (near.growth_bits_ - so_far);
  }
  const double kept = growth_bits_;
  const IterationStatus status = advance();
  growth_bits_ = kept;
  make_exact(dual_);
  make_exact(decoder_dual_);
  return status;
}

long JointMirror::correct_bits() const {
  long least = 1L << 30;
  for (const std::vector<Ball>* x : {&primal_, &decoder_}) {
    Ball square, error;
    for (const Ball& entry : *x) {
      Ball radius;
      arf_set_mag(arb_midref(radius.raw()), arb_radref(entry.raw()));
      add_product(error, radius, radius, radius_bits);
      add_product(square, entry, entry, radius_bits);
    }
    if (arb_is_zero(error.raw()) != 0) continue;
    const Ball bits =
        div(log(div(square, error, radius_bits), radius_bits), log(Ball(4), radius_bits), radius_bits);
    least = std::min(least, bits.is_finite() ? static_cast<long>(std::floor(bits.lower_double())) : 0L);
  }
  return least;
}

double entrywise_growth(const JointData& joint, JointSpec spec, const JointStart& start, std::uint64_t steps,
                        const Budget& budget) {
  spec.exponent = 2;  // its mirror descent is gradient descent
  const JointFeatures ahead(joint, GrowthPilot::bits);
  JointMirror guess(ahead, spec, start);
  return growth_pilot(guess, steps, budget).whole;
}

}  // namespace attest
