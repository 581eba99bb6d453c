#include "certify/process/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace attest {
namespace {

template <typename Time>
double seconds_between(Time from, Time to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

RunProgress::RunProgress(bool wanted)
    : enabled_(wanted || isatty(STDERR_FILENO) != 0), start_(Clock::now()), last_(start_) {}

RunProgress::~RunProgress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void RunProgress::show(std::uint64_t step, std::uint64_t steps) {
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
