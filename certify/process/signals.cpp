#include "certify/process/signals.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

#include "certify/process/exit_status.hpp"
#include "certify/process/standard_output.hpp"

namespace attest {
namespace {

// A signal handler has no argument for an object.
std::atomic<ProcessSignals*> living{nullptr};

constexpr const char late_message[] = "attest: time: the limit was reached in the middle of a computation\n";
constexpr const char interrupted_message[] = "attest: interrupted: stopped in the middle of a computation\n";

constexpr long same_signal_milliseconds = 500;  // within these a second one is the first one again

void wake_after(long microseconds) {
  itimerval timer{};
  timer.it_value.tv_sec = microseconds / 1000000;
  timer.it_value.tv_usec = microseconds % 1000000;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

bool write_all(int descriptor, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t put = write(descriptor, bytes, size);
    if (put <= 0) return false;
    bytes += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

ProcessSignals::ProcessSignals() {
  living = this;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, on_signal);
}

ProcessSignals::~ProcessSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, SIG_DFL);
  living = nullptr;
}

void ProcessSignals::remove_leftovers() {
  for (int k = most_leftovers; k-- > 0;) {
    if (!slots_[k].used.load()) continue;
    if (unlink(slots_[k].path) != 0) rmdir(slots_[k].path);
  }
}

void ProcessSignals::end_process(int status) {
  remove_leftovers();
  _exit(status);
}

void ProcessSignals::on_signal(int signal) {
  if (ProcessSignals* const signals = living.load()) signals->take(signal);
}

void ProcessSignals::on_alarm(int) {
  if (ProcessSignals* const signals = living.load()) signals->ring();
}

void ProcessSignals::take(int signal) {
  if (signal != SIGHUP && guards_.load() > 0) {
    const auto since = std::chrono::steady_clock::now() - start_;
    const long now = std::chrono::duration_cast<std::chrono::milliseconds>(since).count() + 1;
    long first = 0;
    if (first_signal_.compare_exchange_strong(first, now)) {
      interrupted_ = true;
      if (armed_.load()) wake_after(grace_microseconds_.load());
      return;
    }
    if (now - first < same_signal_milliseconds) return;
  }
  remove_leftovers();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void ProcessSignals::ring() {
  if (!armed_.load()) return;
  const bool stopped = interrupted_.load();
  const std::string& answer = stopped ? interrupted_answer_ : late_answer_;
  const bool printed = write_all(STDOUT_FILENO, answer.data(), answer.size());
  const char* const message = !printed ? unwritable_output : stopped ? interrupted_message : late_message;
  write_all(STDERR_FILENO, message, std::strlen(message));
  end_process(printed ? exit_undecided : exit_bad_input);
}

StopOnSignal::StopOnSignal(ProcessSignals& signals) : signals_(signals) {
  if (signals.guards_.fetch_add(1) > 0) return;
  signals.interrupted_ = false;
  signals.first_signal_ = 0;
}

StopOnSignal::~StopOnSignal() {
  --signals_.guards_;
}

Leftover::Leftover(ProcessSignals* signals, const std::string& path) {
  if (signals == nullptr || path.size() >= sizeof signals->slots_[0].path) return;
  // In order, so that a folder, which is made before what it holds, is removed after it.
  int next = ProcessSignals::most_leftovers;
  while (next > 0 && !signals->slots_[next - 1].used.load()) --next;
  if (next == ProcessSignals::most_leftovers) return;
  slot_ = &signals->slots_[next];
  std::memcpy(slot_->path, path.c_str(), path.size() + 1);
  slot_->used = true;
}

Leftover::~Leftover() {
  if (slot_ != nullptr) slot_->used = false;
}

LastResort::LastResort(ProcessSignals& signals, double time_limit_seconds, double after_limit,
                       double after_signal, std::string late, std::string interrupted)
    : signals_(signals), limit_(time_limit_seconds) {
  signals_.late_answer_ = std::move(late);
  signals_.interrupted_answer_ = std::move(interrupted);
  handle(SIGALRM, ProcessSignals::on_alarm);
  signals_.armed_ = true;
  extend(after_limit, after_signal);
}

void LastResort::extend(double after_limit, double after_signal) {
  signals_.grace_microseconds_ = std::lround(1e6 * after_signal);
  if (limit_ <= 0 || signals_.interrupted_.load()) return;
  const double spent =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - signals_.start_).count();
  const double left = limit_ + after_limit - spent;
  if (left < 1e8) wake_after(std::max(1L, std::lround(1e6 * left)));
}

void LastResort::disarm() {
  signals_.armed_ = false;
  wake_after(0);
}

LastResort::~LastResort() {
  disarm();
}

}  // namespace attest
