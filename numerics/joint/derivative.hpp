// A 2 x 2 bound of a joint step's derivative over a ball about the kept state: with errors (e, f) of (W, v)
//
//   ||e'|| <= attention ||e|| + from_decoder ||f|| + noise,   ||f'|| <= from_attention ||e|| + decoder ||f||
//   + noise.
//
// One number for the pair would have the decoder pay for every error of W, which hardly reaches it once the
// attention is nearly one-hot. In doubles with every rounding accounted for (proofs/statements/JOINT.md).
#pragma once

#include <Eigen/Dense>
#include <optional>
#include <vector>

#include "numerics/joint/features.hpp"

namespace attest {

struct JointDerivative {
  double attention = 1, from_decoder = 0, from_attention = 0, decoder = 1;
};

// What the derivative is made of: weights over the whole ball, tau at its middle.
struct JointJacobianPoint {
  const std::vector<JointWeights>* weights = nullptr;
  Ball attention_factor, decoder_factor;  // tau
  bool attention_normalised = false, decoder_normalised = false;
  Ball attention_eta, decoder_eta;
};

class JointDerivativeBound {
 public:
  explicit JointDerivativeBound(const JointFeatures& features);

  // Nothing where the enclosures are too wide for any bound.
  std::optional<JointDerivative> operator()(const JointJacobianPoint& point) const;

 private:
  struct Parts;
  bool fill(const JointJacobianPoint& point, Parts& parts) const;

  std::size_t coordinates_ = 0;         // all tokens but the first of their groups
  std::vector<std::size_t> first_;      // of each group
  Eigen::MatrixXd basis_;               // L: coordinates' features = L Q, Q with orthonormal rows
  double basis_error_ = 0;              // of L L' against the Gram matrix, Frobenius
  std::vector<Eigen::MatrixXd> value_;  // by group: tokens x decoder_dimension
  std::vector<Eigen::MatrixXd> apart_;  // by group: row t tokens + u is value t less value u, rounded once
};

}  // namespace attest
