#include "certify/process/memory_limit.hpp"

#include <flint/flint.h>
#include <gmp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "certify/process/exit_status.hpp"
#include "certify/process/standard_output.hpp"

namespace attest {
namespace {

// The functions that GMP and FLINT call have no argument for an object.
const MemoryLimit* limit_in_force = nullptr;

FLINT_NORETURN void out_of_memory() {
  if (limit_in_force != nullptr) limit_in_force->exceeded();
  std::abort();  // the functions below are installed by a limit only
}

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

MemoryLimit::MemoryLimit(ProcessSignals& signals, std::size_t bytes, bool json)
    : signals_(signals), bytes_(bytes != 0 ? bytes : default_memory_limit()), json_(json) {
  limit_in_force = this;
  mp_set_memory_functions(allocate, reallocate, release);
  flint_set_abort(out_of_memory);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Private memory that can be written to, so neither the program's text nor files it maps. A sanitizer's
  // shadow would count.
  struct rlimit data {};
  if (getrlimit(RLIMIT_DATA, &data) != 0) return;
  data.rlim_cur = std::min<rlim_t>(data.rlim_max, bytes_);
  setrlimit(RLIMIT_DATA, &data);
#endif
}

// The system's limit stays, and with it what GMP and FLINT do about it: the process is about to end.
MemoryLimit::~MemoryLimit() {
  if (limit_in_force == this) limit_in_force = nullptr;
}

void MemoryLimit::exceeded() const {
  // One thread answers, once; the others wait for the end.
  static std::atomic_flag answered;
  static thread_local bool answers = false;
  if (answers) signals_.end_process(reading_ ? exit_cannot_hold : exit_undecided);
  while (answered.test_and_set()) pause();
  answers = true;
  const char* const reason = "more memory is needed than --memory-limit allows";
  std::fprintf(stderr, "attest: memory: %s (%zu bytes)\n", reason, bytes_);
  // Short enough for the buffer that the stream has, or for none.
  if (json_) {
    std::printf(reading_ ? "{\"error\":{\"kind\":\"resource\",\"file\":\"\",\"key\":\"\",\"index\":\"\","
                           "\"message\":\"%s\"}}\n"
                         : "{\"verdict\":\"undecided\",\"reason\":\"memory: %s\"}\n",
                reason);
  } else if (!reading_) {
    std::printf("reason  memory: %s\ns UNDECIDED\n", reason);
  }
  signals_.end_process(once_printed(reading_ ? exit_cannot_hold : exit_undecided));
}

}  // namespace attest
