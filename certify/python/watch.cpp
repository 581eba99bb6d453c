#include "certify/python/watch.hpp"

namespace attest {
namespace {

namespace py = pybind11;

// Has a tenth of a second passed since `last`? Then it starts anew.
bool passed(std::chrono::steady_clock::time_point& last) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last < std::chrono::milliseconds(100)) return false;
  last = now;
  return true;
}

}  // namespace

PythonWatch::PythonWatch(double time_limit_seconds, py::object progress)
    : budget_(time_limit_seconds, 0), progress_(std::move(progress)) {
  budget_.stop_when([this] { return interrupted(); });
}

void PythonWatch::stepping(std::uint64_t step, std::uint64_t steps) {
  tell("step " + std::to_string(step),
       static_cast<double>(step) / static_cast<double>(steps > 0 ? steps : 1));
}

void PythonWatch::tell(std::string_view stage, double fraction) {
  if (progress_.is_none() || pending_ || !passed(told_)) return;
  const py::gil_scoped_acquire lock;
  stage_ = stage;
  fraction_ = fraction;
  repeat();
}

void PythonWatch::repeat() {
  if (progress_.is_none()) return;
  try {
    progress_(stage_, fraction_);
  } catch (py::error_already_set& raised) {
    pending_.emplace(raised);
  }
}

bool PythonWatch::interrupted() {
  if (pending_) return true;
  if (!passed(seen_)) return false;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) {
    pending_.emplace();
  } else {
    repeat();
  }
  return pending_.has_value();
}

void PythonWatch::raise_pending() {
  if (!pending_) return;
  const py::error_already_set raised = *pending_;
  pending_.reset();
  throw raised;
}

}  // namespace attest
