// How a reader may end on bytes from anyone: with a value, or with a documented refusal. Any other exception
// leaves the target, and libFuzzer reports it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "certify/process/file_bytes.hpp"
#include "certify/process/input_error.hpp"
#include "proofs/checker/base/failure.hpp"

namespace fuzz {

// A value, or why there is none.
template <class Value>
struct Reading {
  std::optional<Value> value;
  bool too_large = false;  // refused for its size, where the readers' limits may differ
  std::string reason;
};

// What a reader of attest-check makes of its input.
template <class Read>
auto checked(Read&& read) -> Reading<decltype(read())> {
  try {
    return {read(), false, {}};
  } catch (const attest_check::Failure& failure) {
    const bool large = failure.status() == attest_check::Exit::resource;
    if (!large && failure.status() != attest_check::Exit::malformed) std::abort();
    return {std::nullopt, large, failure.what()};
  }
}

// What a reader of attest makes of its input.
template <class Read>
auto attested(Read&& read) -> Reading<decltype(read())> {
  try {
    return {read(), false, {}};
  } catch (const attest::InputFailure& failure) {
    return {std::nullopt, failure.error.kind == attest::InputError::Kind::resource, failure.error.text()};
  }
}

// What attest's readers may hold.
inline constexpr attest::ReadLimits limits{std::size_t{1} << 28};

[[noreturn]] inline void disagree(const std::string& what) {
  std::fprintf(stderr, "The readers disagree: %s\n", what.c_str());
  std::abort();
}

// Ends the program when one reader has a value and the other one calls the same bytes malformed.
template <class Mine, class Theirs>
void require_agreement(const Reading<Mine>& mine, const Reading<Theirs>& theirs) {
  if (mine.too_large || theirs.too_large || mine.value.has_value() == theirs.value.has_value()) return;
  disagree(mine.value ? "attest says " + theirs.reason : "attest-check says " + mine.reason);
}

inline std::string_view text(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// A file in memory, for readers that take a path.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("input", 0)) {
    if (descriptor_ < 0) std::abort();
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // The path of a file with these bytes, until the next call.
  std::string hold(std::string_view bytes) const {
    if (ftruncate(descriptor_, 0) != 0) std::abort();
    if (pwrite(descriptor_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      std::abort();
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

}  // namespace fuzz
