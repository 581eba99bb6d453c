#include "numerics/forever/scan.hpp"

#include <algorithm>
#include <initializer_list>

namespace attest {
namespace {

// Those that are there, by their steps.
std::vector<const ForeverProof*> in_order(std::initializer_list<const std::optional<ForeverProof>*> slots) {
  std::vector<const ForeverProof*> found;
  for (const std::optional<ForeverProof>* proof : slots) {
    if (*proof) found.push_back(&**proof);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->t0 < b->t0; });
  return found;
}

}  // namespace

void ForeverScan::begin(const ReferenceDirection* direction, const MarginSolution* solution) {
  prover_.reset();
  starts_.clear();
  open_.reset();
  lock_in_.reset();
  dominating_lock_in_.reset();
  region_.reset();
  inner_.reset();
  sharp_.reset();
  dominating_ = false;
  if (direction != nullptr && solution != nullptr) {
    prover_.emplace(*geometry_, *direction, *solution, spec_, budget_ != nullptr ? *budget_ : Budget());
  }
}

void ForeverScan::watch(const RunObserver& observer, const RunPoint& point) {
  if (!prover_ || !prover_->ready() || !due(point.step)) return;
  consider(start_point(prover_->facts(), observer, point));
}

bool ForeverScan::due(std::uint64_t step) const {
  const std::uint64_t stride = std::max<std::uint64_t>(1, std::bit_floor(step) / 64);
  return (step % stride == 0 || step == last_) && (!complete() || improves_at(step));
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
    if (!lock_in_) keep(lock_in_, prover_->prove(TheoremFamily::lock_in, start));
    poll();
    if (!region_ || improves_at(start.step)) {
      const auto region = prover_->prove(TheoremFamily::region, start);
      if (!region_) keep(region_, region);
      poll();
      if (region && !sharp_) keep(inner_, better_inner(start, *region));
    }
    poll();
    if (!sharp_) keep(sharp_, prover_->prove(TheoremFamily::sharp, start));
    if (lock_in_ && !dominating_)
      keep(dominating_lock_in_, prover_->prove(TheoremFamily::lock_in, start, true));
  } catch (const BudgetReached&) {
    if (found) starts_.push_back(start);
    throw;
  }
  if (found) starts_.push_back(start);
  open_.reset();
  if (earliest() == nullptr) open_ = approximate(start);
}

std::optional<ForeverProof> ForeverScan::better_inner(const StartPoint<BallNumber>& start,
                                                      const ForeverProof& region) const {
  auto proof = prover_->prove(TheoremFamily::inner_region, start, false, &region);
  const auto bound = [](const ForeverProof& of) { return of.centre_norm + sqrt(of.path_offset); };
  const bool better = proof && (!inner_ || at_most(BallNumber(2.0) * bound(*proof), bound(*inner_)));
  return better ? std::move(proof) : std::nullopt;
}

const ForeverProof* ForeverScan::first(TheoremFamily family) const {
  const auto found = [](const std::optional<ForeverProof>& proof) { return proof ? &*proof : nullptr; };
  switch (family) {
    case TheoremFamily::lock_in:
      return found(lock_in_);
    case TheoremFamily::region:
      return found(region_);
    case TheoremFamily::inner_region:
      return found(inner_);
    case TheoremFamily::sharp:
      break;
  }
  return found(sharp_);
}

std::vector<const ForeverProof*> ForeverScan::first_proofs() const {
  return in_order({&lock_in_, &region_, &inner_, &sharp_});
}

std::vector<const ForeverProof*> ForeverScan::proofs() const {
  return in_order({&lock_in_, &dominating_lock_in_, &region_, &inner_, &sharp_});
}

const ForeverProof* ForeverScan::earliest() const {
  const std::vector<const ForeverProof*> all = proofs();
  return all.empty() ? nullptr : all.front();
}

bool ForeverScan::complete() const {
  const bool wants_lock_in = prover_ && prover_->ready() && locks_in(prover_->facts(), step_length(spec_));
  return (lock_in_ || !wants_lock_in) && dominating_ && region_ &&
         (sharp_ || (prover_ && !prover_->sharp_possible()));
}

std::string ForeverScan::reason() const {
  if (earliest() != nullptr) return {};
  if (!prover_) return "no selection with a max-margin direction was found";
  if (!prover_->obstacle().empty()) return prover_->obstacle();
  return "no theorem's hypotheses hold within these steps";
}

std::optional<MarginShortfall> ForeverScan::shortfall() const {
  if (!open_ || earliest() != nullptr || !prover_ || !prover_->ready() || !prover_->obstacle().empty())
    return std::nullopt;
  try {
    return approx_shortfall(*geometry_, prover_->facts(), spec_, *open_,
                            budget_ != nullptr ? *budget_ : Budget());
  } catch (const BudgetReached&) {
    return std::nullopt;
  }
}

}  // namespace attest
