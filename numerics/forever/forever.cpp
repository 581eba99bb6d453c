#include "numerics/forever/forever.hpp"

#include <algorithm>

#include "numerics/forever/absorbing.hpp"
#include "numerics/forever/lock_in.hpp"

namespace attest {

ForeverProver::ForeverProver(const RunGeometry& geometry, const ReferenceDirection& direction,
                             const MarginSolution& solution, const OptimizerSpec& spec, const Budget& budget)
    : spec_(spec) {
  if (step_length(spec) == StepLength::other) {
    obstacle_ = std::string("no theorem about all later steps covers ") +
                (spec.momentum == 0 ? spec.rule->long_name() : "momentum");
    return;
  }
  EnclosedFacts enclosed = enclose_facts(geometry, direction, solution, spec.loss, budget);
  if (!enclosed.facts) {
    obstacle_ = enclosed.reason;
    return;
  }
  facts_ = std::move(enclosed.facts);
  guess_ = approximate(*facts_);
  sets_ = region_sets(guess_);
  if (sets_.empty()) obstacle_ = "the selection is not locally optimal";
  if (!without_loss_gap(step_length(spec_)) && !facts_->globally_optimal) {
    obstacle_ = std::string(spec_.rule->long_name()) + " are covered for globally optimal selections only";
  }
  support_ = enclose_support(*facts_, geometry, direction, budget);
  if (!support_) return;
  support_guess_ = approximate(*support_);
  // h R_S^2 <= 4 gamma with h the length of every step.
  const double square = support_guess_.diameter * support_guess_.diameter;
  const bool too_long = step_length(spec_) == StepLength::constant && spec_.schedule == Schedule::constant &&
                        spec_.step.convert_to<double>() * square > 4 * guess_.margin;
  residual_possible_ = without_loss_gap(step_length(spec_)) && !too_long;
}

std::optional<ForeverProof> ForeverProver::lock_in(const StartPoint<BallNumber>& start,
                                                   bool dominating) const {
  const LaterSteps steps(spec_, start.step);
  if (!obstacle_.empty() || !seems_locked_in(guess_, approximate(start), steps, dominating))
    return std::nullopt;
  return prove_lock_in(*facts_, start, steps);
}

std::optional<ForeverProof> ForeverProver::region(const StartPoint<BallNumber>& start) const {
  if (!obstacle_.empty()) return std::nullopt;
  const LaterSteps steps(spec_, start.step);
  const StartPoint<double> guess = approximate(start);
  const auto attempt = [&](const std::vector<bool>& inside, bool global) -> std::optional<ForeverProof> {
    const auto constants = propose_region(guess_, guess, steps, inside, global);
    if (!constants) return std::nullopt;
    return prove_region(*facts_, start, steps, *constants, global);
  };
  if (facts_->globally_optimal) {
    if (auto proof = attempt(std::vector<bool>(facts_->constraints.size(), true), true)) return proof;
  }
  if (!without_loss_gap(step_length(spec_))) return std::nullopt;
  for (const std::vector<bool>& inside : sets_) {
    if (auto proof = attempt(inside, false)) return proof;
  }
  return std::nullopt;
}

std::optional<ForeverProof> ForeverProver::span_residual(const StartPoint<BallNumber>& start,
                                                         const ForeverProof& region) const {
  return support_ ? prove_span_residual(*facts_, *support_, start, region) : std::nullopt;
}

std::optional<ForeverProof> ForeverProver::residual(const StartPoint<BallNumber>& start) const {
  if (!obstacle_.empty() || !residual_possible_) return std::nullopt;
  const LaterSteps steps(spec_, start.step);
  const StartPoint<double> guess = approximate(start);
  for (const std::vector<bool>& inside : sets_) {
    const auto constants = propose_residual(guess_, support_guess_, guess, steps, inside);
    if (!constants) continue;
    if (auto proof = prove_residual(*facts_, *support_, start, steps, *constants)) return proof;
  }
  return std::nullopt;
}

std::vector<ForeverProof> ForeverProver::all(const StartPoint<BallNumber>& start) const {
  std::vector<ForeverProof> proofs;
  const auto add = [&](std::optional<ForeverProof> proof) {
    if (proof) proofs.push_back(std::move(*proof));
  };
  add(lock_in(start));
  if (const auto in_region = region(start)) {
    add(in_region);
    add(span_residual(start, *in_region));
  }
  add(residual(start));
  return proofs;
}

ForeverFromPoint forever_from_point(const RunGeometry& geometry, const OptimizerSpec& spec,
                                    const Selection& selection, const ExactArray& entries,
                                    const Rational& radius, long bits) {
  ForeverFromPoint result;
  MarginOptions options;
  options.precision_bits = bits;
  const MarginSolution solution = solve_margin_problem(*geometry.data, selection, options);
  const auto direction = reference_direction(geometry, selection, solution, bits + 32);
  if (!direction) {
    result.reason = "the selection has no max-margin direction";
    return result;
  }
  const ForeverProver prover(geometry, *direction, solution, spec);
  result.reason = prover.obstacle();
  if (!prover.ready()) return result;
  result.facts = prover.facts();
  const StartPoint<BallNumber> start = start_point(prover.facts(), geometry, *direction, entries, radius, 0);
  result.proofs = prover.all(start);
  if (result.proofs.empty() && result.reason.empty())
    result.reason = "no theorem's hypotheses hold at this point";
  return result;
}

void ForeverScan::begin(const ReferenceDirection* direction, const MarginSolution* solution) {
  prover_.reset();
  starts_.clear();
  lock_in_.reset();
  dominating_lock_in_.reset();
  region_.reset();
  span_residual_.reset();
  residual_.reset();
  dominating_ = false;
  if (direction != nullptr && solution != nullptr) {
    prover_.emplace(*geometry_, *direction, *solution, spec_, budget_ != nullptr ? *budget_ : Budget());
  }
}

void ForeverScan::watch(const RunObserver& observer, const RunPoint& point) {
  if (!prover_ || !prover_->ready() || (complete() && !improves_at(point.step))) return;
  consider(start_point(prover_->facts(), observer, point));
}

void ForeverScan::resume(const std::vector<StartPoint<BallNumber>>& starts) {
  if (!prover_ || !prover_->ready()) return;
  for (const StartPoint<BallNumber>& start : starts) {
    if (start.margins.size() == prover_->facts().constraints.size()) consider(start);
  }
}

void ForeverScan::consider(const StartPoint<BallNumber>& start) {
  // The theorems are tried from the cheapest to the dearest; between two of them time may run out.
  const auto poll = [&] {
    if (budget_ != nullptr) budget_->poll();
  };
  bool found = false;
  const auto keep = [&](std::optional<ForeverProof>& slot, std::optional<ForeverProof> proof) {
    if (!proof) return;
    if (proof->dominates_after(prover_->facts(), start.step)) dominating_ = true;
    slot = std::move(proof);
    found = true;
  };
  try {
    if (!lock_in_) keep(lock_in_, prover_->lock_in(start));
    poll();
    if (!region_ || improves_at(start.step)) {
      const auto region = prover_->region(start);
      if (!region_) keep(region_, region);
      poll();
      if (region && !residual_) keep(span_residual_, better_span_residual(start, *region));
    }
    poll();
    if (!residual_) keep(residual_, prover_->residual(start));
    if (lock_in_ && !dominating_) keep(dominating_lock_in_, prover_->lock_in(start, true));
  } catch (const BudgetReached&) {
    if (found) starts_.push_back(start);
    throw;
  }
  if (found) starts_.push_back(start);
}

std::optional<ForeverProof> ForeverScan::better_span_residual(const StartPoint<BallNumber>& start,
                                                              const ForeverProof& region) const {
  auto proof = prover_->span_residual(start, region);
  const auto bound = [](const ForeverProof& of) { return of.centre_norm + sqrt(of.path_offset); };
  const bool better =
      proof && (!span_residual_ || at_most(BallNumber(2.0) * bound(*proof), bound(*span_residual_)));
  return better ? std::move(proof) : std::nullopt;
}

std::vector<const ForeverProof*> ForeverScan::proofs() const {
  std::vector<const ForeverProof*> all;
  for (const std::optional<ForeverProof>* proof :
       {&lock_in_, &dominating_lock_in_, &region_, &span_residual_, &residual_}) {
    if (*proof) all.push_back(&**proof);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->t0 < b->t0; });
  return all;
}

const ForeverProof* ForeverScan::earliest() const {
  const std::vector<const ForeverProof*> all = proofs();
  return all.empty() ? nullptr : all.front();
}

bool ForeverScan::complete() const {
  const bool wants_lock_in = prover_ && prover_->ready() && prover_->facts().globally_optimal &&
                             without_loss_gap(step_length(spec_));
  return (lock_in_ || !wants_lock_in) && dominating_ && region_ &&
         (residual_ || (prover_ && !prover_->residual_possible()));
}

std::string ForeverScan::reason() const {
  if (earliest() != nullptr) return {};
  if (!prover_) return "no selection with a max-margin direction was found";
  if (!prover_->obstacle().empty()) return prover_->obstacle();
  return "no theorem's hypotheses hold within these steps";
}

}  // namespace attest
