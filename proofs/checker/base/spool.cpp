// Texts in temporary files: see spool.hpp.
#include "proofs/checker/base/spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {
namespace {

constexpr std::size_t most_held = 1UL << 20;

std::string temporary_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

}  // namespace

Spool::Spool(Spool&& other) noexcept
    : what_(std::move(other.what_)),
      held_(std::move(other.held_)),
      size_(std::exchange(other.size_, 0)),
      file_(std::exchange(other.file_, -1)) {}

Spool::~Spool() {
  if (file_ >= 0) close(file_);
}

void Spool::refuse(const std::string& folder) const {
  too_large(what_ + ": no room for a temporary file in " + folder + " (TMPDIR): " + std::strerror(errno));
}

void Spool::add(std::string_view text) {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, most_held - held_.size());
    held_ += piece;
    size_ += piece.size();
    text.remove_prefix(piece.size());
    if (held_.size() == most_held) write_out();
  }
}

void Spool::write_out() {
  const std::string folder = temporary_folder();
  if (file_ < 0) {
    std::string name = folder + "/attest-check-XXXXXX";
    file_ = mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0 || unlink(name.c_str()) != 0) refuse(folder);
  }
  for (std::size_t done = 0; done < held_.size();) {
    const ssize_t more = write(file_, held_.data() + done, held_.size() - done);
    if (more < 0 && errno != EINTR) refuse(folder);
    done += static_cast<std::size_t>(std::max<ssize_t>(more, 0));
  }
  held_.clear();
}

Bytes Spool::bytes() {
  if (file_ < 0) return Bytes(std::exchange(held_, {}));
  write_out();
  std::string().swap(held_);
  return Bytes::of_open_file(std::exchange(file_, -1), what_);
}

}  // namespace attest_check
