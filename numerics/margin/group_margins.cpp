#include "numerics/margin/group_margins.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/margin/kernel.hpp"
#include "numerics/margin/primal_dual.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {
namespace {

constexpr long shown_bits = 160;  // of the enclosures

class Margins {
 public:
  Margins(const TokenData& data, const Selection& selection, const MarginSolution& solution,
          const PrimalDual& known, const Budget& budget)
      : rows_(data, selection),
        scaled_(scale_constraints(rows_, budget)),
        lengths_(scaled_),
        known_(known),
        radius_(known.primal_radius()) {
    const ConstraintVector& w = known.primal();
    std::vector<std::size_t> at;
    for (const Constraint& c : w.constraint) at.push_back(number(c));
    products_ = rows_.products(at, w.numerator, budget);
    unit_ = rows_.gram_scale() / w.denominator;
    if (solution.support) {
      for (const Constraint& c : *solution.support) support_.push_back(number(c));
    }
  }

  std::vector<std::optional<GroupMargin>> all() const {
    std::vector<std::optional<GroupMargin>> groups(scaled_.first.size() - 1);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (scaled_.first[i] != scaled_.first[i + 1]) groups[i] = least(scaled_.first[i], scaled_.first[i + 1]);
    }
    add_shares(groups);
    return groups;
  }

 private:
  std::size_t number(const Constraint& c) const {
    std::size_t at = scaled_.first[c.group];
    while (rows_.constraint(at) != c) ++at;
    return at;
  }

  GroupMargin least(std::size_t begin, std::size_t end) const {
    const auto active = std::lower_bound(support_.begin(), support_.end(), begin);
    if (active != support_.end() && *active < end)
      return {rows_.row(*active).loser, point(Rational(1)), std::nullopt};
    const auto from = products_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto lowest = static_cast<std::size_t>(
        std::min_element(from, products_.begin() + static_cast<std::ptrdiff_t>(end)) - products_.begin());
    const Rational near = unit_ * products_[lowest];
    Interval margin{near, near};
    if (radius_ != 0) {
      double longest = 0;
      for (std::size_t c = begin; c < end; ++c) longest = std::max(longest, lengths_.norm_bound(c));
      margin.lo -= radius_ * length(longest);
      margin.hi += radius_ * length(lengths_.norm_bound(lowest));
    }
    margin.lo = std::max(margin.lo, Rational(1));  // w* is feasible
    margin.hi = std::max(margin.hi, Rational(1));
    return {rows_.row(lowest).loser, shorten(margin, shown_bits), std::nullopt};
  }

  Rational length(double scaled) const { return Rational(scaled) * power_of_two(scaled_.exponent); }

  void add_shares(std::vector<std::optional<GroupMargin>>& groups) const {
    const ConstraintVector* dual = known_.dual();
    if (dual == nullptr || dual->size() == 0) return;
    const Rational radius = known_.dual_radius();
    struct Sum {
      Integer numerator = 0;
      std::size_t rows = 0;
    };
    std::vector<Sum> sums(groups.size());
    Sum total;
    for (std::size_t k = 0; k < dual->size(); ++k) {
      for (Sum* sum : {&sums[dual->constraint[k].group], &total}) {
        sum->numerator += dual->numerator[k];
        ++sum->rows;
      }
    }
    const auto around = [&](const Sum& sum) {
      const Rational middle(sum.numerator, dual->denominator), error = radius * Rational(sum.rows);
      return Interval{middle - error, middle + error};
    };
    const Interval whole = around(total);
    if (whole.lo <= 0) return;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!groups[i]) continue;
      Interval share = shorten(around(sums[i]) / whole, shown_bits);
      groups[i]->share = Interval{std::clamp(share.lo, Rational(0), Rational(1)),
                                  std::clamp(share.hi, Rational(0), Rational(1))};
    }
  }

  IntegerConstraints rows_;
  ScaledConstraints scaled_;
  MarginKernel lengths_;
  const PrimalDual& known_;
  Rational radius_;
  std::vector<Integer> products_;
  Rational unit_;
  std::vector<std::size_t> support_;  // constraint numbers, increasing
};

}  // namespace

std::vector<std::optional<GroupMargin>> group_margins(const TokenData& data, const Selection& selection,
                                                      const MarginSolution& solution, const Budget& budget) {
  const auto known = primal_dual(solution);
  if (known == nullptr) return {};
  if (constraint_count(data) == 0) return std::vector<std::optional<GroupMargin>>(data.groups());
  return Margins(data, selection, solution, *known, budget).all();
}

}  // namespace attest
