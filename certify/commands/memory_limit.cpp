// The memory limit of the program; see memory_limit.hpp.
#include "certify/commands/memory_limit.hpp"

#include <flint/flint.h>
#include <gmp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "certify/commands/command.hpp"
#include "certify/process/stop_on_signal.hpp"

namespace attest {
namespace {

std::size_t limit = 0;
bool prints_json = false, reading = true;

void* allocate(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) out_of_memory();
  return memory;
}

void* reallocate(void* old, std::size_t, std::size_t size) {
  void* const memory = std::realloc(old, size);
  if (memory == nullptr) out_of_memory();
  return memory;
}

void release(void* memory, std::size_t) {
  std::free(memory);
}

}  // namespace

std::size_t default_memory_limit() {
  constexpr std::size_t most = std::size_t{1} << 32;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return most;
  return std::min(most, static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(page));
}

void limit_process_memory(std::size_t bytes, bool json) {
  limit = bytes != 0 ? bytes : default_memory_limit();
  prints_json = json;
  mp_set_memory_functions(allocate, reallocate, release);
  flint_set_abort(out_of_memory);
#if !defined(__SANITIZE_ADDRESS__)
  // Private memory that can be written to, so neither the program's text nor files it maps. The address
  // sanitizer's shadow would count.
  struct rlimit data {};
  if (getrlimit(RLIMIT_DATA, &data) != 0) return;
  data.rlim_cur = std::min<rlim_t>(data.rlim_max, limit);
  setrlimit(RLIMIT_DATA, &data);
#endif
}

void reading_is_over() {
  reading = false;
}

void out_of_memory() {
  const char* const reason = "more memory is needed than --memory-limit allows";
  std::fprintf(stderr, "attest: memory: %s (%zu bytes)\n", reason, limit);
  // Short enough for the buffer that the stream has, or for none.
  if (prints_json) {
    std::printf(reading ? "{\"error\":{\"kind\":\"resource\",\"file\":\"\",\"key\":\"\",\"index\":\"\","
                          "\"message\":\"%s\"}}\n"
                        : "{\"verdict\":\"undecided\",\"reason\":\"memory: %s\"}\n",
                reason);
  } else if (!reading) {
    std::printf("reason  memory: %s\ns UNDECIDED\n", reason);
  }
  std::fflush(nullptr);
  end_from_signal_handler(reading ? exit_cannot_hold : exit_undecided);
}

}  // namespace attest
