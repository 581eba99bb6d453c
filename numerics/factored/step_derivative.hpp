// Upper bounds of the derivative of a step on (K,Q) over a ball, in doubles with every rounding accounted for
// (proofs/statements/FACTORED.md section 3).
//
// Coordinates are the logits of all tokens but the first of their groups; the derivative of coordinate k in K
// is dx_k q_k', in Q it is z_k (K'dx_k)', q = Q'z. Their Gram matrices and the derivative S of the gradient
// weights make the step's derivative but for a term of norm tau ||V||, and its norm is found among matrices
// of the coordinates' number.
#pragma once

#include <Eigen/Dense>
#include <optional>
#include <vector>

#include "numerics/mirror/features.hpp"

namespace attest {

// A point, as doubles: entries within 2^-52 of themselves and 2^-60 of the largest of their vector.
struct FactoredPoint {
  std::size_t rank = 0;
  bool normalised = false;
  double eta = 0;
  double ratio = 1;  // tau_Q/tau_K; 1 unless normalised
  // By group (in the order of Features::groups) and token.
  std::vector<std::vector<double>> weight;  // tau_K v_t
  std::vector<std::vector<double>> share;   // s_t
  std::vector<std::vector<double>> output;  // s_t (g_t - f)
  std::vector<double> curvature;            // l''/|l'|
  Eigen::MatrixXd query_image;              // groups x m: q_i = Q'z_i
  Eigen::MatrixXd token_image;              // coordinates x m: K'(x_t - x_first)
  // Of normalised steps: both gradients over their norms, d x m and e x m.
  Eigen::MatrixXd left_direction, right_direction;
};

class StepDerivativeBound {
 public:
  explicit StepDerivativeBound(const Features& features);

  // Bounds the norm of the step's derivative at every point within `radius` (Frobenius norm of both factors)
  // of a (K,Q) with this FactoredPoint; nothing where the ball is too large for any bound.
  std::optional<double> operator()(const FactoredPoint& point, double radius) const;

 private:
  struct Weights {
    Eigen::MatrixXd derivative;  // S tau_K
    Eigen::MatrixXd size;        // sums of the sizes of the terms that make its entries
  };
  // Of the normalised blocks: how the coordinates' derivatives lie to the gradient's direction.
  struct Blocks {
    std::vector<Eigen::MatrixXd> gram;
    std::vector<Eigen::VectorXd> along;
  };
  Weights weights(const FactoredPoint& point) const;
  Blocks blocks(const FactoredPoint& point) const;
  std::optional<double> slack(const FactoredPoint& point, double radius, double velocity) const;
  double velocity_norm(const FactoredPoint& point) const;

  const Features& features_;
  Eigen::MatrixXd token_;           // coordinates x d: x_t - x_first
  Eigen::MatrixXd query_;           // groups x e
  Eigen::MatrixXd token_gram_;      // of token_
  std::vector<std::size_t> group_;  // of every coordinate
  std::vector<double> diameter_;    // per group: max ||x_t - x_u||
};

}  // namespace attest
