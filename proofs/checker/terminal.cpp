#include "proofs/checker/terminal.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace attest_check {
namespace {

// What a signal handler may read: the state of the process's one standard error and alarm.
constexpr const char* wipe_line = "\r\033[K";
volatile std::sig_atomic_t line_shown = 0;
char message[96];

void write_error(const char* text) {
  (void)!write(STDERR_FILENO, text, std::strlen(text));
}

// Only what is allowed in a signal handler.
void out_of_time(int) {
  if (line_shown != 0) write_error(wipe_line);
  write_error(message);
  std::_Exit(static_cast<int>(Exit::resource));
}

}  // namespace

Terminal::Terminal() : enabled_(isatty(STDERR_FILENO) != 0) {}

void Terminal::wipe() {
  if (line_shown != 0) std::fputs(wipe_line, stderr);
  line_shown = 0;
}

void Terminal::step(const std::string& claim, std::size_t step, std::size_t steps) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(250)) return;
  last_ = now;
  line_shown = 1;
  std::fprintf(stderr, "%s%s: step %zu of %zu", wipe_line, claim.c_str(), step, steps);
  std::fflush(stderr);
}

TimeLimit::TimeLimit(unsigned seconds) {
  std::snprintf(message, sizeof message, "attest-check: resource limit: not decided within %u seconds\n",
                seconds);
  std::signal(SIGALRM, out_of_time);
  alarm(seconds);
}

TimeLimit::~TimeLimit() {
  alarm(0);
}

void end_for_want(const char* why) {
  if (line_shown != 0) write_error(wipe_line);
  for (const char* part : {"attest-check: resource limit: ", why, "\n"}) write_error(part);
  std::_Exit(static_cast<int>(Exit::resource));
}

}  // namespace attest_check
