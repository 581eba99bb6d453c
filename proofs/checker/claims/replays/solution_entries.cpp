// The direction of a cited solution: see claims/replays/solution_entries.hpp.
#include "proofs/checker/claims/replays/solution_entries.hpp"

namespace attest_check {

SolutionEntries::SolutionEntries(const ReferenceDirection& known, unsigned bits)
    : radius_(known.radius), norm_(known.norm) {
  const Features& features = *known.centre->problem().features;
  const std::size_t d = features.left_dimension(), e = features.right_dimension();
  const Integer denominator = known.centre->column_denominator();
  centre_.resize(d * e);
  for (std::size_t k = 0; k < e; ++k) {
    const std::vector<Integer> column = known.centre->column(k);
    for (std::size_t j = 0; j < d; ++j) centre_[j * e + k] = Interval::ratio(column[j], denominator, bits);
  }
}

Interval SolutionEntries::along(const std::vector<Interval>& x, const Interval& length) const {
  const Interval product = inner_product(x, centre_), reach = radius_ * length;
  return Interval::hull(product - reach, product + reach) / norm_;
}

}  // namespace attest_check
