#include "numerics/norms/solution_face.hpp"

#include <algorithm>
#include <map>

#include "numerics/norms/exact_rows.hpp"
#include "numerics/norms/vanishing_combination.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/numbers/exact_elimination.hpp"

namespace attest {
namespace {

// At least half of a positive number.
Rational power_of_two_below(const Rational& x) {
  return power_of_two(static_cast<long>(msb(numerator(x))) - static_cast<long>(msb(denominator(x))) - 1);
}

class Face {
 public:
  Face(const IntegerConstraints& constraints, const Norm& norm, const NormOptimum& optimum)
      : rows_(constraints),
        sums_(norm.kind == NormKind::one),
        tight_(positions(constraints, optimum.multipliers.constraint)),
        dual_(rows_.combination(tight_, optimum.multipliers.numerator)),
        primal_(optimum.left.numerator),
        denominator_(optimum.left.denominator),
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
      const std::vector<Integer> row = at_free_entries(c);
      system.emplace_back(row.begin(), row.end());
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

  // Multipliers that prove as much as the optimum's, positive at more constraints or with fewer free entries:
  // those plus a little of a combination of the rows, and of the bounds of entries, that is 0 on the kernel.
  std::optional<NormOptimum> improved(const IntegerConstraints& constraints, const NormOptimum& optimum,
                                      const std::vector<std::vector<Integer>>& kernel,
                                      const Budget& budget) const {
    std::vector<std::vector<Integer>> equations, inequalities, directions;
    for (const std::size_t c : tight_) equations.push_back(at_free_entries(c));
    for (const std::size_t c : touched_) inequalities.push_back(at_free_entries(c));
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const int side = bound_side(free_[k]);
      if (side == 0) continue;
      inequalities.emplace_back(free_.size());
      inequalities.back()[k] = side;
    }
    for (const std::vector<Integer>& direction : kernel) {
      std::vector<Integer>& x = directions.emplace_back();
      for (const std::size_t j : free_) x.push_back(direction[j]);
    }
    const auto found = vanishing_combination(equations, inequalities, directions, budget);
    if (!found) return std::nullopt;
    std::map<std::size_t, Integer> change;
    for (std::size_t k = 0; k < tight_.size(); ++k) change[tight_[k]] = found->equal[k];
    for (std::size_t k = 0; k < touched_.size(); ++k)
      if (found->positive[k] != 0) change[touched_[k]] = found->positive[k];
    for (std::size_t shift = 1; shift <= 1U << 16; shift *= 2) {
      budget.poll();
      if (auto better = changed(constraints, optimum, change, shift)) return better;
    }
    return std::nullopt;
  }

  // A prime modulo which the rows with multipliers are independent at the free entries but these.
  std::optional<std::uint64_t> modulus(const std::vector<std::size_t>& entries, const Budget& budget) const {
    std::vector<std::vector<Integer>> rows;
    for (const std::size_t c : tight_) {
      std::vector<Integer>& row = rows.emplace_back();
      for (const std::size_t j : free_)
        if (!std::binary_search(entries.begin(), entries.end(), j)) row.push_back(rows_.entry(c, j));
    }
    return independence_modulus(rows, budget);
  }

  // A solution in this direction, which leads to some: as far as a power of two goes.
  std::vector<Integer> solution(const std::vector<Integer>& direction, Integer& denominator) const {
    const Rational step = power_of_two_below(longest_step(direction));
    denominator = denominator_ * boost::multiprecision::denominator(step);
    const Integer share = denominator_ * numerator(step);
    std::vector<Integer> result;
    Integer common = denominator;
    for (std::size_t j = 0; j < direction.size(); ++j) {
      result.push_back(primal_[j] * boost::multiprecision::denominator(step) + direction[j] * share);
      common = gcd(common, result.back());
    }
    for (Integer& entry : result) entry /= common;
    denominator /= common;
    return result;
  }

  bool leads_to_solutions(const std::vector<Integer>& direction) const {
    for (const std::size_t j : free_)
      if (direction[j].sign() * bound_side(j) < 0) return false;
    const std::vector<Integer> margins = rows_.margins(direction);
    return std::all_of(touched_.begin(), touched_.end(), [&](std::size_t c) { return margins[c] >= 0; });
  }

 private:
  std::vector<Integer> at_free_entries(std::size_t c) const {
    std::vector<Integer> row;
    for (const std::size_t j : free_) row.push_back(rows_.entry(c, j));
    return row;
  }

  // The side to which solutions may go at this free entry, 0 for both.
  int bound_side(std::size_t j) const {
    if (sums_) return primal_[j] == 0 ? dual_[j].sign() : 0;
    return abs(primal_[j]) == longest_ ? -primal_[j].sign() : 0;
  }

  // The multipliers times 2^shift plus the change, if that leaves all positive and no entry more free.
  std::optional<NormOptimum> changed(const IntegerConstraints& constraints, const NormOptimum& optimum,
                                     const std::map<std::size_t, Integer>& change, std::size_t shift) const {
    NormOptimum better = optimum;
    better.multipliers = {};
    better.multipliers.denominator = optimum.multipliers.denominator << shift;
    std::vector<std::size_t> at;
    Integer total, size;
    std::size_t known = 0;
    for (const auto& [c, more] : change) {
      Integer value = more;
      if (known < tight_.size() && tight_[known] == c)
        value += optimum.multipliers.numerator[known++] << shift;
      if (value <= 0) return std::nullopt;
      at.push_back(c);
      better.multipliers.constraint.push_back(constraints.constraint(c));
      better.multipliers.numerator.push_back(value);
      total += value;
    }
    const std::vector<Integer> dual = rows_.combination(at, better.multipliers.numerator);
    const Integer most = largest_magnitude(dual_) << shift;
    for (std::size_t j = 0; j < dual.size(); ++j) {
      const bool free = std::binary_search(free_.begin(), free_.end(), j);
      if (sums_ ? abs(dual[j]) > most || (!free && abs(dual[j]) == most) : !free && dual[j] * dual_[j] <= 0)
        return std::nullopt;
      size += abs(dual[j]);
    }
    const Integer unit = rows_.unit() * better.multipliers.denominator;
    better.dual_bound = Rational(sums_ ? most : size, unit);
    if (Rational(total, better.multipliers.denominator) != better.value.lo * better.dual_bound)
      return std::nullopt;
    return better;
  }

