#include "numerics/numbers/file_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace attest {

void Unmap::operator()(const void* start) const {
  munmap(const_cast<void*>(start), size);
}

bool lies_in_file(const std::shared_ptr<const void>& owner) {
  return std::get_deleter<Unmap>(owner) != nullptr;
}

void give_back(const std::shared_ptr<const void>& owner, const char* begin, const char* end) {
  if (!lies_in_file(owner)) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGE_SIZE));
  const std::uintptr_t before = reinterpret_cast<std::uintptr_t>(begin) % page;
  const std::uintptr_t after = reinterpret_cast<std::uintptr_t>(end) % page;
  const char* const first = begin - before;
  const char* const last = end - after;
  if (first < last) madvise(const_cast<char*>(first), static_cast<std::size_t>(last - first), MADV_DONTNEED);
}

}  // namespace attest
