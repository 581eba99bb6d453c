// The head: the training loss as a function of each group's attention, l(f) of one number f = sum_t s_t g_t
// with exact scores g_t. -grad L = sum_c omega_c Delta_c, omega_c = b_c e^-m_c; the theorems use of the loss
// what stands here and nothing else (T16, DYNAMICS.md section 11): its value, omega at an enclosed point,
// ranges of b_c on a region, and their limits. A head is an implementation of Head, in a file of its own; at
// a point it is a row of problem/loss. Heads of several outputs are functions of several such numbers m_u:
// at a point they are runs/output_point. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/problem/problem.hpp"

namespace attest_check {

// The softmax of one group: tokens' probabilities relative to any reference token.
struct GroupAttention {
  std::size_t reference = 0;
  std::vector<Interval> share;    // s_t, all tokens
  Interval rest;                  // 1 - s_reference
  Interval deficit;               // g_reference - f
  std::vector<Interval> outputs;  // of several outputs instead: c_reference,u - m_u
};

// From e^-(logit of the reference - logit of t) for every token that is present (the reference's own entry is
// not used).
GroupAttention group_attention(const Features& features, std::size_t group, std::size_t reference,
                               const std::vector<Interval>& odds, unsigned bits);

// The multiplicity of a token, its counts weighted by e^offset, over e^(the offset of token `reference`).
Interval multiplicity(const Features& features, std::size_t group, std::size_t token, std::size_t reference,
                      unsigned bits);

// x times the multiplicity of token a over that of token b.
Interval by_multiplicity(const Features& features, std::size_t group, std::size_t a, std::size_t b,
                         const Interval& x, unsigned bits);

// g_a - g_b for two tokens of a group.
Interval score_difference(const Features& features, std::size_t group, std::size_t a, std::size_t b,
                          unsigned bits);

// l(f) - l(best score of the group); `best` is a token with the best score. Of several outputs l(m) less l
// where all attention is on `best`, the selected token.
Interval group_excess(const Problem& problem, std::size_t group, std::size_t best,
                      const GroupAttention& attention, unsigned bits);
// Of a score: that of `best`, and how much less f is. l(score - drop) - l(score) is the excess.
struct ScoreDrop {
  Interval score, drop;
};
ScoreDrop score_drop(const Features& features, std::size_t group, std::size_t best,
                     const GroupAttention& attention, unsigned bits);

// f with l(f) = l(score) + rise, rise > 0, of a loss of a score.
Interval score_above_loss(Loss loss, const Interval& score, const Interval& rise);

// What L - L* is counted from: the first token of the group with the best score; of several outputs, which
// may have none, the selected one.
std::size_t best_token(const Problem& problem, std::size_t group);

// Is the infimum of the loss that of all attention on those tokens? Of a classifier, whose loss is convex in
// the attention, where all their gaps are positive.
bool infimum_at_selection(const Problem& problem);

// omega_t = (1/n) |l'(f)| s_t (gap_t - deficit) for the tokens of a group; the reference's own is 0. Of
// several outputs with the scores and the slope of the point.
std::vector<Interval> attention_weights(const Problem& problem, std::size_t group,
                                        const GroupAttention& attention, unsigned bits);

// Bounds of b_c, but for the ratio of the tokens' multiplicities, while at least `kept` of the group's
// attention is on the selected token and the mean score is from `down` below to `up` above the selected
// token's.
struct AttentionRange {
  Rational kept, down, up;
};
struct WeightBounds {
  Interval lower, upper;  // of b_c
  Interval steadiness;    // at most theta_c
};

class Head {
 public:
  virtual ~Head() = default;

  // May the group's selected token be selected? Nothing below is claimed of any other.
  virtual bool covers(std::size_t) const { return true; }
  // A unit that may change its sign while at least `kept` of the attention is on the selected token: then the
  // bounds do not hold.
  virtual std::optional<std::size_t> open_unit(std::size_t, const Rational&) const { return std::nullopt; }
  // Do the bounds need no more than the attention that is kept?
  virtual bool bounded_by_attention() const { return false; }
  // The score where all attention is on the selected token, and the gap to another one there: exact, or at
  // most the gap and of its sign.
  virtual Rational best(std::size_t group) const = 0;
  virtual Rational gap(const Constraint& c) const = 0;
  // b_c in the limit, but for that ratio: of all attention on the selected token.
  virtual Interval limit(const Constraint& c) const = 0;
  // On the range, for a gap above range.down (a head that is bounded by attention: b_c > 0 only where the
  // lower bound is); and at least |b_c| for a gap of either sign.
  virtual WeightBounds bounds(const Constraint& c, const AttentionRange& range) const = 0;
  virtual Interval most_magnitude(const Constraint& c, const AttentionRange& range) const = 0;
  // Is L* the infimum of the loss where all gaps are positive, so that T12 is known?
  virtual bool locks_in() const { return true; }
  // phi of T12n: what the loss's curvature adds to that of the softmax, over its slope, on the range.
  virtual Interval bend(std::size_t group, const AttentionRange& range) const = 0;
  // What T15 asks of a constraint of the support where `lost` of the attention may be elsewhere, in a group
  // of gaps up to `widest` in magnitude.
  virtual bool settled(const Constraint& c, const Rational& lost, const Rational& widest) const = 0;
  // k_c, in a group of gaps up to `widest` in magnitude and from `least` on in the support.
  virtual Interval limit_rate(std::size_t group, const Rational& widest, const Rational& least) const = 0;
  // n times what a group whose score is that far below its best one adds to L - L* at least, and n (L - L*).
  virtual Interval excess(std::size_t group, const Rational& drop) const = 0;
  Interval times_groups(const Interval& loss_gap) const { return loss_gap / share_; }

 protected:
  Head(const Problem& problem, unsigned bits)
      : problem_(problem),
        bits_(bits),
        share_(Interval::ratio(1, Integer(problem.features->groups()), bits)) {}

  const Problem& problem_;
  unsigned bits_;
  Interval share_;  // 1/n
};

// The problem's own; it must name a loss and outlive the head.
std::unique_ptr<const Head> make_head(const Problem& problem, unsigned bits);
// Of the losses of a score; -log of the attention on the token with score 1; and of several outputs.
std::unique_ptr<const Head> scalar_head(const Problem& problem, unsigned bits);
std::unique_ptr<const Head> cross_entropy_head(const Problem& problem, unsigned bits);
std::unique_ptr<const Head> classifier_head(const Problem& problem, unsigned bits);
std::unique_ptr<const Head> relu_head(const Problem& problem, unsigned bits);

}  // namespace attest_check
