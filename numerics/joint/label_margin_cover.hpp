// The assumption of joint training (papers.md A.margin), decided on a cover: no soft attention leaves the
// decoder as large a label margin as the selected tokens do (proofs/statements/JOINT.md section 5).
//
// Gamma is the decoder's margin, S the sequences that support it, and r(s) the largest least label margin
// that a decoder of norm 1 has on the outputs of attention s. Proved is a nu > 0 with
//
//   r(s) <= Gamma - nu max_{i in S} (1 - s_{i,selected})
//
// for every attention s, one of whatever prompt or W included.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/joint/direction.hpp"
#include "numerics/joint/features.hpp"
#include "numerics/joint/multiplier_choices.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

// The share of its attention that a sequence gives to another token than the selected one.
struct SoftChoice {
  std::size_t group = 0, token = 0;
  double share = 0;
};

// What shows a piece of the cover: its two halves, the tokens of a sequence, or Lemma 3 with multipliers and
// a token of each supporting sequence.
struct CoverNode {
  enum class Step { halve, open, prove } step = Step::prove;
  std::size_t group = 0;            // of `open`
  std::size_t multipliers = 0;      // place of the vector
  std::vector<Integer> weights;     // in its place, where there are any
  std::vector<std::size_t> tokens;  // by supporting sequence
};

struct LabelMarginCover {
  double proved = 0;       // nu; nothing is proved unless it is positive
  double attained = 0;     // the least (Gamma - r(s))/max (1 - s) seen, sequence by sequence free: a guess
  std::size_t pieces = 0;  // that the cover was refined to
  bool finished = false;   // nu is the largest one for such attention up to 2 %, or there is none
  std::vector<MultiplierChoice> multipliers;  // those given
  // The proof of `proved`: trees by sequence and token, every node before its parts.
  std::vector<CoverNode> proof;
  std::vector<SoftChoice> worst;  // where `attained` is: a guess; of the supporting sequences
};

// `multipliers` are vectors of the decoder's (multiplier_choices.hpp), one at least. `most_pieces` bounds the
// work.
LabelMarginCover label_margin_cover(const JointFeatures& features, const Selection& selection,
                                    const Direction& decoder, std::vector<MultiplierChoice> multipliers,
                                    const std::vector<std::size_t>& supporting, std::size_t most_pieces,
                                    const Budget& budget);

}  // namespace attest
