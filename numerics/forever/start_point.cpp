#include "numerics/forever/start_point.hpp"

#include "numerics/forever/classifier_head.hpp"
#include "numerics/forever/group_images.hpp"

namespace attest {
namespace {

void fill_offsets(StartPoint<BallNumber>& start, const SelectionFacts<BallNumber>& facts) {
  const BallNumber along = facts.margin * start.height;
  for (const BallNumber& margin : start.margins) start.offsets.push_back(margin - along);
}

// L - L* from the margins; not a number where the selected tokens are not where the loss is least, which no
// theorem asks for.
BallNumber loss_gap_of(const SelectionFacts<BallNumber>& facts, const std::vector<BallNumber>& margins) {
  BallNumber sum(0.0);
  if (!facts.least_loss) return sum / sum;
  for (const SelectionGroup<BallNumber>& group : facts.groups) {
    BallNumber total(1.0), gaps(0.0);
    std::vector<BallNumber> shift(facts.loss == Loss::classifier ? group.origin.size() : 0, BallNumber(0.0));
    for (std::size_t c = group.first; c < group.last; ++c) {
      const ConstraintFacts<BallNumber>& k = facts.constraints[c];
      const BallNumber odds = k.counted(exp(-margins[c]));
      total += odds;
      gaps += odds * k.gap;
      for (std::size_t u = 0; u < shift.size(); ++u) shift[u] += odds * k.shift[u];
    }
    if (facts.loss == Loss::classifier) {
      for (BallNumber& x : shift) x = x / total;
      sum += facts.weight * classifier_excess(group.origin, shift);
      continue;
    }
    const BallNumber deficit = gaps / total;
    Ball gap;
    loss_gap(gap.raw(), facts.loss, group.score.ball().raw(), deficit.ball().raw(), BallNumber::bits);
    sum += facts.weight * BallNumber(gap);
  }
  return sum;
}

}  // namespace

StartPoint<BallNumber> start_point(const SelectionFacts<BallNumber>& facts, const RunObserver& observer,
                                   const RunPoint& point) {
  StartPoint<BallNumber> start;
  start.step = point.step;
  const std::vector<Ball> margins = observer.margins();
  for (const ConstraintFacts<BallNumber>& c : facts.constraints) start.margins.emplace_back(margins[c.row]);
  start.height = BallNumber(point.along);
  start.residual = BallNumber(point.across);
  start.loss_gap = BallNumber(point.loss_gap);
  fill_offsets(start, facts);
  return start;
}

StartPoint<BallNumber> start_point(const SelectionFacts<BallNumber>& facts, const RunGeometry& geometry,
                                   const ReferenceDirection& direction, const ExactArray& entries,
                                   const Rational& radius, std::uint64_t step, const Budget& budget) {
  StartPoint<BallNumber> start;
  start.step = step;
  const GroupImages images(geometry, entries, budget);
  const Ball away(radius, BallNumber::bits);
  for (const ConstraintFacts<BallNumber>& c : facts.constraints) {
    const RunGroup& group = geometry.groups[c.group];
    Ball margin = images.margin(c.group, direction.selection[group.original], c.row - group.first_row);
    const BallNumber error = c.norm * BallNumber(away);
    arb_add_error(margin.raw(), error.ball().raw());
    start.margins.emplace_back(std::move(margin));
  }
  Rational square = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) square += entries.exact(k) * entries.exact(k);
  const BallNumber square_norm{Ball(square, BallNumber::bits)};
  // <W, w*> = <W, w~> up to ||W|| ||w~ - w*||; moving W by r moves y by at most r.
  const BallNumber error = sqrt(square_norm) * BallNumber(Ball(direction.radius, BallNumber::bits));
  Ball along = images.inner_product(direction.coordinates);
  arb_add_error(along.raw(), error.ball().raw());
  const BallNumber at_entries = BallNumber(along) * facts.margin;
  Ball across = sqrt(square_norm - at_entries * at_entries).ball();
  along = at_entries.ball();
  arb_add_error(along.raw(), away.raw());
  arb_add_error(across.raw(), away.raw());
  arb_nonnegative_part(across.raw(), across.raw());
  start.height = BallNumber(along);
  start.residual = BallNumber(across);
  start.loss_gap = loss_gap_of(facts, start.margins);
  fill_offsets(start, facts);
  return start;
}

StartPoint<double> approximate(const StartPoint<BallNumber>& point) {
  const auto mid = [](const BallNumber& value) { return value.ball().approx_mid(); };
  StartPoint<double> result;
  result.step = point.step;
  for (const BallNumber& margin : point.margins) result.margins.push_back(mid(margin));
  for (const BallNumber& offset : point.offsets) result.offsets.push_back(mid(offset));
  result.height = mid(point.height);
  result.residual = mid(point.residual);
  result.loss_gap = mid(point.loss_gap);
  return result;
}

}  // namespace attest
