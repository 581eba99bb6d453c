// What T17 asks of the data: see claims/mirror/setting.hpp.
#include "proofs/checker/claims/mirror/setting.hpp"

#include <algorithm>

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/base/powers.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

using namespace t17;

// Lemma 4: for P < 2 the least k/64 that it allows as beta, over P - 1; for P > 2 the factor 1 - (P-1)
// s^(2-P) is positive from some s on and below 1, the other one falls.
Interval remainder_constant(const Rational& p) {
  if (p == 2) return 0;
  if (p > 2) {
    const Interval p1 = number(p - 1), first = power(p1, 1 / Rational(p - 2), bits);
    return (Interval(1) / (p1 + first * number((p - 1) * (p - 1) / p))).upper_end();
  }
  const Interval most = number(p * (2 - p));
  for (long k = 1; k < 64; ++k) {
    const Interval beta = number(fraction(Integer(k), Integer(64)));
    const Interval rest = Interval(1) + power(Interval(1) - beta, 1 / Rational(2 - p), bits);
    if (certainly_at_most(most * rest, beta)) return beta / number(p - 1);
  }
  return Interval(1) / number(p - 1);
}

}  // namespace

std::vector<Interval> constraint_entries(const Problem& problem, const Constraint& c, unsigned precision) {
  const Features& features = *problem.features;
  const std::vector<Integer> query = features.queries().row(c.group);
  const Integer denominator = features.tokens().denominator() * features.queries().denominator();
  Vector entries;
  for (const Integer& x : problem.difference(c))
    for (const Integer& z : query) entries.push_back(Interval::ratio(x * z, denominator, precision));
  return entries;
}

MirrorSetting::MirrorSetting(const MirrorPoint& point)
    : claim(point.claim),
      problem(point.claim.problem),
      p(point.exponent),
      q(point.exponent / (point.exponent - 1)),
      normalised(point.normalised),
      step(point.step),
      clock(point.exponent < 2 ? Rational(q - 1) : Rational(1)),
      gamma(Interval(1) / point.direction.norm),
      remainder(remainder_constant(point.exponent)),
      near(p == 2 ? Interval(1L << 30)
                  : largest(number(Rational(21) / 20), number(Rational(4) / 5 * clock) / remainder)) {
  read_rows();
  read_point(point);
  read_multipliers(point);
}

void MirrorSetting::read_rows() {
  for_each_constraint(problem, [&](const Constraint& c) {
    constraints.push_back(c);
    rows.push_back(constraint_entries(problem, c, bits));
    Vector& square = squares.emplace_back();
    moves.resize(rows.back().size());
    for (std::size_t j = 0; j < moves.size(); ++j) {
      square.push_back(rows.back()[j] * rows.back()[j]);
      moves[j] = moves[j] || square[j].positive();
    }
    outside.push_back(problem.gap_sign(c) <= 0);
  });
}

void MirrorSetting::read_point(const MirrorPoint& point) {
  Vector w;
  for (std::size_t j = 0; j < moves.size(); ++j) {
    const Interval& z = point.dual[j];
    claim.require(moves[j] || (!z.positive() && !z.negative() && z.lower() == z.upper()),
                  "an entry of W that no constraint has is not 0");
    u.push_back(moves[j] ? point.direction.entries[j].rounded(bits) : Interval(0));
    n.push_back(signed_power(u[j], p - 1, bits));
    w.push_back(signed_power(z, q - 1, bits));
  }
  height = inner_product(n, w);
  claim.require(height.positive(), "the point is not on the limit's side");
  Interval lost;
  for (std::size_t j = 0; j < w.size(); ++j) {
    offset.push_back(w[j] - height * u[j]);
    if (!moves[j]) offset[j] = Interval(0);
    lost += power(absolute(offset[j]), p, bits);
  }
  if (p <= 2) lost_ = number(2 / p) * power(Interval::between(2, 2, 0, bits), 2 - p, bits) * lost;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    margin.push_back(inner_product(rows[c], w));
    along.push_back(maximum(inner_product(rows[c], u), gamma));
    Interval size, apart;
    for (std::size_t j = 0; j < u.size(); ++j) {
      size += power(absolute(rows[c][j]), q, bits);
      apart += power(absolute(rows[c][j] - gamma * n[j]), q, bits);
    }
    longest = largest(longest, power(size, 1 / q, bits));
    if (outside[c]) along_outside = largest(along_outside, along[c]);
    if (!outside[c]) diameter = largest(diameter, Interval(2) * power(apart, 1 / q, bits));
  }
}

