// The theorems about all later steps: see forever.hpp.
#include "proofs/checker/forever.hpp"

#include <algorithm>

#include "proofs/checker/smoothness.hpp"

namespace attest_check {
namespace {

// One constraint at the point w_0.
struct Row {
  std::size_t place = 0;  // of its group among the groups with more than one token
  std::size_t group = 0, token = 0;
  Rational gap;
  Interval norm;          // ||Delta_c||
  Interval slope;         // gamma_c
  Interval spread2;       // delta_c^2 = ||Delta_c||^2 - gamma_c^2
  Interval margin;        // m_c(w_0)
  Interval excess;        // m_c(w_0) - gamma y_0
  Interval lower, upper;  // bounds of b_c on P
  Interval size;          // bound of |b_c| on N
};

class Region {
 public:
  Region(const Claim& claim, const ReferenceDirection& direction, const Specification& specification,
         std::size_t step, const RunPoint& point, const ForeverEvidence& evidence)
      : claim_(claim),
        direction_(direction),
        rule_(specification.rule),
        point_(point),
        evidence_(evidence),
        features_(*claim.problem.features),
        bits_(direction.bits),
        gamma_(direction.margin),
        constant_(specification.schedule == Schedule::constant ? &specification.step : nullptr),
        eta_(specification.step_size(step, bits_).upper_end()),
        weight_(Interval::ratio(1, Integer(features_.groups()), bits_)) {
    read_rows();
  }

  void require(const ForeverConclusion& conclusion) {
    conclusion_ = &conclusion;
    claim_.require(conclusion.path > 0, "the path constant is not positive");
    claim_.require(conclusion.excess >= 0, "the excess is negative");
    path_ = Interval(conclusion.path, bits_);
    at_most(point_.residual, conclusion.centre, "residual at the point against centre");
    at_most(Interval(conclusion.height, bits_), point_.height, "height against <w_0, u>");
    claim_.require(conclusion.logarithmic == (rule_ == Rule::gd), "growth is logarithmic for gd, linear otherwise");
    switch (evidence_.theorem) {
      case Theorem::absorbing:
        return absorbing();
      case Theorem::local:
        return local();
      case Theorem::lock_in:
        return lock_in();
    }
  }

 private:
  Interval number(const Rational& value) const { return Interval(value, bits_); }
  Interval slope_at(const Rational& score) const { return loss_slope(claim_.problem.loss, number(score)); }

  void at_most(const Interval& left, const Interval& right, const std::string& what) const {
    if (!certainly_at_most(left, right)) claim_.fail(what, left.upper(), "<=", right.lower());
  }
  void at_most(const Interval& left, const Rational& right, const std::string& what) const {
    if (left.upper() > right) claim_.fail(what, left.upper(), "<=", right);
  }
  void less(const Interval& left, const Interval& right, const std::string& what) const {
    if (!certainly_less(left, right)) claim_.fail(what, left.upper(), "<", right.lower());
  }

  void read_rows() {
    std::size_t place = 0;
    bool first = true;
    for (std::size_t i = 0; i < features_.groups(); ++i) {
      if (features_.tokens_of(i) == 1) continue;
      const std::size_t selected = claim_.problem.selection[i];
      const std::vector<Interval> slopes = direction_.slopes(i);
      best_.push_back(features_.exact_score(i, selected));
      for (std::size_t t = 0; t < features_.tokens_of(i); ++t) {
        if (t == selected) continue;
        Row row;
        row.place = place;
        row.group = i;
        row.token = t;
        row.gap = best_.back() - features_.exact_score(i, t);
        const Interval squared = number(token_distance_squared(features_, i, selected, t));
        row.norm = square_root(squared);
        row.slope = slopes[t];
        row.spread2 = maximum(squared - row.slope * row.slope, Interval(0));
        row.margin = point_.margin[i][t];
        row.excess = row.margin - gamma_ * point_.height;
        diameter_ = first ? row.norm : maximum(diameter_, row.norm);
        first = false;
        rows_.push_back(row);
      }
      ++place;
    }
    groups_ = place;
    claim_.require(evidence_.theorem == Theorem::local || evidence_.output.size() == groups_,
                   "one line for each group with more than one token is needed");
    claim_.require(evidence_.theorem == Theorem::lock_in || evidence_.attention.size() == groups_,
                   "one line for each group with more than one token is needed");
  }

