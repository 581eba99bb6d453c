// What is reported of a point (K,Q) that is known in balls: norms, singular values, correlations, margins,
// balancedness, alignment. All enclosures.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/factored/iteration.hpp"
#include "numerics/factored/limits.hpp"

namespace attest {

// Those that need a solution are not finite where there is none.
struct FactoredObservation {
  std::uint64_t step = 0;
  Ball norm, nuclear_norm;            // ||K Q'||_F, ||K Q'||_*
  Ball left_norm, right_norm;         // ||K||_F, ||Q||_F
  std::vector<Ball> singular_values;  // of K Q', min(d, e) of them, the largest first
  Ball one_minus_corr;                // with the Frobenius solution
  Ball one_minus_corr_nuclear;        // with the certified matrix of the nuclear problem
  Ball least_margin;                  // of the selection the run is seen from
  Ball margin_share_frobenius;        // that times the least ||W||_F over ||K Q'||_F: at most 1
  Ball margin_share_nuclear;          // the same in the nuclear norm
  Ball balance;                       // ||K'K - Q'Q||_F
  Ball balance_change;                // ||(K'K - Q'Q) - (K_0'K_0 - Q_0'Q_0)||_F
  Ball balance_step;                  // what the step from here adds to K'K - Q'Q, in the same norm
  Ball alignment;                     // <V,W>/(||V||_2 ||W||_*), V = -grad L(W): at most 1
  Ball loss_gap;                      // L - L*, L* the loss with all attention on the best scores
  Ball gradient_norm;                 // of both factors' gradients together
  Ball max_unselected;                // the largest 1 - s of the dominant tokens
  Ball off_limit;                     // and of those of the selection the run is seen from
  std::vector<Ball> unselected;       // by group of Features
  std::vector<bool> dominates;        // whether that token's logit is the largest for certain
  std::vector<std::size_t> dominant;  // which it is, of the data
};

class FactoredObserver {
 public:
  // `features` with the observations' bits; both must outlive the observer. `start` is (K_0,Q_0) enclosed.
  FactoredObserver(const Features& features, const FactoredSpec& spec, const FactoredLimits& limits,
                   const FactorColumns& left, const FactorColumns& right);

  // K Q', row-major.
  std::vector<Ball> product(const FactorColumns& left, const FactorColumns& right) const;
  // 1 - correlation with the solutions.
  Ball one_minus_corr(const std::vector<Ball>& w) const;
  Ball one_minus_corr_nuclear(const std::vector<Ball>& w) const;

  FactoredObservation observe(std::uint64_t step, const FactorColumns& left,
                              const FactorColumns& right) const;

 private:
  using Square = std::vector<Ball>;
  Square balance(const FactorColumns& left, const FactorColumns& right) const;
  void attend(FactoredObservation& seen, const std::vector<FeatureWeights>& weights) const;
  void measure_gradient(FactoredObservation& seen, const FactorColumns& left, const FactorColumns& right,
                        const std::vector<Ball>& velocity, const std::vector<Ball>& w) const;
  Ball correlation_gap(const std::vector<Ball>& w, const std::vector<Ball>& u) const;

  const Features& features_;
  const FactoredSpec& spec_;
  const FactoredLimits& limits_;
  long bits_;
  Square start_balance_;
};

}  // namespace attest
