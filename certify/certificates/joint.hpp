// Certificates about joint training: the decoder's problem, the attention's, how the one follows from the
// other, and what is proved beside them.
#pragma once

#include <optional>

#include "certify/certificates/margin.hpp"
#include "numerics/joint/label_margin_cover.hpp"
#include "numerics/joint/path.hpp"
#include "numerics/joint/run.hpp"

namespace attest {

// A run of both by gradient descent from W_0 = 0.
struct JointRunProof {
  const JointSpec* spec = nullptr;
  bool decoder_from_instance = false;  // v_0; else 0
  const std::vector<JointPoint>* checkpoints = nullptr;
  std::size_t problem = 0;              // of JointPoint::one_minus_corr: that of the certificate's attention
  long bits = 0;                        // for a checker that encloses every number by itself
  const JointProof* forever = nullptr;  // at one of the checkpoints
};

struct JointProofs {
  const LabelMarginCover* margins = nullptr;  // of the supporting sequences; a nu is proved
  const JointPathBound* path = nullptr;       // of the attention's problem; rests on `margins`
  std::optional<CertifiedFacts> plain = {};   // the problem with all rows >= 1, when the path leans on it
  Loss loss = Loss::logistic;                 // of the path
  std::optional<JointRunProof> run = {};      // written where both solutions are known
};

// The decoder's problem with `decoder.rows.decoder`; the attention's with its relaxed groups, once the
// decoder's support is known.
Certificate write_joint_certificate(CertifiedFacts decoder, const std::optional<CertifiedFacts>& attention,
                                    const JointProofs& proofs);

}  // namespace attest