Interval MirrorSetting::cost(const Interval& y) const {
  if (p <= 2) return lost_;
  Interval sum;
  for (std::size_t j = 0; j < u.size(); ++j) {
    const Interval apart = absolute(offset[j]).upper_end();
    sum += power(y * absolute(u[j]) + Interval(2) * apart, p - 2, bits) * apart * apart;
  }
  return number(p - 1) * sum;
}

Interval MirrorSetting::spread_cost(const Interval& k, const Interval& leaving) const {
  const Interval spread = k * diameter;
  return (k * (gamma + leaving * longest) + spread * spread / Interval(8)).upper_end();
}

void MirrorSetting::read_multipliers(const MirrorPoint& point) {
  multiplier.resize(rows.size());
  for (std::size_t k = 0; k < point.support.size(); ++k) {
    const auto place = std::lower_bound(constraints.begin(), constraints.end(), point.support[k]);
    const auto c = static_cast<std::size_t>(place - constraints.begin());
    claim.require(!outside[c],
                  "the score gap at " + show(point.support[k]) + ", which may be tight, is not positive");
    multiplier[c] = point.multipliers[k];
  }
}

MirrorWeights::MirrorWeights(const MirrorSetting& at, const std::vector<Rational>& floors)
    : outside(floors.size()) {
  const std::unique_ptr<const Head> head = make_head(at.problem, bits);
  Vector part;  // s_t over the selected token's, at most
  for (std::size_t c = 0; c < floors.size(); ++c) {
    const auto [group, token] = at.constraints[c];
    part.push_back(by_multiplicity(*at.problem.features, group, token, at.problem.selection[group],
                                   exponential(-number(floors[c])), bits));
  }
  Interval sum;
  for (std::size_t first = 0, last = 0; first < floors.size(); first = last) {
    const std::size_t group = at.constraints[first].group;
    while (last < floors.size() && at.constraints[last].group == group) ++last;
    at.claim.require(head->covers(group),
                     "the selected token of group " + std::to_string(group) + " is not covered");
    const AttentionRange kept = range(at, first, last, part);
    for (std::size_t c = first; c < last; ++c) {
      add(at, c, *head, kept);
      if (at.outside[c]) continue;
      const auto [i, t] = at.constraints[c];
      const Interval most = by_multiplicity(*at.problem.features, i, t, at.problem.selection[i],
                                            head->bounds(at.constraints[c], kept).upper.upper_end(), bits);
      whole += most * exponential(-number(floors[c]));
      sum += most * exponential(at.gamma * at.height - at.margin[c]);
    }
  }
  concentration = logarithm(sum) - level;
}

AttentionRange MirrorWeights::range(const MirrorSetting& at, std::size_t first, std::size_t last,
                                    const Vector& part) {
  const Features& features = *at.problem.features;
  Interval rest, down, up;
  for (std::size_t c = first; c < last; ++c) {
    const auto [group, token] = at.constraints[c];
    const Interval gap =
        score_difference(features, group, at.problem.selection[group], token, bits) * part[c];
    rest += part[c];
    if (at.outside[c]) up += -gap;
    if (!at.outside[c]) down += gap;
  }
  unselected = std::max(unselected, (rest / (Interval(1) + rest)).upper());
  return {(Interval(1) / (Interval(1) + rest)).lower(), down.upper(), up.upper()};
}

void MirrorWeights::add(const MirrorSetting& at, std::size_t c, const Head& head,
                        const AttentionRange& range) {
  const Constraint& place = at.constraints[c];
  const auto counted = [&](const Interval& b) {
    return by_multiplicity(*at.problem.features, place.group, place.token, at.problem.selection[place.group],
                           b, bits);
  };
  if (at.outside[c]) {
    outside[c] = counted(head.most_magnitude(place, range).upper_end());
    return;
  }
  const Interval least = counted(head.bounds(place, range).lower.lower_end());
  at.claim.require(least.positive(), "the weight of " + show(place) + " is not known to be positive");
  if (!at.multiplier[c].upper_end().positive()) return;
  // x log(b/x) is concave: least at an end.
  const auto entropy = [&](const Interval& x) {
    return x.positive() ? x * logarithm(least / x) : Interval(0);
  };
  const Interval one = entropy(at.multiplier[c].lower_end()), other = entropy(at.multiplier[c].upper_end());
  level += certainly_less(one, other) ? one : Interval::hull(one, other).lower_end();
}

}  // namespace attest_check
