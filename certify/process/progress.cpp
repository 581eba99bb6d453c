#include "certify/process/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace attest {
namespace {

template <typename Time>
double seconds_between(Time from, Time to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

ProgressLine::ProgressLine(bool wanted)
    : enabled_(wanted || isatty(STDERR_FILENO) != 0), start_(Clock::now()), last_(start_) {}

void ProgressLine::wipe() {
  if (std::exchange(shown_, false)) std::fputs("\r\033[K", stderr);
}

void ProgressLine::stage(std::string_view name, double fraction) {
  const Clock::time_point now = Clock::now();
  if (!enabled_ || (shown_ && seconds_between(last_, now) < 0.1)) return;
  last_ = now;
  shown_ = true;
  std::fprintf(stderr, "\r\033[K%.*s %3.0f%%", static_cast<int>(name.size()), name.data(), 100 * fraction);
  std::fflush(stderr);
}

void ProgressLine::step(std::uint64_t step, std::uint64_t steps) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (step < latest_) {  // a new attempt starts over
    first_ = step;
    start_ = now;
  }
  latest_ = step;
  if (seconds_between(last_, now) < 0.2) return;
  last_ = now;
  const double done = static_cast<double>(step - first_);
  const double left = done > 0 ? seconds_between(start_, now) / done * static_cast<double>(steps - step) : 0;
  shown_ = true;
  std::fprintf(stderr, "\r\033[Kstep %llu of %llu, about %.0f s left", static_cast<unsigned long long>(step),
               static_cast<unsigned long long>(steps), left);
  std::fflush(stderr);
}

}  // namespace attest
