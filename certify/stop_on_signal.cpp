#include "certify/stop_on_signal.hpp"

#include <atomic>

namespace attest {
namespace {

std::atomic<bool> interrupted{false};

}  // namespace

StopOnSignal::StopOnSignal() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
}

StopOnSignal::~StopOnSignal() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

bool StopOnSignal::requested() { return interrupted.load(); }

}  // namespace attest
