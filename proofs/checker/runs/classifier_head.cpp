// A classifier, -log softmax(sum_t s_t G_t)_y: see runs/head.hpp. With m_u = sum_t s_t c_tu and p_u =
// e^{m_u}/(1
// + sum e^m) the weight of a constraint is omega_c = b_c e^-m_c, b_c = (1/n) s_alpha (k_c/k_alpha) (sum_u p_u
// d_cu
// - sum_t s_t sum_u p_u d_tu), d_tu = c_tu - c_alpha,u. Its gap is sum_u p_u d_cu where all attention is on
// alpha, no rational number: the one given is below it and has its sign. Proofs in DYNAMICS.md section 11.
#include <algorithm>

#include "proofs/checker/runs/head.hpp"

namespace attest_check {
namespace {

class ClassifierHead : public Head {
 public:
  ClassifierHead(const Problem& problem, unsigned bits)
      : Head(problem, bits), outputs_(*problem.features->outputs()), groups_(problem.features->groups()) {}

  bool bounded_by_attention() const override { return true; }
  Rational best(std::size_t) const override { return 0; }
  Rational gap(const Constraint& c) const override;
  Interval limit(const Constraint& c) const override {
    return share_ * mean(c.group, c.token, group(c.group).share, bits_);
  }
  WeightBounds bounds(const Constraint& c, const AttentionRange& range) const override;
  Interval most_magnitude(const Constraint& c, const AttentionRange& range) const override;
  Interval bend(std::size_t group, const AttentionRange& range) const override;
  bool settled(const Constraint& c, const Rational& lost, const Rational& widest) const override;
  Interval limit_rate(std::size_t group, const Rational& widest, const Rational& least) const override;
  // The loss is convex in s, so it exceeds that of all attention on alpha by sum s_t gap_t at least: `drop`
  // is what 1 - s_alpha costs at the least gap.
  Interval excess(std::size_t, const Rational& drop) const override { return Interval(drop, bits_); }

 private:
  // What all attention within 1 - kept of alpha leaves of a group.
  struct Range {
    Rational kept;
    std::vector<Interval> least, most;  // of p_u
    Interval over, under;               // sum_t s_t sum_u p_u d_tu is in [-under, over]
  };
  struct Group {
    std::vector<Rational> origin;              // c_alpha,u
    std::vector<std::vector<Rational>> shift;  // per token: d_tu
    std::vector<Rational> lowest, highest;     // of d_tu over t, 0 among them
    std::vector<Interval> share;               // p_u at alpha
    std::optional<Range> range;                // the last that was asked for
  };

  const Group& group(std::size_t i) const;
  const Range& range(std::size_t i, const Rational& kept) const;
  static std::vector<Interval> shares(const std::vector<Rational>& origin, unsigned bits);
  Interval mean(std::size_t i, std::size_t token, const std::vector<Interval>& share, unsigned bits) const;
  // At most and at least sum_u p_u d_tu.
  Interval below(std::size_t i, std::size_t token, const Range& at) const;
  Interval above(std::size_t i, std::size_t token, const Range& at) const;
  // At most sum_u p_u |d_tu|.
  Interval size(std::size_t i, std::size_t token, const Range& at) const;
  Rational span(std::size_t i) const;  // W
  Interval sway(std::size_t i) const;  // 1.3 (W + 1) A

