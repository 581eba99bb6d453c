// What breaks the assumption of joint training (papers.md A.margin) for every nu: one W, or a ray of them.
#pragma once

#include <optional>
#include <vector>

#include "numerics/joint/label_margin_cover.hpp"

namespace attest {

// Exact doubles. `ray` false: on the outputs of `attention` the decoder has least label margin `margin` >=
// Gamma times its norm. `ray` true: on those of R `attention`, R large, the limit's decoder loses less label
// margin than any multiple of the attention that is not on the selected tokens.
struct LabelMarginWitness {
  bool ray = false;
  std::vector<double> attention;  // d x e, row-major
  std::vector<double> decoder;    // of a point
  Ball margin;                    // of a point: over the decoder's norm
};

// A point near attention as in `worst`; nothing unless it is proved to break the assumption.
std::optional<LabelMarginWitness> label_margin_point(const JointFeatures& features, const EnclosedRows& rows,
                                                     const Selection& selection, const Direction& decoder,
                                                     const std::vector<SoftChoice>& worst,
                                                     const Budget& budget);

// Where sequences do not support the decoder: a direction along which all selected tokens win, one of a
// sequence off the support by less than all those of sequences that support it.
std::optional<LabelMarginWitness> label_margin_ray(const EnclosedRows& rows,
                                                   const std::vector<std::size_t>& supporting,
                                                   const Budget& budget);

}  // namespace attest
