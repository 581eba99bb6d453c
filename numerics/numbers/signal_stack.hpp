// Where a thread's signal handlers run when its own stack is used up.
#pragma once

#include <array>

namespace attest {

// To live on the stack of a thread, near its beginning: handlers of faults (SA_ONSTACK) then can say what
// happened.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::array<char, 1 << 16> room_;
};

}  // namespace attest
