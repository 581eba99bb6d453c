#include "numerics/forever/span_residual.hpp"

#include "numerics/forever/proof.hpp"
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

std::optional<ForeverProof> SpanResidual::prove(const TheoremPoint& point) {
  const SelectionFacts<BallNumber>& facts = point.facts;
  const StartPoint<BallNumber>& start = point.start;
  SpanResidual evidence;
  const auto* absorbing = point.region->by<Absorbing>();
  const auto* local = point.region->by<LocalAbsorbing>();
  if (absorbing != nullptr) {
    evidence.region = *absorbing;
  } else if (local != nullptr) {
    evidence.region = *local;
  } else {
    return std::nullopt;
  }
  const bool global = absorbing != nullptr;
  const RegionConstants& constants = evidence.constants();
  const auto bounds = factor_bounds(facts, constants, global);
  if (!bounds) return std::nullopt;
  const BallNumber one(1.0), two(2.0), four(4.0);
  const BallNumber path(constants.path), step(constants.step);
  const BallNumber speed =
      global ? facts.margin : facts.margin - BallNumber(constants.outside) * facts.norm_bound;
  evidence.least_eigenvalue = provable_eigenvalue(*point.support);
  if (!positive(speed) || !(evidence.least_eigenvalue > 0)) return std::nullopt;

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
  const BallNumber spread = fmax(log(top / *bottom), BallNumber(0.0));                          // A_S
  const BallNumber pull = share * sqrt(BallNumber(evidence.least_eigenvalue) / (one - share));  // kappa
  const BallNumber still = (spread + step * widest * widest / (two * speed)) / pull;            // X1
  const BallNumber bound = fmax(still, sqrt(two * step * pull * still / speed)) + far;
  if (!bound.ball().is_finite()) return std::nullopt;

  ForeverProof proof = *point.region;
  proof.path_offset = bound * bound;
  proof.path_rate = BallNumber(0.0);
  proof.region_rate = path;
  proof.theorem = std::move(evidence);
  return proof;
}

}  // namespace attest
