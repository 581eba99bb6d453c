#include "proofs/checker/base/last_resort.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>

namespace attest_check {
namespace {

const char* program_name = "";
int internal_error = 0, resource_limit = 0;

// Only what is allowed in a signal handler.
[[noreturn]] void end(int status, const char* what, const char* why) {
  for (const char* part : {program_name, what, why, "\n"})
    (void)!write(STDERR_FILENO, part, std::strlen(part));
  std::_Exit(status);
}

constexpr const char* internal = ": internal error: ";

[[noreturn]] void uncaught() {
  try {
    if (const std::exception_ptr escaped = std::current_exception()) std::rethrow_exception(escaped);
  } catch (const std::bad_alloc&) {
    end(resource_limit, ": resource limit: ", "out of memory");
  } catch (const std::exception& error) {
    end(internal_error, internal, error.what());
  } catch (...) {
  }
  end(internal_error, internal, "an exception of an unknown kind");
}

[[maybe_unused]] void aborted(int signal) {
  end(internal_error, internal,
      signal == SIGABRT  ? "aborted"
      : signal == SIGFPE ? "an arithmetic fault"
                         : "a fault of memory");
}

}  // namespace

void install_last_resort(const char* program, int status, int out_of_memory) {
  program_name = program;
  internal_error = status;
  resource_limit = out_of_memory;
  // One that was closed is opened for reading, so that writing to it still fails and is reported.
  while (true) {
    const int opened = open("/dev/null", O_RDONLY);
    if (opened > 2) close(opened);
    if (opened > 2 || opened < 0) break;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit of files is one that cannot be written
  std::set_terminate(uncaught);
#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer reports faults better
  // A stack that is used up leaves no room for a handler: it has its own.
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_handler = aborted;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGABRT, SIGFPE, SIGSEGV, SIGBUS, SIGILL}) sigaction(signal, &action, nullptr);
#endif
}

}  // namespace attest_check
