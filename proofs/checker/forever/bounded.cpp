// The sharp bounded residual: see forever/bounded.hpp.
#include "proofs/checker/forever/bounded.hpp"

#include "proofs/checker/forever/region.hpp"
#include "proofs/checker/problem/constraint_gram.hpp"

namespace attest_check {
namespace {

class BoundedRegion : public Region {
 public:
  BoundedRegion(const LaterSteps& where, const Bounded& evidence)
      : Region(where, evidence.outside, where.conclusion.path), evidence_(evidence) {}

 private:
  struct Centre {
    Interval distance, norm;  // at least ||e_0|| and ||p||
  };
  Centre limit_centre() const;
  Interval support_diameter_squared() const;  // R_S^2

  void require_theorem() override;
  bool bounded_residual() const override { return true; }
  bool along_path() const override { return false; }
  Interval low(const Row& row) const override {
    return row.margin - square_root(row.spread2) * number(evidence_.reach);
  }
  Interval lowest_margin(const Row& row, const Interval& risen) const override {
    return low(row) + row.slope * risen;
  }

  const Bounded& evidence_;
};

// e_0 lies in the span of S with <Delta_c, e_0> = v_c. With e~ = sum pull_c Delta_c the difference has the
// products r_c = v_c - <Delta_c, e~>, so its squared length is r'G^-1 r <= ||r||^2/lambda_min(G).
BoundedRegion::Centre BoundedRegion::limit_centre() const {
  const Interval eigenvalue = least_eigenvalue(evidence_.eigenvalue);
  claim_.require(std::includes(direction_.active.begin(), direction_.active.end(), evidence_.pull.at.begin(),
                               evidence_.pull.at.end()),
                 "pull has an entry off the support");
  std::vector<Interval> limit;  // log(binf_c/mu_c)
  Interval mean;
  for (std::size_t k = 0; k < direction_.active.size(); ++k) {
    const Row& row = active_row(k);
    const Interval factor = counted(row, head_->limit(place_of(row)));
    limit.push_back(logarithm(factor / direction_.weight[k]));
    mean += direction_.weight[k] * limit.back();
  }
  const SpanElement pulled(claim_.problem, evidence_.pull);
  const std::vector<Integer> products = pulled.margins_at(direction_.active);
  Interval squares;  // ||r||^2
  for (std::size_t k = 0; k < direction_.active.size(); ++k) {
    const Interval wanted = active_row(k).excess - (limit[k] - mean);
    const Interval rest = wanted - Interval::ratio(products[k], pulled.scale(), bits_);
    squares += rest * rest;
  }
  Interval inner;  // <w_0 - y_0 u, e~>
  for (std::size_t k = 0; k < evidence_.pull.size(); ++k) {
    inner += Interval::ratio(evidence_.pull.numerator[k], evidence_.pull.denominator, bits_) *
             row_of(evidence_.pull.at[k]).excess;
  }
  const Interval slack = square_root(squares / eigenvalue), length2 = number(pulled.norm_squared());
  const Interval rest2 = point_.residual * point_.residual - Interval(2) * inner + length2;
  return {square_root(length2) + slack, square_root(maximum(rest2, Interval(0))) + slack};
}

Interval BoundedRegion::support_diameter_squared() const {
  const std::vector<GramFactor> factors = constraint_gram(claim_.problem, direction_.active);
  const auto product = [&](std::size_t a, std::size_t b) {
    Integer result = 1;
    for (const GramFactor& factor : factors) {
      const std::vector<Integer>&x = factor.rows[factor.index[a]], &y = factor.rows[factor.index[b]];
      Integer sum;
      for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
      result *= sum;
    }
    return result;
  };
  const std::size_t count = direction_.active.size();
  std::vector<Integer> squares;
  for (std::size_t a = 0; a < count; ++a) squares.push_back(product(a, a));
  Integer largest;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b)
      largest = std::max(largest, Integer(squares[a] + squares[b] - 2 * product(a, b)));
  }
  return Interval::ratio(largest, features_.product_denominator(), bits_);
}

void BoundedRegion::require_theorem() {
  require_rule({Rule::gd, Rule::ngd});
  const Rational &ratio = evidence_.ratio, &reach = evidence_.reach;
  claim_.require(ratio >= 0 && reach > 0 && evidence_.step_bound > 0,
                 "ratio must not be negative, reach and step-bound positive");
  local_bounds(evidence_.attention, evidence_.outside);
  require_attention(evidence_.attention);
  const Interval reduced = gamma_ - number(ratio) * diameter_, bound = number(evidence_.step_bound);
  claim_.require(reduced.positive(), "ratio times the largest ||Delta|| is not below the margin");
  at_most(bound * support_diameter_squared(), Interval(4) * reduced,
          "step-bound times the support's squared diameter against four times the reduced margin");

  std::vector<Rational> widest(groups_), least_gap(groups_);  // Gm; least gap on S, 0 where there is none
  for (const Row& row : rows_) widest[row.place] = std::max(widest[row.place], Rational(abs(row.gap)));
  for (std::size_t k = 0; k < direction_.active.size(); ++k) {
    const Row& row = active_row(k);
    claim_.require(head_->settled(place_of(row), evidence_.attention[row.place], widest[row.place]),
                   "an attention range is too large for a gap of the support");
    Rational& least = least_gap[row.place];
    if (least == 0 || row.gap < least) least = row.gap;
  }
  Interval deviation, far, outside, odds_sum;
  bool everything = true;
  for (const Row& row : rows_) {
    const Interval odds = exponential(-low(row));
    odds_sum += row.upper * odds;
    if (const Rational& least = least_gap[row.place]; least > 0) {
      const Interval rate = head_->limit_rate(row.group, widest[row.place], least);
      deviation += rate * counted(row, odds) * exponential(row.slope * bound) / row.slope;
    }
    if (std::binary_search(direction_.active.begin(), direction_.active.end(),
                           Constraint{row.group, row.token}))
      continue;
    const Interval beyond = row.slope - gamma_, spread = square_root(row.spread2);
    claim_.require(beyond.positive(), "a constraint off the support is not proved to be slack");
    const Interval weight = row.upper * exponential(spread * number(reach) - row.excess - floor_);
    far += spread * weight * exponential(beyond * bound) / (reduced * beyond);
    if (row.inside) continue;
    everything = false;
    outside += weight;
  }
  at_most(outside, ratio, "weight of the other constraints against ratio");
  require_step_bound(odds_sum, evidence_.step_bound);
  const Centre centre = limit_centre();
  const Interval residual =
      square_root(centre.distance * centre.distance + Interval(4) * deviation / reduced) + far;
  at_most(residual + centre.distance, reach, "distance from the start against reach");
  at_most(residual * residual, conclusion_.excess, "squared residual of the theorem against excess");
  at_most(centre.norm, conclusion_.centre, "norm of the theorem's centre against centre");
  if (rule_ == Rule::gd) {
    require_growth(gamma_ * reduced * exponential(floor_));
  } else {
    require_growth(everything ? least_cosine() : reduced / (diameter_ * number(1 + ratio)));
  }
}

}  // namespace

void Bounded::read(Reader& in) {
  in.next("step-bound", step_bound, "ratio", ratio, "reach", reach);
  in.next(eigenvalue);
  pull = in.vector("pull");
  outside = read_outside(in);
  read_ranges(in, {{"attention", attention}});
}

void Bounded::require(const LaterSteps& where) const {
  BoundedRegion(where, *this).require();
}

}  // namespace attest_check