  const Row& active_row(std::size_t k) const {
    const Constraint& c = direction_.active[k];
    return *std::find_if(rows_.begin(), rows_.end(),
                         [&](const Row& row) { return row.group == c.group && row.token == c.token; });
  }

  // K and C of DYNAMICS.md section 2 from the bounds of b_c; P are the constraints with a positive gap.
  void gibbs() {
    floor_ = Interval(0);
    for (std::size_t k = 0; k < direction_.active.size(); ++k) {
      const Row& row = active_row(k);
      claim_.require(row.gap > 0, "a constraint with a positive multiplier has no positive score gap");
      floor_ += direction_.weight[k] * logarithm(row.lower / direction_.weight[k]);
    }
    Interval sum;
    for (const Row& row : rows_) {
      if (row.gap > 0) sum += row.upper * exponential(-row.excess);
    }
    // C >= 0 (T7'').
    gibbs_ = maximum(logarithm(sum) - floor_, Interval(0));
  }

  Interval low(const Row& row) const {
    return row.margin - row.spread2 * path_ / (Interval(4) * row.slope);
  }

  // least gamma_c/||Delta_c||, at most 1.
  Interval least_cosine() const {
    Interval least(1);
    for (const Row& row : rows_) least = -maximum(-least, -(row.slope / row.norm));
    return least;
  }

  // T9s, normalised: eta (1 - cmin^2)/cmin.
  Interval normalised_spread() const {
    const Interval c = least_cosine();
    return eta_ * maximum(Interval(1) - c * c, Interval(0)) / c;
  }

  void require_path(const Interval& needed) const {
    at_most(needed, conclusion_->path, "path constant of the theorem against path");
  }
  void require_growth(const Interval& proved) const {
    at_most(number(conclusion_->growth), proved, "growth against the theorem's");
  }

  void require_all_gaps_positive() const {
    for (const Row& row : rows_) {
      if (row.gap <= 0)
        claim_.fail("score gap at " + show(Constraint{row.group, row.token}), row.gap, ">", 0);
    }
  }

  // E_i/(1 + E_i) <= eps_i with E_i = sum e^-low over the group.
  void require_attention() const {
    std::vector<Interval> odds(groups_);
    for (const Row& row : rows_) odds[row.place] += exponential(-low(row));
    for (std::size_t i = 0; i < groups_; ++i)
      at_most(odds[i] / (Interval(1) + odds[i]), evidence_.attention[i], "attention left to other tokens");
  }

  // T10.
  void absorbing() {
    require_all_gaps_positive();
    Interval theta_high(1), theta_other(1), theta_low(1);
    for (std::size_t i = 0; i < groups_; ++i) {
      claim_.require(evidence_.attention[i] >= 0 && evidence_.attention[i] < 1, "an attention range is not in [0, 1)");
      claim_.require(evidence_.output[i] >= 0, "an output range is negative");
      theta_other = maximum(theta_other, Interval(1) / number(1 - evidence_.attention[i]));
    }
    for (Row& row : rows_) {
      const Rational& phi = evidence_.output[row.place];
      claim_.require(phi < row.gap, "an output range is not below the least gap of its group");
      const Interval least = slope_at(best_[row.place]), most = slope_at(best_[row.place] - phi);
      row.lower = weight_ * least * number((1 - evidence_.attention[row.place]) * (row.gap - phi));
      row.upper = weight_ * most * number(row.gap);
      theta_high = maximum(theta_high, number(row.gap / (row.gap - phi)));
      theta_low = -maximum(-theta_low, -(least / most));
    }
    gibbs();
    const Interval twice = Interval(2) * gibbs_ / gamma_;
    Interval output_sum;
    std::vector<Interval> outputs(groups_);
    for (const Row& row : rows_) {
      const Interval odds = exponential(-low(row));
      outputs[row.place] += number(row.gap) * odds;
      output_sum += row.upper * odds;
    }
    require_attention();
    for (std::size_t i = 0; i < groups_; ++i) at_most(outputs[i], evidence_.output[i], "output lost to other tokens");
    if (rule_ == Rule::ngd) {
      require_path(twice + normalised_spread());
      require_growth(least_cosine());
    } else if (rule_ == Rule::gd) {
      at_most(eta_ * diameter_ * output_sum, evidence_.step_bound, "length of later steps against step-bound");
      Interval ratio(0);
      for (const Row& row : rows_) ratio = maximum(ratio, square_root(row.spread2) / row.slope);
      require_path(twice + number(evidence_.step_bound) * ratio);
      require_growth(gamma_ * gamma_ * exponential(floor_));
    } else {
      const Interval theta = -maximum(-theta_high, -theta_other);
      require_path(twice + eta_ * theta / gamma_);
      require_growth(theta_low * gamma_ / (diameter_ * diameter_));
    }
  }

