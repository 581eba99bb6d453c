/* How the program ends when OCaml's exceptions cannot tell (GRAMMAR.md section 6). The runtime and GMP abort when
   memory is used up: exit status 5. A fault of the processor is 6; OCaml's own handler, which turns a stack that is
   used up into an exception, is asked first. */
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <caml/mlvalues.h>

static struct sigaction ours, runtime;

static void end(int signal) {
  const char* why = signal == SIGABRT  ? "attest-check-verified: resource limit: out of memory\n"
                    : signal == SIGFPE ? "attest-check-verified: internal error: an arithmetic fault\n"
                                       : "attest-check-verified: internal error: a fault of memory\n";
  const int status = signal == SIGABRT ? 5 : 6;
  if (write(STDERR_FILENO, why, strlen(why)) < 0) _exit(status);
  _exit(status);
}

static void fault(int signal, siginfo_t* info, void* context) {
  struct sigaction now;
  if ((runtime.sa_flags & SA_SIGINFO) == 0) end(signal);
  runtime.sa_sigaction(signal, info, context);
  /* It gives up by restoring the default. */
  if (sigaction(SIGSEGV, NULL, &now) != 0 || now.sa_handler == SIG_DFL) end(signal);
}

value attest_last_resort(value unit) {
  const int signals[] = {SIGABRT, SIGFPE, SIGBUS, SIGILL};
  size_t k;
  ours.sa_handler = end;
  ours.sa_flags = SA_ONSTACK;
  for (k = 0; k < sizeof signals / sizeof *signals; ++k) sigaction(signals[k], &ours, NULL);
  sigaction(SIGSEGV, NULL, &runtime);
  ours = runtime;
  ours.sa_sigaction = fault;
  ours.sa_flags |= SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &ours, NULL);
  return unit;
}
