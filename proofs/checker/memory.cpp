#include "proofs/checker/memory.hpp"

#include <gmp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "proofs/checker/failure.hpp"

namespace attest_check {
namespace {

constexpr std::size_t grain = 32;    // blocks are multiples of that many bytes
constexpr std::size_t classes = 64;  // larger ones are the system's

struct Block {
  Block* next;
};
Block* kept[classes];  // free blocks of index grains

[[noreturn]] void out_of_memory() {
  std::fputs("attest-check: resource limit: out of memory\n", stderr);
  std::_Exit(static_cast<int>(Exit::resource));
}

std::size_t grains(std::size_t size) { return size / grain + 1; }

void* allocate(std::size_t size) {
  const std::size_t index = grains(size);
  if (index < classes && kept[index] != nullptr) {
    Block* const block = kept[index];
    kept[index] = block->next;
    return block;
  }
  void* memory = std::malloc(index < classes ? index * grain : size);
  return memory != nullptr ? memory : (out_of_memory(), nullptr);
}

void release(void* memory, std::size_t size) {
  const std::size_t index = grains(size);
  if (index >= classes) return std::free(memory);
  Block* const block = static_cast<Block*>(memory);
  block->next = kept[index];
  kept[index] = block;
}

void* reallocate(void* old, std::size_t old_size, std::size_t size) {
  if (grains(old_size) >= classes && grains(size) >= classes) {
    void* memory = std::realloc(old, size);
    return memory != nullptr ? memory : (out_of_memory(), nullptr);
  }
  if (grains(old_size) == grains(size)) return old;
  void* const memory = allocate(size);
  std::memcpy(memory, old, std::min(old_size, size));
  release(old, old_size);
  return memory;
}

}  // namespace

void manage_memory_of_numbers() { mp_set_memory_functions(allocate, reallocate, release); }

}  // namespace attest_check
