#include "numerics/norms/solution_face.hpp"

#include <algorithm>

#include "numerics/margin/rank.hpp"
#include "numerics/norms/exact_rows.hpp"

namespace attest {
namespace {

class Face {
 public:
  Face(const IntegerConstraints& constraints, const Norm& norm, const NormOptimum& optimum)
      : rows_(constraints),
        sums_(norm.kind == NormKind::one),
        tight_(positions(constraints, optimum.multipliers.constraint)),
        dual_(rows_.combination(tight_, optimum.multipliers.numerator)),
        primal_(optimum.left.numerator),
        longest_(largest_magnitude(primal_)) {
    const Integer most = largest_magnitude(dual_), one = rows_.unit() * optimum.left.denominator;
    for (std::size_t j = 0; j < dual_.size(); ++j)
      if (sums_ ? abs(dual_[j]) == most : dual_[j] == 0) free_.push_back(j);
    const std::vector<Integer> margins = rows_.margins(primal_);
    for (std::size_t c = 0; c < margins.size(); ++c)
      if (margins[c] == one && !std::binary_search(tight_.begin(), tight_.end(), c)) touched_.push_back(c);
  }

  // Matrices, row by row.
  std::vector<std::vector<Integer>> kernel(const Budget& budget) const {
    if (free_.empty()) return {};
    std::vector<std::vector<Rational>> system;
    for (const std::size_t c : tight_) {
      std::vector<Rational>& row = system.emplace_back();
      for (const std::size_t j : free_) row.emplace_back(rows_.entry(c, j));
    }
    std::vector<std::vector<Integer>> result;
    for (const std::vector<Integer>& x : exact_kernel(system, budget)) {
      std::vector<Integer>& direction = result.emplace_back(dual_.size());
      for (std::size_t k = 0; k < free_.size(); ++k) direction[free_[k]] = x[k];
    }
    return result;
  }

  // Of margin 1 at every solution: those of a multiplier, and all where the optimum's own is the only one.
  std::vector<std::size_t> tight(bool unique) const {
    std::vector<std::size_t> result = tight_;
    if (unique) result.insert(result.end(), touched_.begin(), touched_.end());
    std::sort(result.begin(), result.end());
    return result;
  }

  bool leads_to_solutions(const std::vector<Integer>& direction) const {
    for (const std::size_t j : free_) {
      if (sums_ ? primal_[j] == 0 && direction[j] * dual_[j] < 0
                : abs(primal_[j]) == longest_ && direction[j] * primal_[j] > 0)
        return false;
    }
    const std::vector<Integer> margins = rows_.margins(direction);
    return std::all_of(touched_.begin(), touched_.end(), [&](std::size_t c) { return margins[c] >= 0; });
  }

 private:
  const ExactRows rows_;
  const bool sums_;  // l1
  const std::vector<std::size_t> tight_;
  const std::vector<Integer> dual_, primal_;
  const Integer longest_;
  std::vector<std::size_t> free_;     // entries in which solutions may differ
  std::vector<std::size_t> touched_;  // other constraints with margin 1 at the optimum's own matrix
};

SolutionFace face_of(const IntegerConstraints& constraints, const Norm& norm, const NormOptimum& optimum,
                     const Budget& budget) {
  const Face face(constraints, norm, optimum);
  SolutionFace found;
  for (std::vector<Integer> direction : face.kernel(budget)) {
    ++found.dimension_at_most;
    bool leads = face.leads_to_solutions(direction);
    for (Integer& x : direction) x = -x;
    leads = leads || face.leads_to_solutions(direction);
    found.dimension_at_least += leads ? 1 : 0;
  }
  // One line, which is left in neither direction.
  if (found.dimension_at_most == 1 && found.dimension_at_least == 0) found.dimension_at_most = 0;
  for (const std::size_t c : face.tight(found.dimension_at_most == 0))
    found.tight.push_back(constraints.constraint(c));
  return found;
}

}  // namespace

std::optional<SolutionFace> solution_face(const TokenData& data, const Selection& selection, const Norm& norm,
                                          const NormOptimum& optimum, const Budget& budget) {
  const bool linear = norm.kind == NormKind::one || norm.kind == NormKind::maximum;
  if (!linear || optimum.value.lo != optimum.value.hi || optimum.value.lo <= 0) return std::nullopt;
  try {
    return face_of(IntegerConstraints(data, selection), norm, optimum, budget);
  } catch (const BudgetReached&) {
    return std::nullopt;
  }
}

std::size_t largest_solution_rank(const TokenData& data) {
  std::size_t groups = 0;
  for (std::size_t i = 0; i < data.groups(); ++i) groups += data.different(i) > 1 ? 1 : 0;
  return std::min({groups, data.left_dimension, data.right_dimension});
}

}  // namespace attest
