#include "proofs/checker/base/patience.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {
namespace {

constexpr const char* wipe = "\r\033[K";
volatile std::sig_atomic_t line_shown = 0;
char message[96];

// Only what is allowed in a signal handler.
void out_of_time(int) {
  if (line_shown != 0) (void)!write(STDERR_FILENO, wipe, std::strlen(wipe));
  (void)!write(STDERR_FILENO, message, std::strlen(message));
  std::_Exit(static_cast<int>(Exit::resource));
}

// Is it time to draw again?
bool due() {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point last = Clock::now();
  const Clock::time_point now = Clock::now();
  if (now - last < std::chrono::milliseconds(250)) return false;
  last = now;
  return true;
}

}  // namespace

void limit_time(unsigned seconds) {
  std::snprintf(message, sizeof message, "attest-check: resource limit: not decided within %u seconds\n",
                seconds);
  std::signal(SIGALRM, out_of_time);
  alarm(seconds);
}

void lift_time_limit() {
  alarm(0);
}

StepLine::StepLine(std::string claim) : claim_(std::move(claim)), enabled_(isatty(STDERR_FILENO) != 0) {}

void wipe_step_line() {
  if (line_shown != 0) std::fputs(wipe, stderr);
  line_shown = 0;
}

StepLine::~StepLine() {
  wipe_step_line();
}

void StepLine::show(std::size_t step, std::size_t steps) {
  if (!enabled_ || !due()) return;
  line_shown = 1;
  std::fprintf(stderr, "%s%s: step %zu of %zu", wipe, claim_.c_str(), step, steps);
  std::fflush(stderr);
}

}  // namespace attest_check
