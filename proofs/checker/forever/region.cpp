// What the theorems about all later steps share: see forever/region.hpp.
#include "proofs/checker/forever/region.hpp"

#include "proofs/checker/problem/constraint_gram.hpp"

namespace attest_check {

Region::Region(const LaterSteps& where, const std::vector<Constraint>& outside, const Rational& path)
    : claim_(where.claim),
      direction_(where.direction),
      specification_(where.specification),
      step_(where.step),
      rule_(specification_.rule),
      point_(where.point),
      conclusion_(where.conclusion),
      features_(*claim_.problem.features),
      bits_(direction_.bits),
      gamma_(direction_.margin),
      constant_(specification_.schedule == Schedule::constant ? &specification_.step : nullptr),
      eta_(specification_.step_size(step_, bits_).upper_end()),
      head_(make_head(claim_.problem, bits_)),
      region_path_(path),
      path_(number(path)) {
  read_rows(outside);
}

void Region::require() {
  if (conclusion_.growth <= 0) claim_.fail("growth", conclusion_.growth, ">", 0);
  claim_.require(!bounded_residual() || conclusion_.path == 0, "the path constant is not 0");
  claim_.require(conclusion_.excess >= 0, "the excess is negative");
  claim_.require(!along_path() || region_path_ > 0, "the path constant is not positive");
  if (along_path()) at_most(point_.residual, conclusion_.centre, "residual at the point against centre");
  at_most(Interval(conclusion_.height, bits_), point_.height, "height against <w_0, u>");
  claim_.require(conclusion_.law == update_rule(rule_).growth,
                 "growth is logarithmic for gd, linear otherwise");
  claim_.require(!update_rule(rule_).uses_loss_gap || head_->locks_in(),
                 "steps that use L - L* are not known of ReLU units");
  require_theorem();
  if (conclusion_.dominates_from) domination(*conclusion_.dominates_from);
}

void Region::read_rows(const std::vector<Constraint>& outside) {
  std::size_t place = 0;
  bool first = true;
  for (std::size_t i = 0; i < features_.groups(); ++i) {
    if (features_.different(i) == 1) continue;
    const std::size_t selected = claim_.problem.selection[i];
    const std::vector<Interval> slopes = direction_.slopes(i);
    group_of_.push_back(i);
    best_.push_back(head_->best(i));
    claim_.require(head_->covers(i), "the head has no bounds where group " + std::to_string(i) +
                                         " selects token " + std::to_string(selected));
    for (std::size_t t = 0; t < features_.tokens_of(i); ++t) {
      if (t == selected || !features_.present(i, t)) continue;
      Row row;
      row.place = place;
      row.group = i;
      row.token = t;
      row.gap = head_->gap({i, t});
      row.inside = row.gap > 0 && !std::binary_search(outside.begin(), outside.end(), Constraint{i, t});
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
}

void Region::require_signs(const std::vector<Rational>& attention) const {
  for (std::size_t i = 0; i < groups_; ++i) {
    if (const auto unit = head_->open_unit(group_of_[i], 1 - attention[i]))
      claim_.fail("the sign of unit " + std::to_string(*unit) + " of the head is open in group " +
                  std::to_string(group_of_[i]));
  }
}

WeightBounds Region::bound(Row& row, const AttentionRange& range) const {
  WeightBounds by = head_->bounds(place_of(row), range);
  claim_.require(by.lower.positive(),
                 "an attention range is too large for the weight at " + show(place_of(row)));
  row.lower = counted(row, by.lower);
  row.upper = counted(row, by.upper);
  return by;
}

void Region::gibbs() {
  floor_ = Interval(0);
  for (std::size_t k = 0; k < direction_.active.size(); ++k) {
    const Row& row = active_row(k);
    claim_.require(row.inside,
                   "the constraint " + show(direction_.active[k]) +
                       " has a positive multiplier, but no positive score gap or is listed outside");
    floor_ += direction_.weight[k] * logarithm(row.lower / direction_.weight[k]);
  }
  Interval sum;
  for (const Row& row : rows_) {
    if (row.inside) sum += row.upper * exponential(-row.excess);
  }
  // C >= 0 (T7'').
  gibbs_ = maximum(logarithm(sum) - floor_, Interval(0));
}

Interval Region::normalised_spread() const {
  const Interval c = least_cosine();
  return eta_ * maximum(Interval(1) - c * c, Interval(0)) / c;
}

void Region::require_rule(std::initializer_list<Rule> covered) const {
  claim_.require(
      std::find(covered.begin(), covered.end(), rule_) != covered.end(),
      std::string("the theorem does not cover ") + rule_names[static_cast<std::size_t>(rule_)] + " steps");
}

void Region::require_attention(const std::vector<Rational>& attention) const {
  std::vector<Interval> odds(groups_);
  for (const Row& row : rows_) odds[row.place] += counted(row, exponential(-low(row)));
  for (std::size_t i = 0; i < groups_; ++i)
    at_most(odds[i] / (Interval(1) + odds[i]), attention[i], "attention left to other tokens");
}

void Region::local_bounds(const std::vector<Rational>& attention, const std::vector<Constraint>& outside) {
  for (const Constraint& c : outside) {
    claim_.require(row_of(c).gap > 0, "the constraint " + show(c) + " listed outside is outside anyway");
  }
  require_signs(attention);
  std::vector<Rational> above(groups_), below(groups_);  // G+, G-
  for (const Row& row : rows_) {
    above[row.place] = std::max(above[row.place], row.gap);
    below[row.place] = std::max(below[row.place], Rational(-row.gap));
  }
  for (Row& row : rows_) {
    const Rational& eps = attention[row.place];
    claim_.require(eps >= 0 && eps < 1, "an attention range is not in [0, 1)");
    const AttentionRange range{1 - eps, eps * above[row.place], eps * below[row.place]};
    if (!row.inside) {
      row.upper = counted(row, head_->most_magnitude(place_of(row), range));
      continue;
    }
    claim_.require(head_->bounded_by_attention() || range.down < row.gap,
                   "an attention range is too large for a gap of its group");
    bound(row, range);
  }
  gibbs();
}

void Region::require_step_bound(const Interval& odds_sum, const Rational& step_bound) const {
  const bool fixed = update_rule(rule_).fixed_length;
  if (fixed && constant_ != nullptr) {
    claim_.require_at_most(*constant_, step_bound, "length of later steps against step-bound");
  } else {
    at_most(fixed ? eta_ : eta_ * diameter_ * odds_sum, step_bound,
            "length of later steps against step-bound");
  }
}

Interval Region::least_eigenvalue(const EigenvalueBound& bound) const {
  claim_.require(bound.bound > 0, "the bound of the smallest eigenvalue is not positive");
  claim_.require(smallest_eigenvalue_at_least(constraint_gram(claim_.problem, direction_.active), bound.bound,
                                              bound.bits),
                 "the smallest eigenvalue of the Gram matrix of the support is not proved to be at least " +
                     show(bound.bound) + " with " + std::to_string(bound.bits) + " bits");
  return number(bound.bound);
}

}  // namespace attest_check
