// Bytes of a file as memory: the system reads a page when somebody looks at it, and takes it back.
#pragma once

#include <cstddef>
#include <memory>

namespace attest {

// Ends the mapping of a file, read only, when its last owner goes: `std::shared_ptr<const void>(start,
// Unmap{size})`.
struct Unmap {
  std::size_t size = 0;
  void operator()(const void* start) const;
};

// Is `owner` such a mapping?
bool lies_in_file(const std::shared_ptr<const void>& owner);

// Where `owner` is such a mapping, the pages of [begin, end) that nothing after `end` lies in are no longer
// held by this process. Looked at again, they come from the file.
void give_back(const std::shared_ptr<const void>& owner, const char* begin, const char* end);

}  // namespace attest
