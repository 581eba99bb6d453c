// What SIGINT, SIGTERM and SIGHUP do, and what a process that dies leaves behind: nothing of a temporary
// name.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

namespace attest {

// The signals of the process, one object made at the start of the program: from then on a signal removes the
// Leftovers, then ends the process as it would have been ended without. All that a handler looks at is in
// here.
class ProcessSignals {
 public:
  ProcessSignals();
  ~ProcessSignals();
  ProcessSignals(const ProcessSignals&) = delete;
  ProcessSignals& operator=(const ProcessSignals&) = delete;

  // Ends the process by _exit after removing the Leftovers; only what is allowed in a signal handler.
  [[noreturn]] void end_process(int status);

 private:
  friend class StopOnSignal;
  friend class Leftover;
  friend class LastResort;
  struct Slot {
    std::atomic<bool> used{false};
    char path[4096];
  };
  static constexpr int most_leftovers = 32;

  static void on_signal(int signal);
  static void on_alarm(int signal);
  void take(int signal);
  void ring();
  void remove_leftovers();

  std::atomic<int> guards_{0};
  std::atomic<bool> interrupted_{false};
  // Milliseconds after start_, and one, of the signal that asked to stop; 0: none yet.
  std::atomic<long> first_signal_{0};
  Slot slots_[most_leftovers];
  std::atomic<bool> armed_{false};
  std::atomic<long> grace_microseconds_{0};
  std::string late_answer_, interrupted_answer_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// While one lives, the first SIGINT or SIGTERM asks the command to stop and write what it has; the second one
// kills, if it does not come at once: `timeout` sends its signal twice, to the command and to its group.
class StopOnSignal {
 public:
  explicit StopOnSignal(ProcessSignals& signals);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  // Has a signal arrived since the last StopOnSignal was made?
  bool requested() const { return signals_.interrupted_.load(); }

 private:
  ProcessSignals& signals_;
};

// A temporary file, or an empty folder, that a signal handler removes as long as this lives. Leftovers are
// removed in the opposite order of their making. A path of 4096 bytes and more, or a 33rd one, is not known
// to the handler.
class Leftover {
 public:
  // `signals` may be null: then no handler knows of it.
  Leftover(ProcessSignals* signals, const std::string& path);
  ~Leftover();
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

 private:
  ProcessSignals::Slot* slot_ = nullptr;
};

// The last resort of a command: where a computation does not see the end of its time (a library call that
// cannot be interrupted, or one that waits for input), the process ends itself with exit 30 and the answer
// that nothing is proved. While one lives, it owns SIGALRM. It waits some seconds more after the time limit,
// some after a signal.
class LastResort {
 public:
  // `time_limit_seconds` of 0: none. `late` and `interrupted` are what is printed on standard output for the
  // two causes.
  LastResort(ProcessSignals& signals, double time_limit_seconds, double after_limit, double after_signal,
             std::string late, std::string interrupted);
  ~LastResort();
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;

  // More patience from here on, because something is proved that would be lost.
  void extend(double after_limit, double after_signal);
  // From here on the answer is being written and nothing ends the process.
  void disarm();

 private:
  ProcessSignals& signals_;
  double limit_;
};

}  // namespace attest
