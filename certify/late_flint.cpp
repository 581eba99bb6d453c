// Arb and FLINT for the program `attest`, loaded when one of their functions is first called: the dynamic
// linker needs 3 ms for these libraries, more than all of a small problem, and many commands call none. For
// each function called anywhere late_flint.sh writes a stub of that name, a jump through an address that
// leads here at first.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "certify/process/exit_status.hpp"

extern "C" {
extern const char* const attest_late_library;
extern const char* const attest_late_names[];  // null at the end
extern void* attest_late_address[];            // in the same order
void attest_load_late();
}

// A stub comes with its address in r11, which calls may overwrite: arguments are kept, everything is loaded,
// and the function is entered as if it had been called.
asm(R"(
.text
.globl attest_late_call
.hidden attest_late_call
.type attest_late_call,@function
attest_late_call:
  push %rax
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  push %r11
  sub $136, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  call attest_load_late
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  add $136, %rsp
  pop %r11
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  pop %rax
  jmp *(%r11)
)");

namespace {

using Handler = void (*)();

// What was asked of FLINT before it was there.
std::atomic<Handler> abort_handler{nullptr};
std::atomic<void (*)(Handler)> set_abort{nullptr};
std::atomic<Handler> cleanup{nullptr};

// Where the library cannot be loaded nothing can go on: no caller expects that.
[[noreturn]] void cannot_load(const char* reason) {
  const bool memory =
      std::strstr(reason, "allocate memory") != nullptr || std::strstr(reason, "map") != nullptr;
  if (const Handler handler = abort_handler; memory && handler != nullptr) handler();  // the memory limit's
  std::fprintf(stderr, "attest: %s\n", reason);
  std::_Exit(attest::exit_internal_error);
}

void* address_of(void* library, const char* name) {
  void* const address = dlsym(library, name);
  if (address == nullptr) cannot_load(dlerror());
  return address;
}

void load() {
  void* const library = dlopen(attest_late_library, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) cannot_load(dlerror());
  for (std::size_t k = 0; attest_late_names[k] != nullptr; ++k) {
    const std::atomic_ref<void*> address(attest_late_address[k]);  // other threads jump through it
    address.store(address_of(library, attest_late_names[k]));
  }
  set_abort = reinterpret_cast<void (*)(Handler)>(address_of(library, "flint_set_abort"));
  cleanup = reinterpret_cast<Handler>(address_of(library, "flint_cleanup"));
  if (const Handler handler = abort_handler) set_abort.load()(handler);
}

}  // namespace

extern "C" {

void attest_load_late() {
  static const bool loaded = (load(), true);
  (void)loaded;
}

void flint_set_abort(Handler handler) {
  abort_handler = handler;
  if (const auto set = set_abort.load()) set(handler);
}

void flint_cleanup() {
  if (const Handler clean = cleanup) clean();
}

}  // extern "C"
