// T23 at a point: see claims/tokens/limit.hpp. Names are those of NEXT_TOKEN.md.
#include "proofs/checker/claims/tokens/limit.hpp"

#include <algorithm>
#include <set>

#include "proofs/checker/base/interval_vector.hpp"

namespace attest_check {
namespace {

constexpr unsigned limit_bits = token_limit_bits;

Interval enclosed(const Rational& x) {
  return Interval(x, limit_bits);
}

Interval enclosed(std::size_t x) {
  return Interval::ratio(Integer(x), 1, limit_bits);
}

// k_t/k_alpha.
Rational counted(const StageGroup& group, const StageToken& token) {
  return fraction(Integer(token.count), Integer(group.tokens[group.selected].count));
}

// The relation "a > b" of rows as a graph over entries. It has no cycle where the rows have a solution.
class Orders {
 public:
  explicit Orders(const TokenStage& stage) : above_(stage.entry.size()), below_(stage.entry.size()) {
    for (const auto& [row, ratio] : token_rows(stage)) {
      rows_.push_back(row);
      above_[row.second].push_back(row.first);
      below_[row.first].push_back(row.second);
    }
  }

  // R^2: the largest ||w_a + w_b||^2 of a row.
  Integer squared_curvature() const {
    std::vector<std::map<std::size_t, long>> weights;
    for (std::size_t x = 0; x < above_.size(); ++x) weights.push_back(weights_of(x));
    long most = 0;
    for (const auto& [a, b] : rows_) {
      std::map<std::size_t, long> sum = weights[a];
      for (const auto& [y, weight] : weights[b]) sum[y] += weight;
      long square = 0;
      for (const auto& [y, weight] : sum) square += weight * weight;
      most = std::max(most, square);
    }
    return most;
  }

 private:
  using Lists = std::vector<std::vector<std::size_t>>;

  static std::set<std::size_t> reached(std::size_t from, const Lists& lists) {
    std::set<std::size_t> seen;
    std::vector<std::size_t> open{from};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t y : lists[at])
        if (seen.insert(y).second) open.push_back(y);
    }
    return seen;
  }

  // w_x, with <Delta_c, w_x> >= 1 for the rows c of x and >= 0 for the others: e_x (-e_x) where nothing is
  // above (below) x; else h at x, h + 1 on all above it and h - 1 on all below, for an h in {-1, 0, 1}.
  std::map<std::size_t, long> weights_of(std::size_t x) const {
    if (above_[x].empty()) return {{x, 1}};
    if (below_[x].empty()) return {{x, -1}};
    const auto above = reached(x, above_), below = reached(x, below_);
    const auto square = [&](long h) {
      return h * h + static_cast<long>(above.size()) * (h + 1) * (h + 1) +
             static_cast<long>(below.size()) * (h - 1) * (h - 1);
    };
    long height = 0;
    for (const long h : {1L, -1L})
      if (square(h) < square(height)) height = h;
    std::map<std::size_t, long> weights{{x, height}};
    for (const std::size_t y : above) weights[y] = height + 1;
    for (const std::size_t y : below) weights[y] = height - 1;
    return weights;
  }

  std::vector<std::pair<std::size_t, std::size_t>> rows_;
  Lists above_, below_;
};

// The sublevel set of the point's loss: section 4.
struct Sublevel {
  Sublevel(const Claim& claim, const TokenStage& stage, const Interval& scale, const Interval& loss_gap);

  Interval low(const StageGroup& group, const StageToken& token) const {
    return weight(group, token) * kept * (token.paired ? least + share : least);
  }
  Interval high(const StageGroup& group, const StageToken& token) const {
    return weight(group, token) * (token.paired ? most_left + most_share : most_left);
  }
  // beta_c.
  Interval limit(const StageGroup& group, const StageToken& token) const {
    return weight(group, token) * kept * (token.paired ? left + share : left);
  }
  // 1 + phi, and sigma.
  Interval bend() const;
  Interval swing() const {
    return maximum(most_left / (kept * least), (most_left + most_share) / (kept * (least + share)));
  }

  Interval c, eps, kept;
  Interval left, share;            // (V - 1) g_0, g_0
  Interval most_left, most_share;  // g, g_1
  Interval least;                  // (1 - eps) (V - 1) g_0 - eps g_1
  Interval part, room;             // pi, 1 - eps - eps pi
  Interval unit;                   // c/n

 private:
  Interval weight(const StageGroup& group, const StageToken& token) const {
    return unit * enclosed(counted(group, token));
  }
};

