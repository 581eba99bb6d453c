// The theorem about the regularisation path in any norm (T21 in SOUNDNESS.md section 7): whatever is no worse
// than a far point of a ray with growing margins has large margins itself. Symbols:
// proofs/statements/GLOSSARY.md.
#pragma once

#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/text/context.hpp"

namespace attest_check {

inline constexpr unsigned path_bits = 384;   // attest-check-verified has 320, and is nowhere sharper
inline constexpr long decay_cut = 1L << 32;  // e^-x is taken for e^-2^32 when it is smaller

// Rejects the claim unless its problem names a loss and the radius is positive.
void require_path(const Claim& claim, const Rational& radius);

// The selected token of a group with more than one different token, from the radius on, at what is no worse
// than r u: all in intervals, with 1/n in the slopes.
struct PathGroup {
  std::size_t group = 0;
  Interval best;     // its score; of a classifier 0
  Interval closest;  // at most the least gap
  Interval total;    // sum of at least the gaps times kappa_c
  Interval least;    // at most the worst token's score
  Interval slope;    // |l'| at `best`
  Interval theta;    // at least the attention that the selected token may lack, below 1
};

// With margins of at least margin * r at r u, for all r >= radius.
class PathTheorem {
 public:
  // Rejects the claim unless the selected tokens are the only best ones, and where one may lose all attention
  // at the radius. Throws Imprecise.
  PathTheorem(const Claim& claim, const Interval& margin, const Rational& radius);

  // What is no worse than r u has m_c >= margin r - level(c) = margin r - log(A/B_c).
  Interval level(const Constraint& c) const;
  // The sum of the levels of these, times the weights.
  Interval rate(const std::vector<Constraint>& active, const std::vector<Interval>& weight) const;

  const PathGroup& group_of(const Constraint& c) const;
  // Of one output: contains b_c there.
  Interval weight(const Constraint& c) const;

 private:
  Interval slope_at(const Interval& score) const;

  const Claim& claim_;
  Interval scale_;  // A
  std::vector<PathGroup> groups_;
};

}  // namespace attest_check
