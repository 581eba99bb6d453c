// P > 2: what a step's own curvature r = D_psi*(Z+V', Z) adds to E (MIRROR.md section 6), V' = tau V.
//
// psi* = |.|^Q/Q with Q < 2 is not smooth at 0. An entry whose W_j has kept a share of the ray's entry a_j
// costs its second derivative there times v_j^2; one that has not has used up energy, and costs at most
// c_Q |v_j|^Q. What V' may be is bounded by s = ||q - mu||_1/2, which Lemma 2 pays for with KL >= 2 s^2, and
// by what moves Sigma q_c Delta_c (Lemma 8).
#pragma once

#include <vector>

#include "numerics/mirror/region_data.hpp"

namespace attest {

// What one piece of heights knows.
struct StepFacts {
  std::vector<double> entries;  // lower bounds of |a_j|
  double energy = 0;            // upper bound of E
  double length = 0;            // of tau Om
  double speed = 0;             // lower bound of ||V||_Q/Om
  double outside = 0;           // rho
};

template <typename Number>
class StepCurvature {
 public:
  // `eta`: of the steps, where they are normalised; 0: plain.
  StepCurvature(const RegionData<Number>& data, double eta);

  // At least the supremum of r/(tau Om) - KL(mu|q).
  double operator()(const StepFacts& facts);

 private:
  struct Share {
    double keep, loss;  // theta, at most d(1, theta)
    Number curve;       // (Q-1)/2 theta^(2-P) times what the step may add to it
    Number reach;       // theta^(P-1)/2
  };
  void read_rows(const RegionData<Number>& data);
  void read_spread(const RegionData<Number>& data);
  void sort(const std::vector<double>& entries);
  void add_prefixes();
  void weigh_solid(const Share& share, const StepFacts& facts);
  void bound_variance();
  double at(std::size_t k, const Share& share, const StepFacts& facts, double best) const;
  double moving(std::size_t k, std::size_t m, double fixed, double moved, double cap,
                const StepFacts& facts) const;
  double soft(double fixed, double moved, double cap, const StepFacts& facts) const;

  Exponents exponents_;
  double eta_, constant_ = 0;  // c_Q
  Number gamma_;
  bool local_;
  std::vector<double> spreads_;                       // values of s
  std::vector<Share> shares_;                         // values of theta
  std::vector<double> mean_;                          // gamma |n_j|
  std::vector<std::vector<double>> centred_, outer_;  // |Delta_c - gamma n| on P; |Delta_c| on N
  std::vector<std::vector<double>> centred_power_, row_power_, pair_power_, outer_power_;  // to the Q
  std::vector<std::vector<double>> move_, move_power_;  // at each s: of |V_j|/Om, and to the Q
  std::vector<Number> multiplier_;                      // mu_c > 0, and Delta_c - gamma n of these
  std::vector<std::vector<Number>> active_;
  std::vector<double> tilts_, tilt_costs_;  // b and at least -b - log(1-b)
  std::vector<double> soft_variance_;       // least upper bounds of h' Sigma h over ||h||_P = 1
  // Of the entries in the order of |a_j|: sums over the first ones, or all but those.
  std::vector<std::size_t> order_;
  std::vector<double> last_entries_;
  std::vector<double> entry_power_, entry_gradient_;  // lower bounds of |a_j|^P, |a_j|^(P-1)
  std::vector<double> soft_mean_, soft_radius_, soft_diameter_, soft_row_, soft_outer_;
  std::vector<double> solid_mean_, solid_radius_, solid_outer_;
};
extern template class StepCurvature<double>;
extern template class StepCurvature<DoubleInterval>;

// At least the least c with d*(z, x) <= c |x|^Q for all z, and larger by some millionths only.
template <typename Number>
double hoelder_constant(const Exponents& exponents);

}  // namespace attest
