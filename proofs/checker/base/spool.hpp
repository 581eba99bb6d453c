// A text that is made from front to back, and read where it lies: longer ones in a temporary file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "proofs/checker/base/bytes.hpp"

namespace attest_check {

class Spool {
 public:
  // Messages call the text `what`.
  explicit Spool(std::string what) : what_(std::move(what)) {}
  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&&) = delete;
  ~Spool();

  std::size_t size() const { return size_; }
  // Exit 5 when the file, which has no name, cannot be made in the folder TMPDIR, /tmp without it, or
  // written.
  void add(std::string_view text);
  // All that was added; nothing can be afterwards.
  Bytes bytes();

 private:
  void write_out();
  [[noreturn]] void refuse(const std::string& folder) const;

  std::string what_, held_;  // what is not yet written
  std::size_t size_ = 0;
  int file_ = -1;
};

}  // namespace attest_check
