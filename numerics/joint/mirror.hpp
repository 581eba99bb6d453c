// Mirror descent on the attention's W and the decoder's v (papers.md D.joint), enclosed step by step: with
// the potential psi(x) = (1/P) sum |x_k|^P of entries,
//
//   grad psi(W_{t+1}) = grad psi(W_t) - tau_W grad_W L(W_t, v_t),   and v with tau_v likewise,
//
// each tau its own eta_t, or eta_t over the dual norm of its own gradient. Kept are enclosures of both dual
// matrices, so that errors grow by a few bits a step: what a run wants for many steps.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/joint/iteration.hpp"
#include "numerics/mirror/potential.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

// As JointIteration, whose `spec.exponent` is P.
class JointMirror : public JointTraining {
 public:
  JointMirror(const JointFeatures& features, const JointSpec& spec, const JointStart& start);

  IterationStatus evaluate(long bits);
  IterationStatus advance();
  IterationStatus advance_unproved(std::uint64_t stride);

  // Enclose v_t, ||W_t||^2 and <W_t, M>; after evaluate().
  const std::vector<Ball>& decoder() const { return decoder_; }
  Ball norm_squared() const { return dot(primal_, primal_, bits_); }
  Ball along(const std::vector<Ball>& matrix) const { return dot(primal_, matrix, bits_); }
  const std::vector<JointWeights>& over() const { return weights_; }

  long correct_bits() const;

 private:
  void pull();
  IterationStatus dual_factor(const JointStep& step, const std::vector<Ball>& velocity, const char* whose,
                              Ball& tau);
  double reach() const;

  Potential potential_;
  std::vector<Ball> dual_, decoder_dual_;
  // At the kept state.
  std::vector<Ball> primal_, decoder_;
  std::vector<Ball> velocity_;
};

// By how many bits errors grow over the steps of gradient descent on both, where every number is enclosed by
// itself: a guess, for checkers that do so.
double entrywise_growth(const JointData& joint, JointSpec spec, const JointStart& start, std::uint64_t steps,
                        const Budget& budget);

}  // namespace attest
