#include "certify/audits/run_listener.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "certify/audits/run_state.hpp"

namespace attest {

void AuditedRun::begin(const ReferenceDirection* direction, const MarginSolution* solution) {
  direction_ = direction;
  settled_ = false;
  if (comparer_) comparer_->begin();
  if (sets_ != nullptr) sets_->begin();
  ForeverListener::begin(direction, solution);
}

void AuditedRun::watch(const EnclosedPoint& enclosed, const RunObserver& observer, const RunPoint& point) {
  if (!std::exchange(stepping_, true)) watch_.something_is_proved();
  if (comparer_) comparer_->watch(enclosed, point);
  if (sets_ != nullptr && is_checkpoint(point.step, request_.steps)) sets_->watch(enclosed, point.step);
  ForeverListener::watch(enclosed, observer, point);
  if (!request_.until_forever || direction_ == nullptr || scan().earliest() == nullptr) return;
  // A lock-in may be proved before its tokens dominate: the run goes on until the certified selection is that
  // one.
  settled_ = true;
  for (std::size_t i = 0; i < geometry_.groups.size() && settled_; ++i) {
    settled_ = enclosed.reference()[i] == direction_->selection[geometry_.groups[i].original] &&
               enclosed.dominates(i);
  }
}

// Every few seconds and when the run is stopped; it takes at most a twentieth of the time.
void AuditedRun::save(const FixedFormat& format, const Iteration::State& state, const RunRecord& record,
                      bool stopped) {
  if (!stopped && seconds_since(saved_) < pause_) return;
  const Clock::time_point began = Clock::now();
  // A state that cannot be written costs only the possibility to resume.
  if (const auto error = files_.write(request_.state_path(),
                                      write_run_state(*identity_, format, state, record, scan().starts()))) {
    std::fprintf(stderr, "attest: state not saved: %s\n", error->text().c_str());
  }
  saved_ = Clock::now();
  pause_ = std::max(2.0, 20 * seconds_since(began));
}

}  // namespace attest
