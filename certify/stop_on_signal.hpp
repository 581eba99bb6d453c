// Ending a long run early on request, with what it has.
#pragma once

#include <csignal>

namespace attest {

// While it lives, the first SIGINT or SIGTERM asks the run to stop and write what it has; the second one kills.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  // Has a signal arrived since the last StopOnSignal was made?
  static bool requested();

 private:
  struct sigaction old_interrupt_ {}, old_terminate_ {};
};

}  // namespace attest
