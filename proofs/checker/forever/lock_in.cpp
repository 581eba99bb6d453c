// Lock-in by loss: see forever/lock_in.hpp.
#include "proofs/checker/forever/lock_in.hpp"

#include "proofs/checker/forever/region.hpp"
#include "proofs/checker/problem/smoothness.hpp"

namespace attest_check {
namespace {

class LockInRegion : public Region {
 public:
  LockInRegion(const LaterSteps& where, const LockIn& evidence)
      : Region(where, {}, where.conclusion.path), evidence_(evidence) {}

 private:
  void require_theorem() override;

  const LockIn& evidence_;
};

void LockInRegion::require_theorem() {
  require_rule({Rule::gd, Rule::ngd});
  require_all_gaps_positive();
  claim_.require(head_->locks_in(), "the loss of the selected tokens is no infimum of the head's");
  std::vector<Rational> least_gap(groups_);
  for (const Row& row : rows_) {
    Rational& least = least_gap[row.place];
    if (least == 0 || row.gap < least) least = row.gap;
  }
  const Interval share = head_->times_groups(point_.loss_gap);
  for (std::size_t i = 0; i < groups_; ++i) {
    const Rational drop = best_[i] - evidence_.floor[i];
    claim_.require(drop >= 0 && drop < least_gap[i],
                   "a floor is not between the two best scores of its group");
    kept_.push_back(1 - drop / least_gap[i]);
    at_most(share, head_->excess(group_of_[i], drop),
            "loss above the infimum, in one group, against its floor");
  }
  const auto range = [&](std::size_t i) {
    return AttentionRange{kept_[i], best_[i] - evidence_.floor[i], 0};
  };
  for (Row& row : rows_) bound(row, range(row.place));
  gibbs();
  const Interval twice = Interval(2) * gibbs_ / gamma_;
  if (rule_ == Rule::gd) {
    at_most(eta_ * number(smoothness_bound(claim_.problem)), Rational(1),
            "step times the smoothness constant");
    at_most(Interval(2) * eta_ * point_.loss_gap, conclusion_.excess,
            "twice the step times the loss gap against excess");
    require_path(twice);
    require_growth(gamma_ * gamma_ * exponential(floor_));
    return;
  }
  Integer widest;
  for (std::size_t i = 0; i < features_.groups(); ++i) {
    if (features_.different(i) > 1) widest = std::max(widest, diameter_squared(features_, i));
  }
  const Interval diameter2 = Interval::ratio(widest, features_.product_denominator(), bits_);
  Interval factor(1);
  for (std::size_t i = 0; i < groups_; ++i)
    factor = maximum(factor, Interval(1) + head_->bend(group_of_[i], range(i)));
  less(eta_ * diameter2 * factor * exponential(eta_ * square_root(diameter2) * factor), Interval(2) * gamma_,
       "step condition of the normalised lock-in");
  require_path(twice + normalised_spread());
  require_growth(least_cosine());
}

}  // namespace

void LockIn::require(const LaterSteps& where) const {
  LockInRegion(where, *this).require();
}

}  // namespace attest_check
