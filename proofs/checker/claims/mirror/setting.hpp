// What T17 asks of a point of mirror descent, the data and the limit (MIRROR.md sections 3, 7 and 11): all
// that does not change from height to height. Names are those of MIRROR.md.
#pragma once

#include <vector>

#include "proofs/checker/claims/mirror/replay.hpp"
#include "proofs/checker/runs/head.hpp"

namespace attest_check {

// Delta_c, entry by entry as W.
std::vector<Interval> constraint_entries(const Problem& problem, const Constraint& c, unsigned bits);

// What its numbers have, a rational as one of them, and the larger of two upper ends.
namespace t17 {
inline constexpr unsigned bits = 160;
inline Interval number(const Rational& x) {
  return Interval(x, bits);
}
inline Interval largest(const Interval& a, const Interval& b) {
  return maximum(a.upper_end(), b.upper_end());
}
}  // namespace t17

// Where T17 is applied.
struct MirrorPoint {
  const Claim& claim;
  Rational exponent;                  // P
  bool normalised = false;            // nmd
  Interval step;                      // eta at this point, not less than at later ones
  const MirrorDirection& direction;   // u
  std::vector<Interval> dual;         // Z
  std::vector<Constraint> support;    // all that may be tight
  std::vector<Interval> multipliers;  // mu on it
};

// Numbers that do not change from height to height.
struct MirrorSetting {
  explicit MirrorSetting(const MirrorPoint& point);

  const Claim& claim;
  const Problem& problem;
  Rational p, q;
  bool normalised;
  Interval step;
  std::vector<Interval> u, n, offset;  // of entries that some constraint has; 0 elsewhere
  std::vector<bool> moves;
  Rational clock;          // max(1, Q-1): Phi is a function of zeta to this power
  Interval gamma, height;  // y_0
  Interval remainder;      // B of Lemma 4
  Interval near;           // at most which |u| is over |a/y| at entries that are near
  std::vector<Constraint> constraints;
  std::vector<std::vector<Interval>> rows, squares;  // Delta_c, and its squares
  std::vector<bool> outside;                         // in N
  std::vector<Interval> margin, along;               // m_c(w_0), gamma_c
  std::vector<Interval> multiplier;                  // mu_c
  Interval longest, diameter, along_outside;

  Interval cost(const Interval& height) const;  // cost(y)
  // R where r is at most k tau Om ||V||_Q/Om, by what KL gives back of it.
  Interval spread_cost(const Interval& k, const Interval& leaving) const;

 private:
  void read_rows();
  void read_point(const MirrorPoint& point);
  void read_multipliers(const MirrorPoint& point);

  Interval lost_;  // cost(y) for P <= 2
};

// Ranges of b_c while all margins are at least their floors.
class MirrorWeights {
 public:
  MirrorWeights(const MirrorSetting& at, const std::vector<Rational>& floors);

  Interval level;                 // K, at least this
  Interval concentration;         // C, at most
  Interval whole;                 // sum over P of bhi e^-floor: at least Om at all later steps
  std::vector<Interval> outside;  // B_c
  Rational unselected;

 private:
  AttentionRange range(const MirrorSetting& at, std::size_t first, std::size_t last,
                       const std::vector<Interval>& part);
  void add(const MirrorSetting& at, std::size_t c, const Head& head, const AttentionRange& range);
};

}  // namespace attest_check