  // No solution is further: an entry would change its sign (l1) or be too large (linf), or a margin too
  // small.
  Rational longest_step(const std::vector<Integer>& direction) const {
    std::optional<Rational> longest;
    const auto at_most = [&](const Integer& room, const Integer& pace) {
      const Rational step(room, abs(pace));
      if (!longest || step < *longest) longest = step;
    };
    for (const std::size_t j : free_) {
      if (direction[j] == 0) continue;
      if (!sums_) at_most(direction[j] > 0 ? longest_ - primal_[j] : longest_ + primal_[j], direction[j]);
      if (sums_ && direction[j] * primal_[j] < 0) at_most(abs(primal_[j]), direction[j]);
    }
    const std::vector<Integer> own = rows_.margins(primal_), margins = rows_.margins(direction);
    for (std::size_t c = 0; c < margins.size(); ++c)
      if (margins[c] < 0) at_most(own[c] - rows_.unit() * denominator_, margins[c]);
    return *longest / denominator_;
  }

  const ExactRows rows_;
  const bool sums_;  // l1
  const std::vector<std::size_t> tight_;
  const std::vector<Integer> dual_, primal_;
  const Integer denominator_, longest_;
  std::vector<std::size_t> free_;     // entries in which solutions may differ
  std::vector<std::size_t> touched_;  // other constraints with margin 1 at the optimum's own matrix
};

// For each of these independent vectors, the first entry at which the others are 0.
std::vector<std::size_t> own_entries(const std::vector<std::vector<Integer>>& vectors) {
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    const auto own = [&](std::size_t j) {
      for (std::size_t l = 0; l < vectors.size(); ++l)
        if ((vectors[l][j] == 0) == (l == k)) return false;
      return true;
    };
    for (std::size_t j = 0; j < vectors[k].size(); ++j) {
      if (!own(j)) continue;
      result.push_back(j);
      break;
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

// Vectors of `kernel` that lead to solutions, as they do.
std::vector<std::vector<Integer>> leading(const Face& face, const std::vector<std::vector<Integer>>& kernel) {
  std::vector<std::vector<Integer>> result;
  for (std::vector<Integer> direction : kernel) {
    bool leads = face.leads_to_solutions(direction);
    if (!leads) {
      for (Integer& x : direction) x = -x;
      leads = face.leads_to_solutions(direction);
    }
    if (leads) result.push_back(std::move(direction));
  }
  return result;
}

constexpr std::size_t most_written_entries = std::size_t{1} << 18;

std::optional<FaceEvidence> evidence_of(const IntegerConstraints& constraints, const Face& face,
                                        const std::vector<std::vector<Integer>>& kernel,
                                        const std::vector<std::vector<Integer>>& directions,
                                        const Budget& budget) {
  FaceEvidence shown;
  shown.entries = own_entries(kernel);
  const std::optional<std::uint64_t> modulus = face.modulus(shown.entries, budget);
  if (!modulus) return std::nullopt;
  shown.modulus = *modulus;
  for (const std::size_t c : face.tight(kernel.empty())) shown.tight.push_back(constraints.constraint(c));
  const std::size_t rows = constraints.data().left_dimension, columns = constraints.data().right_dimension;
  shown.columns = columns;
  for (const std::vector<Integer>& direction : directions) {
    if (!shown.others.empty() && (shown.others.size() + 1) * direction.size() > most_written_entries) break;
    budget.poll();
    WrittenMatrix& other = shown.others.emplace_back();
    other.rows = rows;
    other.columns = columns;
    other.numerator = face.solution(direction, other.denominator);
  }
  return shown;
}

SolutionFace face_of(const IntegerConstraints& constraints, const Norm& norm, NormOptimum& optimum,
                     const Budget& budget) {
  std::optional<Face> known(std::in_place, constraints, norm, optimum);
  std::vector<std::vector<Integer>> kernel = known->kernel(budget);
  while (!kernel.empty()) {
    std::optional<NormOptimum> better = known->improved(constraints, optimum, kernel, budget);
    if (!better) break;
    optimum = std::move(*better);
    known.emplace(constraints, norm, optimum);
    kernel = known->kernel(budget);
  }
  const Face& face = *known;
  SolutionFace found;
  const std::vector<std::vector<Integer>> directions = leading(face, kernel);
  found.dimension_at_most = kernel.size();
  found.dimension_at_least = directions.size();
  found.evidence = evidence_of(constraints, face, kernel, directions, budget);
  // One line, which is left in neither direction.
  if (found.dimension_at_most == 1 && found.dimension_at_least == 0) found.dimension_at_most = 0;
  for (const std::size_t c : face.tight(found.dimension_at_most == 0))
    found.tight.push_back(constraints.constraint(c));
  return found;
}

}  // namespace

std::optional<SolutionFace> solution_face(const TokenData& data, const Selection& selection, const Norm& norm,
                                          NormOptimum& optimum, const Budget& budget) {
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
