// What a use case is given of the time it has, and whom it tells how far it is.
#pragma once

#include <cstdint>
#include <string_view>

#include "numerics/numbers/budget.hpp"

namespace attest {

class ProcessSignals;  // process/signals.hpp

// As it stands: no limit, nobody listens.
class AuditWatch {
 public:
  AuditWatch() = default;
  AuditWatch(const AuditWatch&) = delete;
  AuditWatch& operator=(const AuditWatch&) = delete;
  virtual ~AuditWatch() = default;

  // When it is reached the use case ends with what is proved.
  virtual const Budget& budget() const { return unlimited_; }

  // Signals that remove what is not finished of an output; null when nobody takes any.
  virtual ProcessSignals* signals() { return nullptr; }

  // The input is in memory: what is not possible from here on is undecided.
  virtual void input_is_read() {}
  // There is something that ending the process would lose.
  virtual void something_is_proved() {}
  // What is left is to write and to answer.
  virtual void computed() {}

  // How far a margin problem (in [0, 1]) or a run is.
  virtual void solving(std::string_view /*stage*/, double /*fraction*/) {}
  virtual void stepping(std::uint64_t /*step*/, std::uint64_t /*steps*/) {}

 private:
  Budget unlimited_;
};

}  // namespace attest
