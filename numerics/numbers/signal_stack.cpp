#include "numerics/numbers/signal_stack.hpp"

#include <csignal>

namespace attest {

SignalStack::SignalStack() {
#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer has its own
  stack_t alternative{};
  alternative.ss_sp = room_.data();
  alternative.ss_size = room_.size();
  sigaltstack(&alternative, nullptr);
#endif
}

SignalStack::~SignalStack() {
#if !defined(__SANITIZE_ADDRESS__)
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
#endif
}

}  // namespace attest
