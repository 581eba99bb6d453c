// Runs and points as rows of the catalogue see them.
#include "certify/catalogue/observation.hpp"

#include <algorithm>
#include <bit>

#include "certify/catalogue/context.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/numbers/exact_number.hpp"
#include "numerics/forever/listener.hpp"

namespace attest {
namespace {

constexpr long kRunBits = 44;  // correct bits at every step: two words a coordinate are enough at first
constexpr std::size_t kRunAttempts = 6;  // a run that needs more precision than that is given up
constexpr long kDirectionBits = 224;

// The ball as an interval, of a number known to lie in [0, most].
std::optional<Interval> between_zero_and(const Rational& most, const Ball& ball) {
  std::optional<Interval> ends = interval_of(ball);
  if (ends) *ends = {std::clamp(ends->lo, Rational(0), most), std::clamp(ends->hi, Rational(0), most)};
  return ends;
}

std::optional<Interval> nonnegative(const Ball& ball) {
  std::optional<Interval> ends = interval_of(ball);
  if (ends) *ends = {std::max(ends->lo, Rational(0)), std::max(ends->hi, Rational(0))};
  return ends;
}

// The upper end of a bound; nothing when it is not finite.
std::optional<Rational> upper_end(const BallNumber& bound) {
  const std::optional<Interval> ends = interval_of(bound.ball());
  return ends ? std::optional<Rational>(ends->hi) : std::nullopt;
}

void take_least(std::optional<Rational>& least, const std::optional<Rational>& value) {
  if (value && (!least || *value < *least)) least = value;
}

// Fills proofs and later bounds. The proofs' t0 are at most seen.step.
void record_proofs(Observation& seen, std::vector<const ForeverProof*> proofs,
                   const SelectionFacts<BallNumber>& facts) {
  std::stable_sort(proofs.begin(), proofs.end(), [](auto* a, auto* b) { return a->t0 < b->t0; });
  for (const ForeverProof* proof : proofs) seen.proofs.push_back({proof->name(), proof->rate(), proof->t0});
  if (proofs.empty()) return;
  const std::uint64_t base = std::max<std::uint64_t>(seen.step, 1);
  for (const std::uint64_t factor : {1, 10, 1000}) {
    Observation::Later later{base * factor, {}, {}};
    for (const ForeverProof* proof : proofs) {
      take_least(later.one_minus_corr, upper_end(proof->one_minus_cos_at(later.from)));
      BallNumber unselected(0.0);
      for (std::size_t i = 0; i < facts.groups.size(); ++i) {
        unselected = fmax(unselected, proof->unselected_at(facts, i, later.from));
      }
      take_least(later.max_one_minus_s, upper_end(unselected));
    }
    seen.later.push_back(std::move(later));
  }
}

// The largest c with max_i (1 - s_i) <= exp(-c ||W||) at every step taken in.
struct SparsityRecord {
  std::uint64_t from = 0, to = 0;
  Ball least;

  void take_in(const RunPoint& point) {
    const Ball c = div(neg(log(point.max_unselected, BallNumber::bits)), point.norm, BallNumber::bits);
    least = to == 0 ? c : min(least, c, BallNumber::bits);
    if (to == 0) from = point.step;
    to = point.step;
  }
  std::optional<Observation::Sparsity> result() const {
    if (to == 0) return std::nullopt;
    return Observation::Sparsity{from, to, interval_of(least)};
  }
};

// What a row wants to know of a run beside the theorems that hold for it.
class RowListener : public ForeverListener {
 public:
  RowListener(const RunGeometry& geometry, const OptimizerSpec& spec, const RunLimits& limits)
      : ForeverListener(geometry, spec, limits.steps, limits.budget), until_proof_(limits.until_proof) {}

