// The head: the training loss as a function of each group's attention, l(f) of one number f = sum_t s_t g_t
// with exact scores g_t. -grad L = sum_c omega_c Delta_c, omega_c = b_c e^-m_c; the theorems use of the loss
// what stands here and nothing else (T16, DYNAMICS.md section 11): its value, omega at an enclosed point,
// ranges of b_c on a region, and their limits. A head is an implementation of Head, in a file of its own; at
// a point it is a row of problem/loss.
#pragma once

#include <memory>
#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/problem/problem.hpp"

namespace attest_check {

// The softmax of one group: tokens' probabilities relative to any reference token.
struct GroupAttention {
  std::size_t reference = 0;
  std::vector<Interval> share;  // s_t, all tokens
  Interval rest;                // 1 - s_reference
  Interval deficit;             // g_reference - f
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

// l(f) - l(best score of the group); `best` is a token with the best score.
Interval group_excess(const Problem& problem, std::size_t group, std::size_t best,
                      const GroupAttention& attention, unsigned bits);

// The first token of the group with the best score.
std::size_t best_token(const Features& features, std::size_t group);

// omega_t = (1/n) |l'(f)| s_t (gap_t - deficit) for the tokens of a group; the reference's own is 0.
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
  Interval steadiness;    // at most theta of T9p: L - L* = sum theta_c omega_c
};

class Head {
 public:
  virtual ~Head() = default;

  // May a group's selected token have this score? Nothing below is claimed of any other.
  virtual bool covers(const Rational& best) const = 0;
  // b_c in the limit, but for that ratio: of all attention on a token with this score, its gap to the other
  // one.
  virtual Interval limit(const Rational& best, const Rational& gap) const = 0;
  // On the range, for a gap above range.down; and at least |b_c| for a gap of either sign.
  virtual WeightBounds bounds(const Rational& best, const Rational& gap,
                              const AttentionRange& range) const = 0;
  virtual Interval most_magnitude(const Rational& best, const Rational& gap,
                                  const AttentionRange& range) const = 0;
  // lambda of T12n: what the loss's curvature adds to that of the softmax, over its slope.
  virtual Rational curvature() const = 0;
  // k_c of T15: |log(b_c / its limit)| is at most this times sum_t s_t/s_selected, while that is at most what
  // T15 asks, in a group of gaps up to `widest` in magnitude and from `least` on in the support.
  virtual Interval limit_rate(const Rational& widest, const Rational& least) const = 0;
  // n times what a group whose score is that far below its best one adds to L - L*, and n (L - L*).
  Interval excess(const Rational& best, const Rational& drop) const {
    return loss_excess(problem_.loss, Interval(best, bits_), Interval(drop, bits_));
  }
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
// Of the losses of a score; and -log of the attention on the token with score 1.
std::unique_ptr<const Head> scalar_head(const Problem& problem, unsigned bits);
std::unique_ptr<const Head> cross_entropy_head(const Problem& problem, unsigned bits);

}  // namespace attest_check
