// Bytes from files: see compressed.hpp.
#include "proofs/checker/instance/compressed.hpp"

#include <zlib.h>

#include <utility>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/spool.hpp"

namespace attest_check {

constexpr std::size_t piece_size = 1UL << 18;

Bytes inflate_raw(const Bytes& deflated, std::size_t size, const std::string& what) {
  if (size > decompression_limit(deflated.size())) too_large(what + ": decompresses to too many bytes");
  // Deflate cannot expand by more than a factor of 1032, so a larger claim is false and not worth the room.
  if (size / 1032 > deflated.size() + 1) malformed(what + ": cannot decompress to the size it states");
  ByteSource source(what, deflated, ByteSource::Format::raw_deflate);
  Spool content(what);
  for (std::string_view piece = source.next(); !piece.empty(); piece = source.next()) {
    if (piece.size() > size - content.size()) malformed(what + ": decompresses to more than it states");
    content.add(piece);
  }
  if (content.size() != size) malformed(what + ": decompresses to less than it states");
  return content.bytes();
}

ByteSource::ByteSource(std::string name, Bytes bytes, Format format)
    : name_(std::move(name)), bytes_(std::move(bytes)) {
  const bool raw = format == Format::raw_deflate;
  fill();
  if (!raw && !unread_.starts_with("\x1f\x8b")) return;
  stream_ = std::make_unique<z_stream>();
  if (inflateInit2(stream_.get(), raw ? -MAX_WBITS : MAX_WBITS + 16) != Z_OK)
    too_large(name_ + ": no memory to decompress");
  output_.resize(piece_size);
}

ByteSource::~ByteSource() {
  if (stream_) inflateEnd(stream_.get());
}

bool ByteSource::fill() {
  unread_ = bytes_.stretch(total_in_).substr(0, piece_size);
  total_in_ += unread_.size();
  return !unread_.empty();
}

std::string_view ByteSource::next() {
  if (!stream_) {
    if (unread_.empty() && !fill()) return {};
    return std::exchange(unread_, {});
  }
  while (!finished_) {
    if (unread_.empty() && !fill()) malformed(name_ + ": the compressed data is cut off");
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(unread_.data()));
    stream_->avail_in = static_cast<uInt>(unread_.size());
    stream_->next_out = reinterpret_cast<Bytef*>(output_.data());
    stream_->avail_out = static_cast<uInt>(output_.size());
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) too_large(name_ + ": no memory to decompress");
    if (status != Z_OK && status != Z_STREAM_END) malformed(name_ + ": damaged compressed data");
    unread_.remove_prefix(unread_.size() - stream_->avail_in);
    finished_ = status == Z_STREAM_END;
    const std::size_t produced = output_.size() - stream_->avail_out;
    total_out_ += produced;
    if (total_out_ > decompression_limit(total_in_)) too_large(name_ + ": decompresses to too many bytes");
    if (produced > 0) return std::string_view(output_).substr(0, produced);
  }
  if (!unread_.empty() || fill()) {
    malformed(name_ + ": byte " + std::to_string(total_in_ - unread_.size()) +
              ": bytes after the end of the compressed data");
  }
  return {};
}

}  // namespace attest_check
