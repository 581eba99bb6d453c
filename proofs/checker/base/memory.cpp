#include "proofs/checker/base/memory.hpp"

#include <gmp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {
namespace {

constexpr std::size_t grain = 32;     // blocks are multiples of that many bytes
constexpr std::size_t overhead = 16;  // of the system's allocator, a block

constinit thread_local MemoryBudget* budget = nullptr;

std::size_t grains(std::size_t size) {
  return size / grain + 1;
}

void* from_system(std::size_t size) {
  take_memory(size);
  void* const memory = std::malloc(size);
  if (memory == nullptr) MemoryBudget::system_has_no_more();
  return memory;
}

void* allocate(std::size_t size) {
  const std::size_t count = grains(size);
  if (count >= MemoryBudget::classes) return from_system(size);
  void* const kept = budget != nullptr ? budget->reuse(count) : nullptr;
  return kept != nullptr ? kept : from_system(count * grain);
}

void release(void* memory, std::size_t size) {
  const std::size_t count = grains(size);
  if (budget != nullptr && count < MemoryBudget::classes) return budget->keep(memory, count);
  give_memory_back(size);
  std::free(memory);
}

void* reallocate(void* old, std::size_t old_size, std::size_t size) {
  if (grains(old_size) >= MemoryBudget::classes && grains(size) >= MemoryBudget::classes) {
    take_memory(size);
    void* const memory = std::realloc(old, size);
    if (memory == nullptr) MemoryBudget::system_has_no_more();
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

MemoryBudget::MemoryBudget(std::size_t limit, Exhausted exhausted)
    : counts_(this), limit_(limit), exhausted_(exhausted), outer_(budget) {
  budget = this;
}

MemoryBudget::MemoryBudget(MemoryBudget& shared)
    : counts_(&shared), limit_(shared.limit_), exhausted_(shared.exhausted_), outer_(budget) {
  budget = this;
}

MemoryBudget::~MemoryBudget() {
  budget = outer_;
  for (std::size_t count = 0; count < classes; ++count) {
    for (Block* block = kept_[count]; block != nullptr;) {
      std::free(std::exchange(block, block->next));
      if (counts_ != this) give_back(count * grain);
    }
  }
}

MemoryBudget* MemoryBudget::current() {
  return budget;
}

void MemoryBudget::tell(const char* more_than) const {
  char why[256];
  std::snprintf(why, sizeof why, "memory: %s needs more than %s", work_, more_than);
  if (exhausted_ != nullptr) exhausted_(why);
}

// As GMP's own functions: nothing can be told to their callers.
void MemoryBudget::system_has_no_more() {
  if (budget != nullptr) budget->counts_->tell("the system has");
  std::abort();
}

void MemoryBudget::take(std::size_t bytes) {
  if (counts_ != this) return counts_->take(bytes);
  const std::size_t counted = bytes + overhead;
  const std::size_t held = held_.fetch_add(counted, std::memory_order_relaxed);
  if (counted >= bytes && counted <= limit_ && held <= limit_ - counted) return;
  passed_ = true;
  char limit[64];
  std::snprintf(limit, sizeof limit, "%zu bytes (--memory-limit)", limit_);
  tell(limit);
}

// What an outer budget, or none, has taken may be given back here.
void MemoryBudget::give_back(std::size_t bytes) {
  std::atomic<std::size_t>& all = counts_->held_;
  std::size_t held = all.load(std::memory_order_relaxed);
  while (
      !all.compare_exchange_weak(held, held - std::min(held, bytes + overhead), std::memory_order_relaxed)) {
  }
}

void* MemoryBudget::reuse(std::size_t grains) {
  Block* const block = kept_[grains];
  if (block == nullptr) return nullptr;
  kept_[grains] = block->next;
  kept_bytes_ -= grains * grain;
  return block;
}

// What one thread takes and another one drops would be kept without end.
void MemoryBudget::keep(void* memory, std::size_t grains) {
  if (kept_bytes_ >= limit_ / 16) {
    give_back(grains * grain);
    return std::free(memory);
  }
  kept_bytes_ += grains * grain;
  Block* const block = static_cast<Block*>(memory);
  block->next = kept_[grains];
  kept_[grains] = block;
}

void MemoryBudget::is_for(const std::string& work) {
  require_kept();
  std::snprintf(work_, sizeof work_, "%s", work.c_str());
}

void MemoryBudget::require_kept() const {
  if (counts_ != this) return counts_->require_kept();
  if (passed_)
    too_large(std::string("memory: ") + work_ + " needs more than " + std::to_string(limit_) +
              " bytes (--memory-limit)");
}

void MemoryBudget::require(std::size_t bytes, const std::string& what) const {
  if (counts_ != this) return counts_->require(bytes, what);
  require_kept();
  if (bytes > limit_ - held_)
    too_large("memory: " + what + " needs about " + std::to_string(bytes) + " bytes (--memory-limit)");
}

std::size_t memory_limit() {
  return budget != nullptr ? budget->limit() : SIZE_MAX;
}

void memory_is_for(const std::string& work) {
  if (budget != nullptr) budget->is_for(work);
}

void require_memory_kept() {
  if (budget != nullptr) budget->require_kept();
}

void require_memory(std::size_t bytes, const std::string& what) {
  if (budget != nullptr) budget->require(bytes, what);
}

void take_memory(std::size_t bytes) {
  if (budget != nullptr) budget->take(bytes);
}

void give_memory_back(std::size_t bytes) {
  if (budget != nullptr) budget->give_back(bytes);
}

}  // namespace attest_check
