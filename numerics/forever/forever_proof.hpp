// What a theorem about all later steps has established, with every constant, and the bounds it gives at any
// later step (DYNAMICS.md sections 4 to 9).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numerics/forever/start_point.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

// lock_in: T12 (gradient descent); lock_in_normalised: T12n; absorbing: T10 (or T9p's steps in T10's region);
// local_absorbing: T11; span_residual: T14 (in T10's or T11's region); bounded_residual: T15.
enum class ForeverTheorem {
  lock_in,
  lock_in_normalised,
  absorbing,
  local_absorbing,
  span_residual,
  bounded_residual
};

// "T12", "T12n", "T10", "T11", "T14", "T15".
const char* name(ForeverTheorem theorem);

// The free constants of T10, T11 (and so of T14) and T15: exact binary numbers chosen by search. A proof
// consists in checking them.
struct RegionConstants {
  std::vector<double> attention;  // eps_i: 1 - s_{i,alpha_i} <= eps_i, per group of the facts
  std::vector<double> output;     // phi_i: g_{i,alpha_i} - f_i <= phi_i (T10 only)
  double path = 0;                // M of the path inequality (T10, T11)
  double step = 0;                // h: bound of all later step lengths
  double outside = 0;             // rho_bar (T11, T15)
  double pull = 0;                // C1 (T11)
  double decay = 0;               // theta (T11)
  double reach = 0;               // dX (T15)
  std::vector<bool> inside;       // P, per constraint: a superset of S with positive gaps; the others are N
};

// The steps still to come from t0 on: their rule, schedule and sup_{t >= t0} eta_t = eta_t0 (schedules do not
// grow).
struct LaterSteps {
  OptimizerSpec spec;
  std::uint64_t start = 0;
  BallNumber largest{0.0};
  LaterSteps(const OptimizerSpec& optimizer, std::uint64_t t0);
  // A lower bound of sum_{t0 <= s < t} eta_s.
  BallNumber total_until(std::uint64_t t) const;
};

struct ForeverProof {
  ForeverTheorem theorem = ForeverTheorem::absorbing;
  std::uint64_t t0 = 0;
  LaterSteps steps{OptimizerSpec{}, 0};
  std::string rate;  // least shape the conclusion gives for 1 - cos(w_t, u), such as "1/t" or "1/log(t)^2"
  RegionConstants constants;                          // of T10, T11, T14, T15
  ForeverTheorem region = ForeverTheorem::absorbing;  // T14: whose region, T10's or T11's
  std::vector<BallNumber> floors;                     // T12, T12n: flo_i, with f_i >= flo_i for ever
  // T15: e_0 = sum of pull times Delta_c over S (constraint numbers of the facts): with it and the next bound
  // e_0 and p can be enclosed from rational numbers.
  std::vector<std::pair<std::size_t, BallNumber>> pull;
  // T14, T15: at most the least eigenvalue of S's Gram matrix; for T14 an exact number, on which the bound
  // rests.
  BallNumber least_eigenvalue{0.0};
  BallNumber gibbs{0.0};       // C (all but T15)
  BallNumber log_weight{0.0};  // K

  // Height: y_{t+1} - y_t >= growth eta_t, or, when logarithmic, y_t >= (1/gamma) log(e^{gamma y_0} + growth
  // sum eta).
  bool logarithmic = false;
  BallNumber margin{0.0}, start_height{0.0}, growth{0.0};
  // Residual: ||w_t - y_t u - p||^2 <= path_offset + path_rate (y_t - y_0), ||p|| = centre_norm.
  BallNumber centre_norm{0.0}, path_offset{0.0}, path_rate{0.0};
  // Margins: m_c(w_t) >= m_c(w_0) + gamma_c (y_t - y_0) - delta_c (start_distance + that residual bound); for
  // T14 with the residual bound of its region.
  BallNumber start_distance{0.0};
  std::vector<BallNumber> start_margins;

  // Lower bound of y_t, t >= t0.
  BallNumber height_at(std::uint64_t t) const;
  // Upper bound of 1 - cos(w_t, u), at most 2.
  BallNumber one_minus_cos_at(std::uint64_t t) const;
  // Upper bound of ||w_s - y_s u - p|| when y_s is `height`.
  BallNumber residual_at_height(const BallNumber& height) const;
  // Lower bound of m_c(w_s) over all later steps s >= t.
  BallNumber margin_at(const SelectionFacts<BallNumber>& facts, std::size_t constraint,
                       std::uint64_t t) const;
  // Upper bound of 1 - s_{i,alpha_i}(w_s) over all later steps s >= t; group of the facts.
  BallNumber unselected_at(const SelectionFacts<BallNumber>& facts, std::size_t group, std::uint64_t t) const;
  // Is every selected token's attention above 1/2 at all later steps s >= t? Certain, or false.
  bool dominates_after(const SelectionFacts<BallNumber>& facts, std::uint64_t t) const;
  // The least t >= t0, up to 10^17, for which that is proved.
  std::optional<std::uint64_t> dominates_from(const SelectionFacts<BallNumber>& facts) const;
};

// The shape of the bound (path_offset + path_rate y)/y^2 under this growth; `sharp` when path_rate = 0.
std::string forever_rate(const OptimizerSpec& spec, bool sharp);

}  // namespace attest
