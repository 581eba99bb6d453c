// What SIGINT, SIGTERM and SIGHUP do, and what a process that dies leaves behind: nothing of a temporary
// name.
#pragma once

#include <csignal>
#include <string>

namespace attest {

// Once, at the start of the program: from here on a signal removes the Leftovers, then ends the process as it
// would have been ended without.
void install_signal_handlers();

// While one lives, the first SIGINT or SIGTERM asks the command to stop and write what it has; the second one
// kills.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  // Has a signal arrived since the last StopOnSignal was made?
  static bool requested();
};

// A temporary file, or an empty folder, that a signal handler removes as long as this lives. Leftovers are
// removed in the opposite order of their making. A path of 4096 bytes and more, or a 33rd one, is not known
// to the handler.
class Leftover {
 public:
  explicit Leftover(const std::string& path);
  ~Leftover();
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

 private:
  int slot_ = -1;
};

// Ends the process by _exit after removing the Leftovers; only what is allowed in a signal handler.
[[noreturn]] void end_from_signal_handler(int status);

// The last resort of a command: where a computation does not see the end of its time (a library call that
// cannot be interrupted, or one that waits for input), the process ends itself with exit 30 and the answer
// that nothing is proved. While one lives, it owns SIGALRM. It waits some seconds more after the time limit,
// some after a signal.
class LastResort {
 public:
  // `time_limit_seconds` of 0: none. `late` and `interrupted` are what is printed on standard output for the
  // two causes.
  LastResort(double time_limit_seconds, double after_limit, double after_signal, std::string late,
             std::string interrupted);
  ~LastResort();
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;

  // More patience from here on, because something is proved that would be lost.
  void extend(double after_limit, double after_signal);
  // From here on the answer is being written and nothing ends the process.
  void disarm();

 private:
  double limit_;
};

}  // namespace attest