  const Outputs& outputs_;
  mutable std::vector<std::optional<Group>> groups_;
};

const ClassifierHead::Group& ClassifierHead::group(std::size_t i) const {
  if (groups_[i]) return *groups_[i];
  const Features& features = *problem_.features;
  Group& group = groups_[i].emplace();
  const std::size_t count = outputs_.count(), selected = problem_.selection[i];
  group.lowest.resize(count);
  group.highest.resize(count);
  for (std::size_t u = 0; u < count; ++u) group.origin.push_back(outputs_.value(i, selected, u));
  group.share = shares(group.origin, bits_);
  for (std::size_t t = 0; t < features.tokens_of(i); ++t) {
    std::vector<Rational>& shift = group.shift.emplace_back();
    if (!features.present(i, t)) continue;
    for (std::size_t u = 0; u < count; ++u) {
      shift.push_back(outputs_.value(i, t, u) - group.origin[u]);
      group.lowest[u] = std::min(group.lowest[u], shift.back());
      group.highest[u] = std::max(group.highest[u], shift.back());
    }
  }
  return group;
}

std::vector<Interval> ClassifierHead::shares(const std::vector<Rational>& origin, unsigned bits) {
  std::vector<Interval> result;
  Interval total(1);
  for (const Rational& x : origin) {
    result.push_back(exponential(Interval(x, bits)));
    total += result.back();
  }
  for (Interval& x : result) x = x / total;
  return result;
}

// sum_u share_u d_tu.
Interval ClassifierHead::mean(std::size_t i, std::size_t token, const std::vector<Interval>& share,
                              unsigned bits) const {
  Interval sum;
  for (std::size_t u = 0; u < share.size(); ++u) sum += share[u] * Interval(group(i).shift[token][u], bits);
  return sum;
}

// The sign is decided exactly (problem/outputs), so some precision tells it.
Rational ClassifierHead::gap(const Constraint& c) const {
  const int sign = outputs_.gap_sign(c.group, problem_.selection[c.group], c.token);
  if (sign == 0) return 0;
  for (unsigned bits = bits_;; bits *= 2) {
    const Interval value = mean(c.group, c.token, shares(group(c.group).origin, bits), bits);
    if (sign > 0 ? value.positive() : value.negative()) return value.lower();
  }
}

// m_u is within (1 - kept) [lowest_u, highest_u] of c_alpha,u; p_u increases in m_u and decreases in the
// others.
const ClassifierHead::Range& ClassifierHead::range(std::size_t i, const Rational& kept) const {
  const Group& at = group(i);
  if (at.range && at.range->kept == kept) return *at.range;
  const Rational lost = 1 - kept;
  std::vector<Interval> low, high;
  for (std::size_t u = 0; u < at.origin.size(); ++u) {
    low.push_back(exponential(Interval(at.origin[u] + lost * at.lowest[u], bits_)));
    high.push_back(exponential(Interval(at.origin[u] + lost * at.highest[u], bits_)));
  }
  Range& result = groups_[i]->range.emplace();
  result.kept = kept;
  for (std::size_t u = 0; u < low.size(); ++u) {
    Interval others_low(1), others_high(1);
    for (std::size_t v = 0; v < low.size(); ++v) {
      if (v == u) continue;
      others_low += low[v];
      others_high += high[v];
    }
    result.least.push_back((low[u] / (others_high + low[u])).lower_end());
    result.most.push_back((high[u] / (others_low + high[u])).upper_end());
  }
  for (std::size_t t = 0; t < at.shift.size(); ++t) {
    if (at.shift[t].empty()) continue;
    result.over = maximum(result.over, above(i, t, result));
    result.under = maximum(result.under, -below(i, t, result));
  }
  const Interval share(lost, bits_);
  result.over = (result.over * share).upper_end();
  result.under = (result.under * share).upper_end();
  return result;
}

Interval ClassifierHead::below(std::size_t i, std::size_t token, const Range& at) const {
  Interval sum;
  for (std::size_t u = 0; u < at.least.size(); ++u) {
    const Rational& d = group(i).shift[token][u];
    sum += (d >= 0 ? at.least[u] : at.most[u]) * Interval(d, bits_);
  }
  return sum.lower_end();
}

Interval ClassifierHead::above(std::size_t i, std::size_t token, const Range& at) const {
  Interval sum;
  for (std::size_t u = 0; u < at.least.size(); ++u) {
    const Rational& d = group(i).shift[token][u];
    sum += (d >= 0 ? at.most[u] : at.least[u]) * Interval(d, bits_);
  }
  return sum.upper_end();
}

Interval ClassifierHead::size(std::size_t i, std::size_t token, const Range& at) const {
  Interval sum;
  for (std::size_t u = 0; u < at.most.size(); ++u)
    sum += at.most[u] * Interval(Rational(abs(group(i).shift[token][u])), bits_);
  return sum.upper_end();
}

WeightBounds ClassifierHead::bounds(const Constraint& c, const AttentionRange& range_of) const {
  const Range& at = range(c.group, range_of.kept);
  // l(s) - l(alpha) >= sum s_t gap_t by convexity, and omega_t <= (1/n) s_t times the gap's largest value.
  const Interval most = above(c.group, c.token, at);
  return {share_ * Interval(range_of.kept, bits_) * (below(c.group, c.token, at) - at.over),
          share_ * (most + at.under), most.positive() ? Interval(gap(c), bits_) / most : Interval(0)};
}

Interval ClassifierHead::most_magnitude(const Constraint& c, const AttentionRange& range_of) const {
  const Range& at = range(c.group, range_of.kept);
  return share_ * (maximum(absolute(below(c.group, c.token, at)), absolute(above(c.group, c.token, at))) +
                   maximum(at.over, at.under));
}

// (1 - kept) W chi/kept, chi = max_t sum_u p_u |d_tu|/sum_u p_u d_tu; its gaps are positive on the range.
Interval ClassifierHead::bend(std::size_t i, const AttentionRange& range_of) const {
  const Range& at = range(i, range_of.kept);
  Interval chi;
  for (std::size_t t = 0; t < group(i).shift.size(); ++t) {
    if (t == problem_.selection[i] || group(i).shift[t].empty()) continue;
    chi = maximum(chi, size(i, t, at) / below(i, t, at));
  }
  return Interval((1 - range_of.kept) / range_of.kept * span(i), bits_) * chi;
}

Rational ClassifierHead::span(std::size_t i) const {
  const Group& at = group(i);
  Rational lowest, highest;
  for (const Rational& x : at.lowest) lowest = std::min(lowest, x);
  for (const Rational& x : at.highest) highest = std::max(highest, x);
  return highest - lowest;
}

// A = max_t sum_u p_u |d_tu|, p at alpha.
Interval ClassifierHead::sway(std::size_t i) const {
  const std::vector<Interval>& share = group(i).share;
  Interval swing;
  for (const std::vector<Rational>& shift : group(i).shift) {
    Interval sum;
    for (std::size_t u = 0; u < shift.size(); ++u) sum += share[u] * Interval(Rational(abs(shift[u])), bits_);
    swing = maximum(swing, sum);
  }
  return Interval(fraction(13, 10) * (span(i) + 1), bits_) * swing;
}

bool ClassifierHead::settled(const Constraint& c, const Rational& lost, const Rational&) const {
  return 4 * lost * span(c.group) <= 1 &&
         certainly_at_most(Interval(2 * lost, bits_) * sway(c.group), Interval(gap(c), bits_));
}

Interval ClassifierHead::limit_rate(std::size_t i, const Rational&, const Rational& least) const {
  const Interval double_log = Interval(2) * logarithm(Interval::between(2, 2, 0, bits_));
  return Interval(1) + double_log * sway(i) / Interval(least, bits_);
}

}  // namespace

std::unique_ptr<const Head> classifier_head(const Problem& problem, unsigned bits) {
  return std::make_unique<ClassifierHead>(problem, bits);
}

}  // namespace attest_check
