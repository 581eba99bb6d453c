#include "numerics/forever/span_residual.hpp"

#include "numerics/forever/region_bounds.hpp"

namespace attest {
namespace {

// A lower bound of the least eigenvalue of S's Gram matrix that a checker can prove again: an eighth below.
double provable_eigenvalue(const SupportFacts<BallNumber>& support) {
  arf_t low;
  arf_init(low);
  arb_get_lbound_arf(low, support.least_eigenvalue.ball().raw(), 24);
  const double bound = 0.875 * arf_get_d(low, ARF_RND_DOWN);
  arf_clear(low);
  return bound;
}

}  // namespace

std::optional<ForeverProof> prove_span_residual(const SelectionFacts<BallNumber>& facts,
                                                const SupportFacts<BallNumber>& support,
                                                const StartPoint<BallNumber>& start,
                                                const ForeverProof& region) {
  const bool global = region.theorem == ForeverTheorem::absorbing;
  const auto bounds = factor_bounds(facts, region.constants, global);
  if (!bounds) return std::nullopt;
  const BallNumber one(1.0), two(2.0), four(4.0);
  const BallNumber path(region.constants.path), step(region.constants.step);
  const BallNumber speed =
      global ? facts.margin : facts.margin - BallNumber(region.constants.outside) * facts.norm_bound;
  const double eigenvalue = provable_eigenvalue(support);
  if (!positive(speed) || !(eigenvalue > 0)) return std::nullopt;

  std::optional<BallNumber> bottom;              // min_S blo e^-r
  BallNumber top(0.0), widest(0.0), share(0.5);  // sum_S bhi e^-r, E_S, mu_min
  BallNumber far(0.0);                           // Lambda_U
  for (std::size_t c = 0; c < facts.constraints.size(); ++c) {
    const ConstraintFacts<BallNumber>& k = facts.constraints[c];
    if (k.active) {
      const BallNumber scale = exp(-start.offsets[c]), low = bounds->low[c] * scale;
      bottom = bottom ? fmin(*bottom, low) : low;
      top += bounds->high[c] * scale;
      widest = fmax(widest, k.spread);
      share = fmin(share, k.share);
      continue;
    }
    // kappa_c = beta_c (1 - 1/(1 + z)), which nearly minimises J_c.
    const BallNumber q = k.spread * k.spread * path / (four * k.excess), z = (q + sqrt(q * (q + four))) / two;
    const BallNumber weight =
        bounds->high[c] * exp(z - start.offsets[c] - bounds->log_weight + k.excess * step / (one + z));
    far += k.spread * weight * (one + z) / (speed * k.excess);
  }
  const BallNumber spread = fmax(log(top / *bottom), BallNumber(0.0));                // A_S
  const BallNumber pull = share * sqrt(BallNumber(eigenvalue) / (one - share));       // kappa
  const BallNumber still = (spread + step * widest * widest / (two * speed)) / pull;  // X1
  const BallNumber bound = fmax(still, sqrt(two * step * pull * still / speed)) + far;
  if (!bound.ball().is_finite()) return std::nullopt;

  ForeverProof proof = region;
  proof.theorem = ForeverTheorem::span_residual;
  proof.region = region.theorem;
  proof.rate = forever_rate(region.steps.spec, true);
  proof.path_offset = bound * bound;
  proof.path_rate = BallNumber(0.0);
  proof.least_eigenvalue = BallNumber(eigenvalue);
  return proof;
}

}  // namespace attest
