// Bounds of the derivative of an optimiser's step over a ball of parameters, in double precision with every
// rounding accounted for.
//
// With D = (derivative of V = -grad L) / ||V||, v = V/||V|| and s = tau ||V|| the step's length (Frobenius
// geometry), a rule's Jacobian is made of I, D and vv' (numerics/updates), and D = sum_i (z_i z_i') (x) C_i /
// ||V||, C_i = -sum_t omega_it x~_it x~_it' - kappa_i V_i V_i', where x~_it are the tokens centred at their
// softmax mean, omega_it = wt_i |l'| s_it (f_i - g_it), kappa_i = (l''/|l'|)/(wt_i |l'|). From C_i <= c_i I
// follows lmax(D) <= lmax(sum c_i z_i z_i') / ||V||: never a dense Jacobian. proofs/statements/RUNS.md
// section 6 has the derivation and the rounding analysis.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "numerics/numbers/parallel.hpp"
#include "numerics/runs/geometry.hpp"
#include "numerics/runs/update_rule.hpp"

namespace attest {

// What the bound needs to know about the centre of the ball, all in double. `unit` is an arbitrary common
// positive factor of everything derived from the gradient; it cancels.
struct JacobianPoint {
  std::vector<double> omega;  // per row: unit * omega_it, within 2^-50 |omega| + omega_slack of the centre's
  double omega_slack = 0;
  std::vector<double> attention;   // per row: s_it, absolute error 2^-50 (1 - s_i,reference)
  std::vector<double> unselected;  // per group: upper bound of unit * wt_i |l'(f_i)| (1 - s_i,reference),
                                   // within 1%; of cross-entropy of half of unit * sum_t |omega_it|
  std::vector<double>
      curvature;  // per group: (l''/|l'|) / (unit * wt_i |l'(f_i)|), relative error 2^-45; or infinite,
                  //   beyond double's range: the term is then left out and bounded by its norm
  // Of several outputs, per group: an upper bound of unit * the 2-norm of what the curvature of the loss adds
  // to -C_i, relative to (query_norm diameter)^2, where `curvature` leaves it out; else empty.
  std::vector<double> left_out;
  std::vector<double>
      velocity;  // groups x d: unit * V_i with V = sum_i V_i z_i', relative error 2^-50 a vector
  std::vector<double> velocity_z;      // groups x d: unit * V z_i, relative error 2^-50 a vector
  std::vector<std::size_t> reference;  // per group: the token of largest attention
  double velocity_error = 0;           // absolute Frobenius error of both beyond that
  double velocity_norm = 0;            // unit * ||V||_F, relative error 2^-45
};

// The ball, and the step from it.
struct StepReach {
  double logit_radius = 0;  // every difference of two logits of a group moves at most this much over the ball
  double step_length = 0;   // s at the centre, rounded up
  double gap_slack = 0;     // relative variation over the ball of L - L*, for rules that use it
  double eta = 0;           // eta_t for them, relative error 2^-45
};

class JacobianBound {
 public:
  // `geometry` and `budget` (may be null) must outlive the bound.
  explicit JacobianBound(const RunGeometry& geometry, const Budget* budget = nullptr);

  // Throws BudgetReached, which leaves nothing but guesses changed. Bounds that hold over the ball, or
  // nothing when it is too large for any (the gradient is not bounded away from zero on it). Where s (-lmin
  // D) is at most `most_fall`, its bound is not sharpened. Remembers spectral guesses from call to call; the
  // guesses only influence how sharp the bounds are.
  std::optional<StepDerivative> operator()(const UpdateRule& rule, const JacobianPoint& point,
                                           const StepReach& extent, double most_fall);

 private:
  // How far things are from those at the centre, over the ball and by rounding, in Frobenius norm or 2-norm.
  struct Slack {
    double velocity = 0;       // of V
    double derivative = 0;     // of sum_i (z_i z_i') (x) C_i
    double size = 0;           // a bound of that matrix's own 2-norm
    double direction = 0;      // of v, by rounding alone
    SpeedRange speed;          // ||V||
    std::vector<double> mass;  // per group: a bound of sum_t |omega_it|
  };
  // What the groups' C_i are made of.
  struct Parts {
    std::vector<double> rising, falling;  // bounds of lmax(C_i), -lmin(C_i) from traces of the signed parts
    std::vector<double> curved;           // the trace of kappa_i V_i V_i'
    std::vector<double> curvature;        // kappa_i, 0 where it is beyond double's range
    double rayleigh = 0;                  // v'Dv ||V||
  };
  double left_out_bound(const JacobianPoint& point, double step, double norm);
  std::optional<Slack> slack_over_ball(const JacobianPoint& point, const StepReach& extent) const;
  Parts centre(const JacobianPoint& point);
  double across_at_centre(const JacobianPoint& point, double rayleigh) const;
  double gram_bound(const std::vector<double>& c, double trace, double guess);
  double rising_bound(const JacobianPoint& point, const Parts& parts, const Slack& slack);
  // What one group's factorisation is made in.
  struct Room {
    std::vector<double> framed, matrix, factor;
  };
  double centre_group(std::size_t group, const JacobianPoint& point, Parts& parts);
  double group_bound(std::size_t group, double curvature, const JacobianPoint& point, double cheap,
                     Room& room) const;
  double falling_bound(const JacobianPoint& point, const std::vector<double>& curved, double norm);

  void poll() const {
    if (budget_ != nullptr && !on_helper_thread()) budget_->poll();
  }
  double search_shift(const std::vector<double>& matrix, std::vector<double>& factor, std::size_t size,
                      double guess, double most) const;

  const RunGeometry* geometry_;
  const Budget* budget_;
  std::vector<double> guess_;  // per group: last proved c_i / ||V||
  double gram_guess_ = 0;      // last proved lmax(sum c_i z_i z_i') / ||V||
  double left_out_guess_ = 0;  // and of the bounds left out
  double falling_guess_ = 0;   // last proved -lmin of the derivative of V over ||V||
  std::vector<double> centred_, matrix_, factor_, product_;
};

}  // namespace attest