  void begin(const ReferenceDirection* direction, const MarginSolution* solution) override {
    selection_ = direction == nullptr ? std::nullopt : std::optional<Selection>(direction->selection);
    last_ = {};
    sparsity_ = late_sparsity_ = {};
    ForeverListener::begin(direction, solution);
  }
  void watch(const EnclosedPoint& enclosed, const RunObserver& observer, const RunPoint& point) override {
    ForeverListener::watch(enclosed, observer, point);
    last_ = point;
    if (point.step == 0) return;
    if (std::has_single_bit(point.step)) late_sparsity_ = {};
    sparsity_.take_in(point);
    late_sparsity_.take_in(point);
  }
  bool stops() override { return until_proof_ && scan().earliest() != nullptr; }

  const std::optional<Selection>& selection() const { return selection_; }
  const RunPoint& last_point() const { return last_; }
  std::optional<Observation::Sparsity> sparsity() const { return sparsity_.result(); }
  std::optional<Observation::Sparsity> late_sparsity() const { return late_sparsity_.result(); }

 private:
  bool until_proof_;
  std::optional<Selection> selection_;
  RunPoint last_;
  SparsityRecord sparsity_, late_sparsity_;
};

std::string show_number(const std::optional<Interval>& x) {
  return x ? show(*x, 6) : "unknown";
}

}  // namespace

Observation observe_run(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                        std::string start_name, const RunLimits& limits) {
  Observation seen;
  seen.spec = spec;
  seen.start = std::move(start_name);
  RunOptions run;
  run.steps = limits.steps;
  run.bits = kRunBits;
  run.max_attempts = kRunAttempts;
  run.budget = limits.budget;
  run.max_trace_rows = 1;
  run.longest_exact_seconds = MarginOptions().longest_exact_seconds;  // theorems need the multipliers
  RowListener listener(geometry, spec, limits);
  const RunOutcome outcome = validated_run(geometry, spec, start, run, &listener);
  const ForeverScan& scan = listener.scan();
  const RunPoint& last = listener.last_point();

  seen.selection = listener.selection();
  seen.step = last.step;
  seen.norm = nonnegative(last.norm);
  const std::vector<const ForeverProof*> proofs = scan.first_proofs();
  if (seen.selection) {
    seen.one_minus_corr = between_zero_and(2, last.one_minus_corr);
    seen.max_one_minus_s = between_zero_and(1, last.max_unselected);
    seen.shapes = outcome.record.shapes;
    seen.sparsity = listener.sparsity();
    seen.late_sparsity = listener.late_sparsity();
  }
  if (!proofs.empty()) {
    record_proofs(seen, proofs, scan.prover()->facts());
  } else if (outcome.verdict == RunVerdict::stationary) {
    seen.stays_at_zero = seen.norm && seen.norm->hi == 0;
    seen.reason = seen.start + " is a stationary point";
  } else if (outcome.reason.starts_with("time") || outcome.reason.starts_with("interrupted")) {
    seen.reason = outcome.reason;
  } else {
    seen.reason = "budget: " + std::to_string(seen.step) + " steps, " +
                  (outcome.reason.empty() ? scan.reason() : outcome.reason);
  }
  return seen;
}

PointObserver::PointObserver(const RunGeometry& geometry, const Selection& selection,
                             const MarginSolution& solution, const OptimizerSpec& spec, const Budget& budget)
    : geometry_(geometry),
      budget_(budget),
      spec_(spec),
      direction_(reference_direction(geometry, selection, solution, kDirectionBits, budget)) {
  if (!direction_) {
    obstacle_ = "the max-margin direction is not enclosed";
    return;
  }
  prover_.emplace(geometry, *direction_, solution, spec, budget);
  obstacle_ = prover_->obstacle();
}

std::optional<Observation> PointObserver::observe(const ExactArray& entries, const Rational& radius,
                                                  std::uint64_t step, const std::string& start_name) const {
  if (!obstacle_.empty()) return std::nullopt;
  const SelectionFacts<BallNumber>& facts = prover_->facts();
  const StartPoint<BallNumber> start =
      start_point(facts, geometry_, *direction_, entries, radius, step, budget_);
  const std::vector<ForeverProof> found = prover_->all(start);
  if (found.empty()) return std::nullopt;
  Observation seen;
  seen.spec = spec_;
  seen.start = start_name;
  seen.step = step;
  seen.selection = direction_->selection;
  const BallNumber norm = sqrt(start.height * start.height + start.residual * start.residual);
  seen.norm = nonnegative(norm.ball());
  // 1 - y/||w|| = x^2 / (||w|| (||w|| + y)), without cancellation when y > 0.
  if (positive(start.height)) {
    const BallNumber part = start.residual * start.residual / (norm * (norm + start.height));
    seen.one_minus_corr = between_zero_and(2, part.ball());
  }
  BallNumber unselected(0.0);
  for (const SelectionGroup<BallNumber>& group : facts.groups) {
    BallNumber odds(0.0);
    for (std::size_t c = group.first; c < group.last; ++c)
      odds += facts.constraints[c].counted(exp(-start.margins[c]));
    unselected = fmax(unselected, odds / (BallNumber(1.0) + odds));
  }
  seen.max_one_minus_s = between_zero_and(1, unselected.ball());
  std::vector<const ForeverProof*> proofs;
  for (const ForeverProof& proof : found) proofs.push_back(&proof);
  record_proofs(seen, std::move(proofs), facts);
  return seen;
}

std::string show_short(const Rational& x) {
  std::string text = show(x);
  if (text.front() != '[') return text;
  text.clear();
  append_canonical(text, x);
  return text;
}

std::string describe(const Observation& seen) {
  std::string text = std::string(seen.spec.rule->long_name()) + ", " + seen.spec.rule->step_word() + " " +
                     show_short(seen.spec.step) + ", from " + seen.start + ": ";
  if (!seen.selection) return text + "nothing seen in " + std::to_string(seen.step) + " steps";
  if (!seen.proofs.empty()) {
    text += "W/||W|| tends to the direction of W_mm(" + show(*seen.selection) + "), proved";
    for (std::size_t k = 0; k < seen.proofs.size(); ++k) {
      const Observation::Proof& proof = seen.proofs[k];
      text += (k == 0 ? " from t = " : ", from t = ") + std::to_string(proof.t0) + " by " + proof.theorem +
              " with 1-corr = O(" + proof.rate + ")";
    }
  } else {
    text += "nothing proved about all later steps, seen from W_mm(" + show(*seen.selection) + ")";
  }
  text += "; at t = " + std::to_string(seen.step) + " ||W|| in " + show_number(seen.norm) + ", 1-corr in " +
          show_number(seen.one_minus_corr) + ", max 1-s in " + show_number(seen.max_one_minus_s);
  for (const Observation::Later& later : seen.later) {
    std::string bounds;
    if (later.one_minus_corr && *later.one_minus_corr < 1)
      bounds += " 1-corr <= " + decimal_up(*later.one_minus_corr, 6);
    if (later.max_one_minus_s && *later.max_one_minus_s < 1) {
      bounds += (bounds.empty() ? " max 1-s <= " : ", max 1-s <= ") + decimal_up(*later.max_one_minus_s, 6);
    }
    if (!bounds.empty()) text += "; for all t >= " + std::to_string(later.from) + bounds;
  }
  if (seen.start_radius > 0) {
    text += "; a theorem proves that limit from every W(0) within " + decimal_down(seen.start_radius, 6) +
            " of this one";
  }
  return text + " (checked)";
}

Hypothesis limit_of(const Observation& seen, const Selection& claimed, const std::string& which) {
  Hypothesis limit{"the run tends to W_mm(" + which + ")", Verdict::undecided, seen.reason};
  if (!seen.proofs.empty()) {
    // Two selections' directions differ: where the selections do, each has a positive margin over the other's
    // token.
    const bool same = *seen.selection == claimed;
    limit.verdict = same ? Verdict::holds : Verdict::fails;
    limit.detail = "the run from " + seen.start + " tends to the direction of W_mm(" + show(*seen.selection) +
                   "), " + (same ? "" : "not of W_mm(" + which + "), ") + "for ever by " +
                   seen.proofs.front().theorem + " from t = " + std::to_string(seen.proofs.front().t0);
  } else if (seen.stays_at_zero) {
    limit.verdict = Verdict::fails;
  }
  return limit;
}

}  // namespace attest
