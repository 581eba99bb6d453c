// Mirror descent with the potential (1/P)||W||_P^P, enclosed step by step (papers.md D.md):
//
//   Z_{t+1} = Z_t - tau_t grad L(W_t),   Z = grad psi(W),   W = sign(Z)|Z|^(1/(P-1)) entry by entry,
//
// tau_t = eta_t, or eta_t / ||grad L(W_t)||_Q with the dual norm (normalised). What is kept is c with
// Z_t = Z_0 + sum_k c_k D_k, D_k = (x_t - x_first) z' over all tokens but the first of their groups: the
// iteration is c <- c + tau v(W), v the tokens' weights, and errors of c are in a frame that turns with them
// (error_frame.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/mirror/error_frame.hpp"
#include "numerics/mirror/features.hpp"
#include "numerics/mirror/potential.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/runs/enclosed_point.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

struct MirrorSpec {
  Rational exponent = 2;    // P > 1
  bool normalised = false;  // nmd; else md
  OptimizerSpec steps;      // schedule, step and loss
};

class MirrorIteration {
 public:
  // W_0 has d x e exact entries, row-major (empty: zero). References must outlive the iteration.
  MirrorIteration(const Features& features, const MirrorSpec& spec, const Potential& potential,
                  const ExactArray& start);

  // Evaluates the step at c~_t: once at every t, before advance().
  IterationStatus evaluate();
  IterationStatus advance();

  std::uint64_t step() const { return step_; }
  // Enclose Z_t and W_t, after evaluate().
  const std::vector<Ball>& dual() const { return dual_; }
  const std::vector<Ball>& primal() const { return primal_; }
  // ||W_t - W~||_F / ||W~||_F is at most 2^-correct_bits().
  long correct_bits() const { return correct_bits_; }
  double growth_bits() const { return frame_.growth_bits(); }
  // Encloses tau_t times the dual norm of -grad L(W~), and that norm; at W~, without the error of W~.
  const Ball& velocity_norm() const { return velocity_norm_; }

 private:
  // How far numbers at W_t may lie from those at W~.
  struct Variation {
    Eigen::VectorXd dual, primal;  // of entries of Z and W
    double logits = 0;
  };
  void enclose_errors();
  bool jacobian(Eigen::MatrixXd& result, double& slack) const;
  Eigen::MatrixXd weight_derivatives(double& size) const;
  bool wide_bound(const std::vector<Ball>& before, Eigen::VectorXd& bound) const;

  const Features& features_;
  const MirrorSpec& spec_;
  const Potential& potential_;
  std::vector<Ball> start_dual_;   // Z_0
  std::vector<Ball> coordinates_;  // c~: exact
  ErrorFrame frame_;
  std::uint64_t step_ = 0;
  // At W~.
  std::vector<Ball> kept_dual_, kept_primal_, velocity_;
  std::vector<FeatureWeights> weights_;
  Ball factor_, velocity_norm_;
  // At W_t.
  std::vector<Ball> dual_, primal_;
  Variation variation_;
  Eigen::VectorXd response_;  // dW/dZ of every entry at W~, 0 where no step moves it
  long correct_bits_ = 0;
};

}  // namespace attest
