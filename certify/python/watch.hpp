// What a call from Python gives a use case: a time limit, an ear for Ctrl-C, and whom to tell how far it is.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <optional>
#include <string>

#include "certify/audits/audit_watch.hpp"

namespace attest {

// Made and destroyed with the interpreter's lock; its methods are called without it.
class PythonWatch : public AuditWatch {
 public:
  // `progress`: None, or called with (stage, fraction) some ten times a second, long stages included: signals
  // reach the main thread alone, and others end when it raises. A time limit of 0: none.
  PythonWatch(double time_limit_seconds, pybind11::object progress);

  const Budget& budget() const override { return budget_; }
  void solving(std::string_view stage, double fraction) override { tell(stage, fraction); }
  void stepping(std::uint64_t step, std::uint64_t steps) override;

  // With the lock: throws what a signal handler or `progress` has raised in between.
  void raise_pending();

 private:
  void tell(std::string_view stage, double fraction);
  // With the lock: tells the last stage.
  void repeat();
  bool interrupted();

  Budget budget_;
  pybind11::object progress_;
  std::chrono::steady_clock::time_point seen_ = std::chrono::steady_clock::now(), told_ = seen_;
  std::string stage_;
  double fraction_ = 0;
  std::optional<pybind11::error_already_set> pending_;
};

}  // namespace attest
