// T20: both limits of joint training at all later steps, from one point (proofs/statements/JOINT.md).
//
// Asked: both steps normalised with one schedule between constant and inverse, a loss with an exponential
// tail, every sequence a support vector of the decoder with a positive multiplier, and every unselected token
// with a worse label margin than the selected one at the decoder's limit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/joint/iteration.hpp"
#include "numerics/joint/limits.hpp"

namespace attest {

// What the conditions are proved with (JOINT.md section 4): g, x and the root of Q_a, and b_i by sequence,
// none where there is one sequence.
struct JointRegionChoices {
  double deficit = 0, reach = 0, aside = 0;
  std::vector<double> boxes;
};

// Constants of the conclusion, each on its safe side. With y = <v,u_v>, Y = <W,u_W> and S the sum of the
// attention's eta from t0 to t - 1:
struct JointRegion {
  Ball decoder_start, decoder_growth;      // y >= y_0 + growth S
  Ball attention_start, attention_growth;  // Y >= Y_0 + growth S
  Ball lateral;                            // ||v - y u_v|| <= this: 1 - corr_v <= lateral^2/(2 y^2)
  Ball spread;                             // ||W - Y u_W||^2 <= spread Y:  1 - corr_W <= spread/(2 Y)
  Ball loss;                               // L <= loss exp(-gamma_v y)
  Ball decoder_margin;                     // gamma_v
  Ball concentration;                      // C: how far weights may be from those of u_W
  Ball unselected;                         // 1 - s_i <= this for every sequence, tending to 0
  Ball unselected_fall;                    // > 0: 1 - s_i <= unselected exp(-unselected_fall S)
  JointRegionChoices choices;
};

// Whether T20 may hold of such a run at all; why not, otherwise.
std::optional<std::string> joint_region_excluded(const JointSpec& spec, const JointLimits& limits);

// At the iteration's point, evaluated; nothing with the reason when its conditions are not proved there.
std::optional<JointRegion> joint_region(const JointFeatures& features, const JointData& joint,
                                        const JointSpec& spec, const JointLimits& limits,
                                        const JointIteration& run, std::string& reason);

}  // namespace attest
