#include "proofs/checker/base/memory.hpp"

#include <gmp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/patience.hpp"

namespace attest_check {
namespace {

constexpr std::size_t grain = 32;     // blocks are multiples of that many bytes
constexpr std::size_t classes = 64;   // larger ones are the system's
constexpr std::size_t overhead = 16;  // of the system's allocator, a block

struct Block {
  Block* next;
};
Block* kept[classes];  // free blocks of index grains

std::size_t held = 0, limit = SIZE_MAX;
char current_work[160] = "the check";

// GMP's callers are C, through which no exception may pass; nothing is written before the verdict, so nothing
// is lost.
[[noreturn]] void out_of_memory(bool beyond_limit) {
  wipe_step_line();
  if (beyond_limit) {
    std::fprintf(stderr,
                 "attest-check: resource limit: memory: %s needs more than %zu bytes (--memory-limit)\n",
                 current_work, limit);
  } else {
    std::fprintf(stderr, "attest-check: resource limit: memory: %s needs more than the system has\n",
                 current_work);
  }
  std::fflush(stderr);
  std::_Exit(static_cast<int>(Exit::resource));
}

std::size_t grains(std::size_t size) {
  return size / grain + 1;
}

void* from_system(std::size_t size) {
  take_memory(size);
  void* const memory = std::malloc(size);
  return memory != nullptr ? memory : (out_of_memory(false), nullptr);
}

void* allocate(std::size_t size) {
  const std::size_t index = grains(size);
  if (index < classes && kept[index] != nullptr) {
    Block* const block = kept[index];
    kept[index] = block->next;
    return block;
  }
  return from_system(index < classes ? index * grain : size);
}

void release(void* memory, std::size_t size) {
  const std::size_t index = grains(size);
  if (index >= classes) {
    give_memory_back(size);
    return std::free(memory);
  }
  Block* const block = static_cast<Block*>(memory);
  block->next = kept[index];
  kept[index] = block;
}

void* reallocate(void* old, std::size_t old_size, std::size_t size) {
  if (grains(old_size) >= classes && grains(size) >= classes) {
    take_memory(size);
    void* const memory = std::realloc(old, size);
    if (memory == nullptr) out_of_memory(false);
    give_memory_back(old_size);
    return memory;
  }
  if (grains(old_size) == grains(size)) return old;
  void* const memory = allocate(size);
  std::memcpy(memory, old, std::min(old_size, size));
  release(old, old_size);
  return memory;
}

}  // namespace

void manage_memory_of_numbers() {
  mp_set_memory_functions(allocate, reallocate, release);
}

std::size_t default_memory_limit() {
  constexpr std::size_t most = std::size_t{1} << 32;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return most;
  return std::min(most, static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(page));
}

void limit_memory(std::size_t bytes) {
  limit = bytes;
}

void memory_is_for(const std::string& work) {
  std::snprintf(current_work, sizeof current_work, "%s", work.c_str());
}

void take_memory(std::size_t bytes) {
  const std::size_t counted = bytes + overhead;
  if (counted < bytes || counted > limit || held > limit - counted) out_of_memory(true);
  held += counted;
}

void require_memory(std::size_t bytes, const std::string& what) {
  if (bytes > limit - held)
    too_large("memory: " + what + " needs about " + std::to_string(bytes) + " bytes (--memory-limit)");
}

void give_memory_back(std::size_t bytes) {
  held -= bytes + overhead;
}

}  // namespace attest_check
