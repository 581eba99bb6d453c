#include "certify/process/stop_on_signal.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

namespace attest {
namespace {

// A signal handler sees nothing but globals. All of this is the process's, like the signals themselves.
std::atomic<int> guards{0};
std::atomic<bool> interrupted{false};

constexpr int most_leftovers = 32;
struct Slot {
  std::atomic<bool> used{false};
  char path[4096];
};
Slot slots[most_leftovers];

std::atomic<bool> armed{false};
std::atomic<long> grace_microseconds{0};
std::string late_answer, interrupted_answer;
constexpr const char late_message[] = "attest: time: the limit was reached in the middle of a computation\n";
constexpr const char interrupted_message[] = "attest: interrupted: stopped in the middle of a computation\n";

using Clock = std::chrono::steady_clock;
const Clock::time_point process_start = Clock::now();

void remove_leftovers() {
  for (int k = most_leftovers; k-- > 0;) {
    if (!slots[k].used.load()) continue;
    if (unlink(slots[k].path) != 0) rmdir(slots[k].path);
  }
}

void wake_after(long microseconds) {
  itimerval timer{};
  timer.it_value.tv_sec = microseconds / 1000000;
  timer.it_value.tv_usec = microseconds % 1000000;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void on_signal(int signal) {
  if (signal != SIGHUP && guards.load() > 0 && !interrupted.exchange(true)) {
    if (armed.load()) wake_after(grace_microseconds.load());
    return;
  }
  remove_leftovers();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void write_all(int descriptor, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t put = write(descriptor, bytes, size);
    if (put <= 0) return;
    bytes += put;
    size -= static_cast<std::size_t>(put);
  }
}

void on_alarm(int) {
  if (!armed.load()) return;
  const bool stopped = interrupted.load();
  const std::string& answer = stopped ? interrupted_answer : late_answer;
  const char* const message = stopped ? interrupted_message : late_message;
  write_all(STDOUT_FILENO, answer.data(), answer.size());
  write_all(STDERR_FILENO, message, std::strlen(message));
  end_from_signal_handler(30);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, on_signal);
}

StopOnSignal::StopOnSignal() {
  if (guards.fetch_add(1) == 0) interrupted = false;
}

StopOnSignal::~StopOnSignal() {
  --guards;
}

bool StopOnSignal::requested() {
  return interrupted.load();
}

Leftover::Leftover(const std::string& path) {
  if (path.size() >= sizeof slots[0].path) return;
  // In order, so that a folder, which is made before what it holds, is removed after it.
  int next = most_leftovers;
  while (next > 0 && !slots[next - 1].used.load()) --next;
  if (next == most_leftovers) return;
  std::memcpy(slots[next].path, path.c_str(), path.size() + 1);
  slots[next].used = true;
  slot_ = next;
}

Leftover::~Leftover() {
  if (slot_ >= 0) slots[slot_].used = false;
}

void end_from_signal_handler(int status) {
  remove_leftovers();
  _exit(status);
}

LastResort::LastResort(double time_limit_seconds, double after_limit, double after_signal, std::string late,
                       std::string interrupted)
    : limit_(time_limit_seconds) {
  late_answer = std::move(late);
  interrupted_answer = std::move(interrupted);
  handle(SIGALRM, on_alarm);
  armed = true;
  extend(after_limit, after_signal);
}

void LastResort::extend(double after_limit, double after_signal) {
  grace_microseconds = std::lround(1e6 * after_signal);
  if (limit_ <= 0 || StopOnSignal::requested()) return;
  const double spent = std::chrono::duration<double>(Clock::now() - process_start).count();
  const double left = limit_ + after_limit - spent;
  if (left < 1e8) wake_after(std::max(1L, std::lround(1e6 * left)));
}

void LastResort::disarm() {
  armed = false;
  wake_after(0);
}

LastResort::~LastResort() {
  disarm();
}

}  // namespace attest
