// Bytes that are read when they are asked for: see bytes.hpp.
#include "proofs/checker/base/bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/memory.hpp"
#include "proofs/checker/base/one_text.hpp"
#include "proofs/checker/base/sha256.hpp"
#include "proofs/checker/base/spool.hpp"

namespace attest_check {

struct OpenFile {
  int number;
  ~OpenFile() {
    if (number >= 0) close(number);
  }
};

class Blocks {
 public:
  using Block = std::shared_ptr<const std::string>;

  explicit Blocks(std::string text) : file_{-1}, size_(text.size()), block_size_(std::max(size_, 1UL)) {
    places_.resize(1);
    note_block(number_, 0, 1, text);
    places_[0].block = std::make_shared<const std::string>(std::move(text));
  }
  Blocks(int descriptor, const std::string& path, std::size_t size, std::size_t block_size)
      : path_(path), file_{descriptor}, size_(size), block_size_(block_size) {
    places_.resize((size_ - 1) / block_size_ + 1);
  }
  ~Blocks() {
    if (left_ && !held_.empty()) *left_ += held_.size() - 1;
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  std::size_t size() const { return size_; }
  std::size_t block_size() const { return block_size_; }
  bool hold(const std::shared_ptr<std::size_t>& left) {
    if (left_ || file_.number < 0) return false;
    left_ = left;
    return true;
  }

  Block block(std::size_t number) {
    Place& place = places_[number];
    if (place.block) return place.block;
    std::string text(std::min(block_size_, size_ - number * block_size_), '\0');
    if (read_at(number * block_size_, text) != text.size()) changed();
    if (place.digest.empty()) note_block(number_, number, places_.size(), text);
    if (!place.digest.empty() && digest(text) != place.digest) changed();
    place.block = std::make_shared<const std::string>(std::move(text));
    if (held_.empty() || (left_ && *left_ > 0)) {
      if (!held_.empty()) --*left_;
      held_.push_back(number);
    } else {
      // A long file is read over and over again from front to back: what serves there are blocks that stay.
      // Half of them do; the others take turns, and serve what is read over and over again meanwhile.
      std::size_t& given_up = held_[held_.size() - 1 - turn_++ % ((held_.size() + 1) / 2)];
      give_up(places_[given_up]);
      given_up = number;
    }
    return place.block;
  }

 private:
  struct Place {
    Block block;         // when it is held
    std::string digest;  // once it was given up
  };

  static std::string digest(const std::string& text) {
    Sha256 hash;
    hash.update(text);
    return hash.digest();
  }
  static void give_up(Place& place) {
    if (place.digest.empty()) place.digest = digest(*place.block);
    place.block.reset();
  }
  [[noreturn]] void changed() const { malformed(path_ + ": the file has changed while it was read"); }
  // Reads as much of the text as there is, and says how much.
  std::size_t read_at(std::size_t at, std::string& text) const {
    std::size_t count = 0;
    while (count < text.size()) {
      const ssize_t more =
          pread(file_.number, text.data() + count, text.size() - count, static_cast<off_t>(at + count));
      if (more == 0) break;
      if (more > 0) {
        count += static_cast<std::size_t>(more);
      } else if (errno != EINTR) {
        malformed(path_ + ": cannot be read");
      }
    }
    return count;
  }

  const std::size_t number_ = next_text_of_job();
  const std::string path_;
  const OpenFile file_;
  const std::size_t size_, block_size_;
  std::vector<Place> places_;
  std::vector<std::size_t> held_;  // blocks of the file
  std::shared_ptr<std::size_t> left_;
  std::size_t turn_ = 0;
};

namespace {

Bytes of_stream(int descriptor, const std::string& path) {
  const OpenFile file{descriptor};
  Spool spool(path);
  std::string piece(Bytes::usual_block, '\0');
  for (;;) {
    const ssize_t more = read(descriptor, piece.data(), piece.size());
    if (more == 0) break;
    if (more > 0) {
      spool.add(std::string_view(piece).substr(0, static_cast<std::size_t>(more)));
    } else if (errno != EINTR) {
      malformed(path + ": cannot be read (is it a folder?)");
    }
  }
  return spool.bytes();
}

}  // namespace

Bytes::Bytes(std::string text) : blocks_(std::make_shared<Blocks>(std::move(text))), size_(blocks_->size()) {}

Bytes Bytes::of_file(const std::string& path, std::size_t block_size) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) malformed(path + ": cannot be read");
  return of_open_file(descriptor, path, block_size);
}

Bytes Bytes::of_open_file(int descriptor, const std::string& name, std::size_t block_size) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) malformed(name + ": cannot be read");
  if (!S_ISREG(status.st_mode) || status.st_size == 0) return of_stream(descriptor, name);
  Bytes bytes;
  bytes.size_ = static_cast<std::size_t>(status.st_size);
  bytes.blocks_ = std::make_shared<Blocks>(descriptor, name, bytes.size_, block_size);
  return bytes;
}

std::size_t Bytes::most_held() {
  return std::min<std::size_t>(1UL << 26, memory_limit() / 8);
}

bool Bytes::hold(const std::shared_ptr<std::size_t>& left) const {
  return blocks_ && blocks_->hold(left);
}

Bytes Bytes::part(std::size_t at, std::size_t count) const {
  Bytes part = *this;
  part.begin_ += at;
  part.size_ = count;
  return part;
}

std::string_view Bytes::stretch(std::size_t at) const {
  if (at == size_) return {};
  const std::size_t place = begin_ + at, number = place / blocks_->block_size();
  kept_ = blocks_->block(number);
  block_ = *kept_;
  block_begin_ = number * blocks_->block_size();
  return block_.substr(place - block_begin_, size_ - at);
}

std::string Bytes::text(std::size_t at, std::size_t count) const {
  std::string text;
  count = std::min(count, size_ - at);
  text.reserve(count);
  while (text.size() < count) text += stretch(at + text.size()).substr(0, count - text.size());
  return text;
}

std::string_view Bytes::few_of_others(std::size_t at, std::size_t count) const {
  const std::string_view found = stretch(at).substr(0, count);
  if (found.size() == count) return found;
  text(at, count).copy(apart_, count);
  return {apart_, count};
}

}  // namespace attest_check