Sublevel::Sublevel(const Claim& claim, const TokenStage& stage, const Interval& scale,
                   const Interval& loss_gap)
    : c(scale) {
  const Interval one(1), others = enclosed(stage.pairs.outputs - 1), groups = enclosed(stage.groups.size());
  const Interval odds = others * exponential(-c), all = exponential(c) + others;
  eps = logarithm_of_one_plus(exponential_minus_one(groups * loss_gap) * (one + odds) / odds) / c;
  kept = one - eps;
  claim.require(kept.positive(), "the selected tokens may have no attention");
  const Interval rival = exponential(c * eps), against = others - one + rival, next = exponential(c * kept);
  left = others / all;
  share = one / all;
  most_left = against / (next + against);
  most_share = rival / (next + against);
  least = kept * left - eps * most_share;
  part = rival / against;
  room = one - eps - eps * part;
  unit = c / groups;
  claim.require(least.positive() && room.positive(), "the weights are not known to be positive");
}

Interval Sublevel::bend() const {
  const Interval one(1), root = one + square_root(part);
  return one + Interval(2) * eps * square_root((one + part) / room) + c * eps * root * root / room;
}

Interval residual_of(const std::vector<Interval>& w, const TokenDirection& direction,
                     const Interval& height) {
  const Interval share = height / direction.norm(limit_bits);
  std::vector<Interval> rest;
  for (std::size_t k = 0; k < w.size(); ++k)
    rest.push_back(absolute(w[k] - share * enclosed(direction.entries[k])));
  return square_root(inner_product(rest, rest));
}

// log sum_c bhi_c e^{gamma y - m_c}, over all rows of all sentences.
Interval log_mass(const TokenStage& stage, const Sublevel& set, const std::vector<Interval>& w,
                  const Interval& along) {
  Interval mass;
  for (const StageGroup& group : stage.groups) {
    const Interval& top = w[group.tokens[group.selected].entry];
    for (const StageToken& token : group.tokens)
      if (token.entry != group.tokens[group.selected].entry)
        mass += set.high(group, token) * exponential(along - (top - w[token.entry]));
  }
  return logarithm(mass);
}

}  // namespace

std::map<std::pair<std::size_t, std::size_t>, Rational> token_rows(const TokenStage& stage) {
  std::map<std::pair<std::size_t, std::size_t>, Rational> rows;
  for (const StageGroup& group : stage.groups) {
    const std::size_t top = group.tokens[group.selected].entry;
    for (const StageToken& token : group.tokens) {
      if (token.entry == top) continue;
      Rational& ratio = rows[{top, token.entry}];
      ratio = std::max(ratio, counted(group, token));
    }
  }
  return rows;
}

void require_token_limit(const Claim& claim, const TokenStage& stage, const TokenTraining& training,
                         const TokenDirection& direction, const TokenPoint& point,
                         const TokenConclusion& said) {
  std::vector<Interval> w;
  for (const Interval& entry : point.entries) w.push_back(entry.rounded(limit_bits));
  const Interval one(1), two(2), eta = enclosed(training.step), loss_gap = point.loss_gap.rounded(limit_bits);
  const Sublevel set(claim, stage, stage.pairs.scale(training.fed_step, training.fed_steps, limit_bits),
                     loss_gap);
  const Interval curvature = square_root(Interval::ratio(Orders(stage).squared_curvature(), 1, limit_bits));
  const Interval x = square_root(enclosed(Rational(2))) * eta;
  const Interval theta =
      one - set.bend() * set.swing() * curvature * eta * (exponential_minus_one(x) - x) / (x * x);
  claim.require(theta.positive(), "the steps are too long for the loss to fall at each");

  const Interval gamma = one / direction.norm(limit_bits), height = direction.along(w, limit_bits);
  const Interval along = gamma * height;
  Interval low, limit;  // sum mu log(blo/mu), K
  for (const TokenDirection::Share& share : direction.shares) {
    const StageGroup& group = stage.groups[share.at.group];
    const StageToken& token = group.tokens[share.at.token];
    const Interval mu = enclosed(Rational(share.multiplier / direction.norm_squared));
    low += mu * logarithm(set.low(group, token) / mu);
    limit += mu * logarithm(set.limit(group, token) / mu);
  }
  const Interval gibbs = maximum(log_mass(stage, set, w, along) - low, Interval(0));
  const Interval lag = maximum(logarithm(loss_gap) + along - limit, Interval(0)) / (two * gamma);

  claim.require(said.decrease > 0 && said.growth > 0 && said.loss_ratio < 1,
                "decrease and growth are positive, and the loss's ratio is below 1");
  claim.require_at_most(set.eps.upper(), said.unselected, "attention off the selected tokens");
  claim.require_at_most(said.decrease, theta.lower(), "decrease");
  claim.require_at_most(loss_gap.upper(), said.loss_gap, "loss gap");
  claim.require_at_most(exponential(-(theta * eta * gamma * set.kept)).upper(), said.loss_ratio,
                        "ratio of the loss");
  claim.require_at_most(said.height, height.lower(), "height");
  claim.require_at_most(said.growth, (eta * square_root(theta * set.kept)).lower(), "growth");
  claim.require_at_most(lag.upper(), said.lag, "lag");
  claim.require_at_most(residual_of(w, direction, height).upper(), said.residual, "residual");
  claim.require_at_most((eta * (two * gibbs / gamma + eta)).upper(), said.path, "path");
}

}  // namespace attest_check
