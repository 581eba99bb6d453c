// When the selected tokens dominate for ever: the margins' lower bounds along the conclusion (RUNS.md section
// 5).
#include "proofs/checker/forever/region.hpp"

namespace attest_check {

Interval Region::rise_after(std::size_t steps) const {
  const Interval size(specification_.step, bits_);
  const Interval exact = Interval::between(1, 1, 0, bits_);
  const Interval before = exact * Interval(static_cast<long>(step_ + 1));
  const Interval sum = schedule_law(specification_.schedule).total(size, before, static_cast<long>(steps));
  Interval total = maximum(sum, Interval(0)) * number(conclusion_.growth);
  if (conclusion_.law == GrowthLaw::linear) return total;
  return logarithm(exact + total * exponential(-(gamma_ * point_.height))) / gamma_;
}

// gamma_c Y - delta_c sqrt(E + M Y), Y >= risen, is gamma_c (z^2 - E)/M - delta_c z with z = sqrt(E + M Y):
// least at the vertex delta_c M/(2 gamma_c) or at the end.
Interval Region::lowest_margin(const Row& row, const Interval& risen) const {
  // T14: along its region's path, where E is 0.
  const Interval spread = square_root(row.spread2),
                 excess = number(bounded_residual() ? Rational(0) : conclusion_.excess);
  const Interval end = square_root(excess + path_ * risen);
  const Interval z = maximum(end, spread * path_ / (Interval(2) * row.slope));
  return row.margin + row.slope * (z * z - excess) / path_ - spread * z;
}

void Region::domination(std::size_t from) const {
  claim_.require(from >= step_, "dominates-from is before the point");
  claim_.require(conclusion_.growth >= 0, "the growth is negative");
  const Interval risen = rise_after(from - step_);
  std::vector<Interval> odds(groups_);
  for (const Row& row : rows_) {
    Interval margin = lowest_margin(row, risen);
    // Where multiplicities are counts, below 2^62, e^-margin stays decisive when the bound is moved into
    // [-1024, 1024]. Offsets weigh more than that, and margins make up for them: there it is taken as it is,
    // and beyond 2^40 not at all (exit 5).
    if (features_.instance().offsets.size() == 0)
      margin = minimum(maximum(margin, Interval(-1024)), Interval(1024));
    odds[row.place] += counted(row, exponential(-margin));
  }
  for (std::size_t i = 0; i < groups_; ++i) {
    if (!kept_.empty() && 2 * kept_[i] > 1) continue;
    less(odds[i], Interval(1),
         "the other tokens' share, relative to the selected token's, at dominates-from");
  }
}

}  // namespace attest_check