  // T11.
  void local() {
    claim_.require(rule_ != Rule::polyak, "the theorem does not cover polyak steps");
    const Rational &ratio = evidence_.ratio, &theta = evidence_.theta;
    claim_.require(ratio >= 0 && evidence_.extra >= 0 && theta > 0 && evidence_.step_bound >= 0,
                   "ratio, extra and step-bound must not be negative and theta must be positive");
    std::vector<Rational> above(groups_), below(groups_);  // G+, G-
    for (const Row& row : rows_) {
      above[row.place] = std::max(above[row.place], row.gap);
      below[row.place] = std::max(below[row.place], Rational(-row.gap));
    }
    for (Row& row : rows_) {
      const Rational& eps = evidence_.attention[row.place];
      claim_.require(eps >= 0 && eps < 1, "an attention range is not in [0, 1)");
      const Rational down = eps * above[row.place], up = eps * below[row.place];
      const Interval least = slope_at(best_[row.place] + up), most = slope_at(best_[row.place] - down);
      row.size = weight_ * most * number(abs(row.gap) + std::max(down, up));
      if (row.gap <= 0) continue;
      claim_.require(down < row.gap, "an attention range is too large for a gap of its group");
      row.lower = weight_ * least * number((1 - eps) * (row.gap - down));
      row.upper = weight_ * most * number(row.gap + up);
    }
    gibbs();
    require_attention();
    const Interval reduced = gamma_ - number(ratio) * diameter_;
    claim_.require(reduced.positive(), "ratio times the largest ||Delta|| is not below the margin");
    Interval at_zero, at_theta, step_sum;  // e^K R(0), e^K R(theta)
    for (const Row& row : rows_) {
      step_sum += (row.gap > 0 ? row.upper : row.size) * exponential(-low(row));
      if (row.gap > 0) continue;
      const Interval beyond = row.slope - gamma_;
      claim_.require(beyond.positive(), "a constraint without a positive gap is not proved to be slack");
      const Interval wider = square_root(row.spread2) + number(theta);
      const Interval scale = path_ / (Interval(4) * beyond);
      at_zero += row.size * exponential(row.spread2 * scale - row.excess);
      at_theta += row.size * exponential(wider * wider * scale - row.excess);
    }
    const Interval inverse_floor = exponential(-floor_), e = exponential(Interval::between(1, 1, 0, bits_));
    at_most(at_zero * inverse_floor, ratio, "weight of the other constraints against ratio");
    at_most(Interval(2) * diameter_ * at_theta * inverse_floor / (e * number(theta)), evidence_.extra,
            "drift by the other constraints against extra");
    const Interval bound = number(evidence_.step_bound);
    if (rule_ == Rule::ngd && constant_ != nullptr) {
      claim_.require_at_most(*constant_, evidence_.step_bound, "length of later steps against step-bound");
    } else {
      at_most(rule_ == Rule::ngd ? eta_ : eta_ * diameter_ * step_sum, evidence_.step_bound,
              "length of later steps against step-bound");
    }
    require_path((Interval(2) * gibbs_ + number(evidence_.extra) + bound * diameter_ * number(1 + ratio)) / reduced);
    require_growth(rule_ == Rule::ngd ? reduced / (diameter_ * number(1 + ratio))
                                      : gamma_ * reduced * exponential(floor_));
  }

