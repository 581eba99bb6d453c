// C++'s own memory in the budget of memory.hpp. Part of the program attest-check, not of the library: a
// program that uses the library decides for itself how it allocates.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "proofs/checker/base/memory.hpp"

// The address sanitizer has operators of its own, which find more than a count does.
#if !defined(__SANITIZE_ADDRESS__)

namespace {

// In front of each block: its size, and nothing that would disturb its alignment.
constexpr std::size_t header = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
static_assert(header >= sizeof(std::size_t));

}  // namespace

void* operator new(std::size_t size) {
  if (size > SIZE_MAX - header) throw std::bad_alloc();
  attest_check::take_memory(size + header);
  void* const block = std::malloc(size + header);
  if (block == nullptr) {
    attest_check::give_memory_back(size + header);
    throw std::bad_alloc();
  }
  *static_cast<std::size_t*>(block) = size;
  return static_cast<char*>(block) + header;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  void* const block = static_cast<char*>(memory) - header;
  attest_check::give_memory_back(*static_cast<std::size_t*>(block) + header);
  std::free(block);
}

void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

#endif
