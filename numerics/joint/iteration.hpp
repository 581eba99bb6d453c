// Joint training of the attention's W and the decoder's v (papers.md A.joint, C.joint), enclosed step by
// step:
//
//   W_{t+1} = W_t - tau_W grad_W L(W_t, v_t),   v_{t+1} = v_t - tau_v grad_v L(W_t, v_t),
//
// each tau its own eta_t, or eta_t over the norm of its own gradient. Kept are exact dyadic U and v~ with
// W~ = W_0 + sum_i U_i z_i', and bounds of the distance of W~ and v~ from W_t and v_t, moved by a 2 x 2
// matrix that bounds the step's derivative (derivative.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numerics/joint/derivative.hpp"
#include "numerics/joint/features.hpp"
#include "numerics/numbers/exact_array.hpp"
#include "numerics/runs/enclosed_point.hpp"
#include "numerics/runs/iteration_progress.hpp"

namespace attest {

// eta_t = step (t + 1)^power.
struct JointStep {
  bool normalised = false;
  Rational step = 1;   // > 0
  Rational power = 0;  // <= 0: 0 constant, -1 inverse, -1/2 inverse square root

  Ball at(std::uint64_t t, long bits) const;
};

struct JointSpec {
  Loss loss = Loss::logistic;
  JointStep attention, decoder;
  std::optional<Rational> exponent = {};  // P of mirror descent on both (mirror.hpp), > 1
};

// W_0 (d x e, row-major; empty: zero) and v_0 (empty: zero), exactly.
struct JointStart {
  ExactArray attention, decoder;
};

// What both iterations of the pair know of a step.
class JointTraining : public IterationProgress {
 public:
  // The token with the largest logit of every group; after evaluate().
  std::vector<std::size_t> dominant() const;
  // Euclidean norms of both gradients at the kept state; after evaluate().
  const Ball& attention_gradient() const { return attention_norm_; }
  const Ball& decoder_gradient() const { return decoder_norm_; }

 protected:
  // References must outlive the iteration.
  JointTraining(const JointFeatures& features, const JointSpec& spec);

  // tau of `whose` step, where `norm` is what normalised steps divide by and `still` says that it is zero.
  IterationStatus factor(const JointStep& step, const Ball& norm, bool still, const char* whose,
                         Ball& factor);

  const JointFeatures& features_;
  const JointSpec& spec_;
  // At the kept state.
  std::vector<JointWeights> weights_;
  std::vector<Ball> decoder_velocity_;  // -grad_v
  Ball attention_norm_, decoder_norm_, attention_factor_, decoder_factor_;
};

class JointIteration : public JointTraining {
 public:
  JointIteration(const JointFeatures& features, const JointSpec& spec, const JointStart& start);

  // The step at the kept state with so many bits: once at every t, before advance().
  IterationStatus evaluate(long bits);
  IterationStatus advance();
  // The same without error bounds, how errors grow measured at every `stride`-th step: where a run leads. A
  // guess.
  IterationStatus advance_unproved(std::uint64_t stride);

  // Enclose v_t, the images W_t z_i (groups x d), ||W_t||^2 and <W_t, M> for the d x e matrix M, of norm 1,
  // given by its images M z_i and <W_0, M>.
  std::vector<Ball> decoder() const;
  std::vector<Ball> images() const;
  Ball norm_squared() const;
  Ball along(const std::vector<Ball>& images_of, const Ball& start_product) const;
  Ball start_product(const std::vector<Ball>& matrix) const { return dot_or_zero(start_, matrix); }
  // What the exact point makes of the data, with 96 bits; after evaluate().
  const std::vector<JointWeights>& over() const;

  // Relative, of W and of v, the worse of the two.
  long correct_bits() const;

 private:
  Ball dot_or_zero(const std::vector<Ball>& x, const std::vector<Ball>& y) const;
  void pull();
  std::vector<JointWeights> weigh_ball() const;
  std::optional<JointDerivative> derivative() const;
  IterationStatus move(Ball& attention_noise, Ball& decoder_noise);

  JointDerivativeBound bound_;
  std::vector<Ball> start_, start_image_;   // W_0, W_0 z_i
  std::vector<Ball> coordinates_;           // U: groups x d, exact
  std::vector<Ball> decoder_;               // v~: exact
  Ball attention_radius_, decoder_radius_;  // exact, >= 0
  // At the kept state.
  std::vector<Ball> image_;
  std::vector<std::vector<Ball>> logits_;
  mutable std::vector<JointWeights> over_;  // over the ball, once asked for
  std::vector<Ball> pulled_;                // groups x d: sum_t v_t x_t
};

}  // namespace attest
