// How the checker stops: every failure carries the exit status that is part of the contract (GRAMMAR.md
// section 6).
#pragma once

#include <stdexcept>
#include <string>

namespace attest_check {

enum class Exit : int {
  verified = 0,
  rejected = 1,
  malformed = 2,
  vacuous = 3,
  mismatch = 4,
  resource = 5,
  internal = 6  // the checker itself is at fault: nothing is known about the input
};

class Failure : public std::runtime_error {
 public:
  Failure(Exit status, const std::string& message) : std::runtime_error(message), status_(status) {}
  Exit status() const { return status_; }

 private:
  Exit status_;
};

// The text departs from its grammar, or the instance cannot be read: exit 2.
[[noreturn]] inline void malformed(const std::string& message) {
  throw Failure(Exit::malformed, message);
}
// Well-formed, but a check failed: exit 1.
[[noreturn]] inline void rejected(const std::string& message) {
  throw Failure(Exit::rejected, message);
}
// A predicted size exceeds what the checker is willing to hold: exit 5.
[[noreturn]] inline void too_large(const std::string& message) {
  throw Failure(Exit::resource, message);
}

}  // namespace attest_check
