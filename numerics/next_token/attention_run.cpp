#include "numerics/next_token/attention_run.hpp"

#include <cmath>

namespace attest {
namespace {

constexpr long box_bits = 96;  // what is known of W_t takes no more

}  // namespace

AttentionRun::AttentionRun(const AttentionStage& stage, const Ball& scale, const Ball& step, long bits,
                           const Budget& budget)
    : budget_(&budget),
      step_size_(step),
      bits_(bits),
      kept_(stage.entry.size()),
      box_(stage.entry.size()),
      at_kept_(stage, scale, budget),
      around_(stage, scale, budget) {
  look();
}

void AttentionRun::look() {
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    arb_set(box_[k], kept_[k]);
    arb_add_error_mag(box_[k], radius_);
  }
  around_.evaluate(box_, box_bits);
}

bool AttentionRun::sharp() const {
  return mag_cmp_2exp_si(radius_, -40) < 0;
}

WorkingBall AttentionRun::norm() const {
  WorkingBall norm;
  for (const WorkingBall& x : kept_) arb_addmul(norm, x, x, bits_);
  arb_sqrt(norm, norm, bits_);
  arb_add_error_mag(norm, radius_);
  return norm;
}

WorkingBall AttentionRun::product(const std::vector<Rational>& direction) const {
  WorkingBall product, square;
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    if (direction[k] == 0) continue;
    const Ball entry(direction[k], bits_);
    arb_addmul(product, kept_[k], entry.raw(), bits_);
    arb_addmul(square, entry.raw(), entry.raw(), bits_);
  }
  arb_sqrt(square, square, bits_);
  Magnitude error;
  arb_get_mag(error, square);
  mag_mul(error, error, radius_);
  arb_add_error_mag(product, error);
  return product;
}

bool AttentionRun::advance() {
  const double expansion = around_.expansion(step_size_);
  obstacle_ = "the gradient near W is not kept from 0, or differs by more than double precision can say";
  if (!std::isfinite(expansion)) return false;
  at_kept_.evaluate(kept_, bits_);
  WorkingBall factor;
  arb_div(factor, step_size_.raw(), at_kept_.speed(), bits_);
  Magnitude part, rounding;
  mag_zero(rounding);
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    WorkingBall& entry = kept_[k];
    arb_addmul(entry, at_kept_.velocity()[k], factor, bits_);
    if (arb_is_finite(entry) == 0) return false;
    mag_addmul(rounding, arb_radref(static_cast<arb_ptr>(entry)), arb_radref(static_cast<arb_ptr>(entry)));
    mag_zero(arb_radref(static_cast<arb_ptr>(entry)));
  }
  mag_sqrt(rounding, rounding);
  mag_set_d(part, expansion);
  mag_mul(radius_, radius_, part);
  mag_add(radius_, radius_, rounding);
  ++t_;
  look();
  obstacle_ = "the steps have let errors grow to more than 2^-40";
  return sharp();
}

}  // namespace attest
