// T21's quantities in any norm (proofs/statements/SOUNDNESS.md section 7): what is no worse than a far point
// r u of a ray with growing margins has large margins itself. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <vector>

#include "numerics/forever/ball_number.hpp"
#include "numerics/forever/output_facts.hpp"
#include "numerics/problem/loss.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// Scores of a group with more than one different token: of its selected token and its worst one, least gap,
// sum of gaps times the tokens' multiplicities over the selected one's. Of several outputs least and gaps are
// bounds of theirs.
struct ScoredGroup {
  std::size_t group = 0;
  BallNumber best, least, closest, total;
};

// What the selected token has over another one; of a score both bounds are the gap.
RiseBounds rise_over(const TokenData& data, const Selection& selection, const Constraint& c);

// Nothing of the norm but the least value nu enters: gamma = 1/nu.
class PathScale {
 public:
  // Keeps references to data and selection.
  PathScale(const TokenData& data, const Selection& selection, Loss loss, BallNumber norm);

  const BallNumber& norm() const { return norm_; }

  // e^-(gamma r)
  BallNumber decay(const BallNumber& radius) const { return exp(-(radius / norm_)); }
  // n A of T21 where e^-(gamma R) is `decay`: 1/n cancels in all that follows.
  BallNumber scale(const BallNumber& decay) const;
  // The radius at which theta is 1/2 for the given A: A falls with the radius, so this does too.
  BallNumber half_radius(const BallNumber& scale) const;
  // log(A/B_c) from a radius on, A and e^-(gamma R) being given; not finite where theta may reach 1.
  BallNumber level(const Constraint& c, const BallNumber& scale, const BallNumber& decay) const;
  // Every theta is below 1.
  bool allowed(const Rational& radius) const;
  // Of one output: contains n b_c there.
  BallNumber weight(const Constraint& c, const BallNumber& scale, const BallNumber& decay) const;

 private:
  BallNumber steepest(const ScoredGroup& g, const BallNumber& decay) const;
  const ScoredGroup& group_of(const Constraint& c) const;
  BallNumber theta(const ScoredGroup& g, const BallNumber& scale, const BallNumber& decay) const;

  const TokenData& data_;
  const Selection& selection_;
  const Loss loss_;  // of a score; of a classifier, whose gaps are those of the loss itself, its slope is 1
  const std::vector<ScoredGroup> groups_;
  const BallNumber norm_;
};

}  // namespace attest
