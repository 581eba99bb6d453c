// T17: the limit of mirror descent for all later steps, from conditions at one point
// (proofs/statements/MIRROR.md).
//
// From W_0 let y_0 = <n,W_0>, a(y) = y u + p the ray through W_0 and E(W) = min_y D_psi(a(y), W), attained
// where zeta = <Z,u> = <grad psi(a(y)),u>. As long as E is below a function of zeta^r, r = max(1,
// Q-1), that is 0 at W_0, all margins and the weights' ranges are known for every y >= y_0; and if what a
// step adds to E is then at most what it adds to that function, that is so for ever. The function is built
// piece by piece.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "numerics/mirror/divergence.hpp"
#include "numerics/mirror/iteration.hpp"
#include "numerics/mirror/limit.hpp"

namespace attest {

// Constants for which every condition was verified; upper bounds unless said.
struct MirrorRegion {
  double energy = 0;         // M: E <= M (zeta^r - zeta_0^r)
  double concentration = 0;  // C
  double height = 0;         // y_0, lower bound
  double zeta = 0;           // zeta_0, lower bound
  double least_margin = 0;   // of all constraints at all later steps, lower bound
  double unselected = 0;     // max_i of 1 - s_i at all later steps
  double loss = 0;           // of the loss above its limit at all later steps
  double growth = 0;         // normalised: zeta grows by at least this times eta_t a step; else 0
  double direction = 0;      // c: 1 - <Z,u>/||Z||_Q <= c/zeta^power
  double power = 0;
  bool local = false;  // some token scores at least as well as the selected one
  std::string rate;    // of 1 - <Z,u>/||Z||_Q in t
};

// Tries T17's conditions, in doubles first and then, where these found constants that fit, in intervals with
// outward rounding: what is returned is proved.
class MirrorRegionProver {
 public:
  explicit MirrorRegionProver(const Rational& exponent);
  ~MirrorRegionProver();
  MirrorRegionProver(const MirrorRegionProver&) = delete;
  MirrorRegionProver& operator=(const MirrorRegionProver&) = delete;

  // From any W_0 between the balls (d x e entries); nothing, with the reason, where the conditions do not
  // hold. Throws BudgetReached.
  std::optional<MirrorRegion> operator()(const TokenData& data, const MirrorSpec& spec,
                                         const Potential& potential, const MirrorLimit& limit,
                                         const std::vector<Ball>& w0, const Budget& budget,
                                         std::string& reason);

 private:
  struct Tables;
  Exponents exponents_;
  std::unique_ptr<Tables> tables_;
};

}  // namespace attest
