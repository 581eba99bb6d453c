#include "numerics/margin/group_margins.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "numerics/margin/kernel.hpp"
#include "numerics/margin/primal_dual.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/problem/group_subset.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {
namespace {

constexpr long shown_bits = 160;  // of the enclosures

// Of some groups, and those of the solution's rows: what is held is theirs.
class Margins {
 public:
  Margins(const GroupSubset& part, const MarginSolution& solution, const PrimalDual& known,
          const Budget& budget)
      : groups_(part.groups),
        rows_(part.data, part.selection),
        scaled_(scale_constraints(rows_, budget)),
        lengths_(scaled_),
        radius_(known.primal_radius()) {
    const ConstraintVector& w = known.primal();
    std::vector<std::size_t> at;
    for (const Constraint& c : w.constraint) at.push_back(number(c));
    products_ = rows_.products(at, w.numerator, budget);
    unit_ = rows_.gram_scale() / w.denominator;
    if (!solution.support) return;
    for (const Constraint& c : *solution.support) support_.push_back(number(c));
  }

  // Of the part's group k; nothing if it has no rows.
  std::optional<GroupMargin> of(std::size_t k) const {
    const std::size_t begin = scaled_.first[k], end = scaled_.first[k + 1];
    return begin == end ? std::nullopt : std::optional(least(begin, end));
  }

 private:
  std::size_t number(const Constraint& c) const {
    const auto group = std::lower_bound(groups_.begin(), groups_.end(), c.group) - groups_.begin();
    std::size_t at = scaled_.first[static_cast<std::size_t>(group)];
    while (rows_.row(at).loser != c.token) ++at;
    return at;
  }

  GroupMargin least(std::size_t begin, std::size_t end) const {
    const auto active = std::lower_bound(support_.begin(), support_.end(), begin);
    if (active != support_.end() && *active < end) return {rows_.row(*active).loser, point(Rational(1))};
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
    return {rows_.row(lowest).loser, shorten(margin, shown_bits)};
  }

  Rational length(double scaled) const { return Rational(scaled) * power_of_two(scaled_.exponent); }

  const std::vector<std::size_t>& groups_;  // of the whole problem, increasing
  IntegerConstraints rows_;
  ScaledConstraints scaled_;
  MarginKernel lengths_;
  Rational radius_;
  std::vector<Integer> products_;
  Rational unit_;
  std::vector<std::size_t> support_;  // constraint numbers, increasing
};

// Groups [first, last) and these others, all increasing.
std::vector<std::size_t> with_others(std::size_t first, std::size_t last,
                                     const std::vector<std::size_t>& others) {
  std::vector<std::size_t> block(last - first), all;
  std::iota(block.begin(), block.end(), first);
  std::set_union(block.begin(), block.end(), others.begin(), others.end(), std::back_inserter(all));
  return all;
}

std::vector<std::size_t> groups_of(const MarginSolution& solution, const PrimalDual& known) {
  std::vector<std::size_t> groups;
  for (const Constraint& c : known.primal().constraint) groups.push_back(c.group);
  if (solution.support) {
    for (const Constraint& c : *solution.support) groups.push_back(c.group);
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

}  // namespace

std::vector<GroupShare> group_shares(const MarginSolution& solution) {
  const auto known = primal_dual(solution);
  const ConstraintVector* dual = known == nullptr ? nullptr : known->dual();
  if (dual == nullptr || dual->size() == 0) return {};
  const Rational radius = known->dual_radius();
  struct Sum {
    Integer numerator = 0;
    std::size_t rows = 0;
  };
  std::map<std::size_t, Sum> sums;
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
  if (whole.lo <= 0) return {};
  std::vector<GroupShare> shares;
  for (const auto& [group, sum] : sums) {
    const Interval share = shorten(around(sum) / whole, shown_bits);
    shares.push_back(
        {group,
         {std::clamp(share.lo, Rational(0), Rational(1)), std::clamp(share.hi, Rational(0), Rational(1))}});
  }
  return shares;
}

std::vector<std::optional<GroupMargin>> group_margins(const TokenData& data, const Selection& selection,
                                                      const MarginSolution& solution, const Budget& budget) {
  const auto known = primal_dual(solution);
  if (known == nullptr) return {};
  const std::size_t groups = data.groups();
  std::vector<std::optional<GroupMargin>> found(groups);
  if (groups == 0 || constraint_count(data) == 0) return found;
  constexpr std::size_t most_numbers = std::size_t{1} << 20;  // at a time
  const std::vector<std::size_t> others = groups_of(solution, *known);
  const std::size_t of_group = data.first_row.back() / groups * data.left_dimension + 1;
  const std::size_t at_once = std::max(most_numbers / of_group + 1, 4 * others.size());
  for (std::size_t first = 0; first < groups; first += at_once) {
    const std::size_t last = std::min(groups, first + at_once);
    const GroupSubset part = group_subset(data, selection, with_others(first, last, others));
    const Margins margins(part, solution, *known, budget);
    for (std::size_t k = 0; k < part.groups.size(); ++k) {
      if (part.groups[k] >= first && part.groups[k] < last) found[part.groups[k]] = margins.of(k);
    }
  }
  return found;
}

}  // namespace attest