  // T12 and T12n.
  void lock_in() {
    claim_.require(rule_ != Rule::polyak, "the theorem does not cover polyak steps");
    require_all_gaps_positive();
    std::vector<Rational> least_gap(groups_);
    for (const Row& row : rows_) {
      Rational& least = least_gap[row.place];
      if (least == 0 || row.gap < least) least = row.gap;
    }
    const Interval share = point_.loss_gap / weight_;
    Rational largest;  // g_alpha - flo
    for (std::size_t i = 0; i < groups_; ++i) {
      const Rational drop = best_[i] - evidence_.output[i];
      claim_.require(drop >= 0 && drop < least_gap[i], "a floor is not between the two best scores of its group");
      largest = std::max(largest, drop);
      at_most(share, loss_excess(claim_.problem.loss, number(best_[i]), number(drop)),
              "loss above the infimum, in one group, against its floor");
    }
    for (Row& row : rows_) {
      const Rational &floor = evidence_.output[row.place], drop = best_[row.place] - floor;
      const Rational &least = least_gap[row.place], kept = (least - drop) / least;
      row.lower = weight_ * slope_at(best_[row.place]) * number(kept * (row.gap - drop));
      row.upper = weight_ * slope_at(floor) * number(row.gap);
    }
    gibbs();
    const Interval twice = Interval(2) * gibbs_ / gamma_;
    if (rule_ == Rule::gd) {
      at_most(eta_ * number(smoothness_bound(claim_.problem)), Rational(1), "step times the smoothness constant");
      at_most(Interval(2) * eta_ * point_.loss_gap, conclusion_->excess, "twice the step times the loss gap against excess");
      require_path(twice);
      require_growth(gamma_ * gamma_ * exponential(floor_));
      return;
    }
    Integer widest;
    for (std::size_t i = 0; i < features_.groups(); ++i) {
      if (features_.tokens_of(i) > 1) widest = std::max(widest, diameter_squared(features_, i));
    }
    const Interval diameter2 = Interval::ratio(widest, features_.product_denominator(), bits_);
    const Interval factor = number(claim_.problem.loss == Loss::correlation ? Rational(1) : Rational(1 + largest));
    less(eta_ * diameter2 * factor * exponential(eta_ * square_root(diameter2) * factor), Interval(2) * gamma_,
         "step condition of the normalised lock-in");
    require_path(twice + normalised_spread());
    require_growth(least_cosine());
  }

  const Claim& claim_;
  const ReferenceDirection& direction_;
  const Rule rule_;
  const RunPoint& point_;
  const ForeverEvidence& evidence_;
  const ForeverConclusion* conclusion_ = nullptr;
  const Features& features_;
  const unsigned bits_;
  const Interval gamma_;
  const Rational* constant_;     // eta where it does not change: exact
  const Interval eta_, weight_;  // eta_: at least every later step size
  std::size_t groups_ = 0;
  std::vector<Rational> best_;  // score of the selected token, per group with more than one
  std::vector<Row> rows_;
  Interval diameter_;  // max ||Delta_c||
  Interval path_, floor_, gibbs_;
};

}  // namespace

void require_forever(const Claim& claim, const ReferenceDirection& direction, const Specification& specification,
                     std::size_t step, const RunPoint& point, const ForeverEvidence& evidence,
                     const ForeverConclusion& conclusion) {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  try {
    Region(claim, direction, specification, step, point, evidence).require(conclusion);
  } catch (const Imprecise&) {
    claim.fail("a number is not bounded away from 0");
  }
}

}  // namespace attest_check
