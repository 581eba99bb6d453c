// Bytes from files: see compressed.hpp.
#include "proofs/checker/instance/compressed.hpp"

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {
namespace {

constexpr std::size_t block_size = 1UL << 16;

Bytef* writable(const char* bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
}

std::unique_ptr<std::istream> open(const std::string& path) {
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*file) malformed(path + ": cannot be read");
  return file;
}

}  // namespace

std::string inflate_raw(std::string_view deflated, std::size_t size, const std::string& what) {
  if (size > decompression_limit(deflated.size())) too_large(what + ": decompresses to too many bytes");
  // Deflate cannot expand by more than a factor of 1032, so a larger claim is false and not worth an
  // allocation.
  if (size / 1032 > deflated.size() + 1) malformed(what + ": cannot decompress to the size it states");
  if (deflated.size() > UINT32_MAX || size > UINT32_MAX) too_large(what + ": larger than 4 GB");
  std::string content(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) too_large(what + ": no memory to decompress");
  char spare = 0;  // lets inflate reach the end of the stream when size is 0
  stream.next_in = writable(deflated.data());
  stream.avail_in = static_cast<uInt>(deflated.size());
  stream.next_out = writable(size == 0 ? &spare : content.data());
  stream.avail_out = static_cast<uInt>(size == 0 ? 1 : size);
  const int status = inflate(&stream, Z_FINISH);
  const bool complete = status == Z_STREAM_END && stream.avail_in == 0 && stream.total_out == size;
  inflateEnd(&stream);
  if (!complete) malformed(what + ": damaged compressed data");
  return content;
}

ByteSource::ByteSource(const std::string& path) : ByteSource(path, open(path)) {}

ByteSource::ByteSource(std::string name, std::unique_ptr<std::istream> input)
    : path_(std::move(name)), file_(std::move(input)), input_(block_size, '\0') {
  fill();
  if (unread_.starts_with("\x1f\x8b")) {
    stream_ = std::make_unique<z_stream>();
    if (inflateInit2(stream_.get(), MAX_WBITS + 16) != Z_OK) too_large(path_ + ": no memory to decompress");
    output_.resize(4 * block_size);
  }
}

ByteSource::~ByteSource() {
  if (stream_) inflateEnd(stream_.get());
}

bool ByteSource::fill() {
  file_->read(input_.data(), static_cast<std::streamsize>(input_.size()));
  if (file_->bad()) malformed(path_ + ": cannot be read (is it a folder?)");
  unread_ = std::string_view(input_).substr(0, static_cast<std::size_t>(file_->gcount()));
  total_in_ += unread_.size();
  return !unread_.empty();
}

std::string_view ByteSource::next() {
  if (!stream_) {
    if (unread_.empty() && !fill()) return {};
    return std::exchange(unread_, {});
  }
  while (!finished_) {
    if (unread_.empty() && !fill()) malformed(path_ + ": the compressed data is cut off");
    stream_->next_in = writable(unread_.data());
    stream_->avail_in = static_cast<uInt>(unread_.size());
    stream_->next_out = writable(output_.data());
    stream_->avail_out = static_cast<uInt>(output_.size());
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) too_large(path_ + ": no memory to decompress");
    if (status != Z_OK && status != Z_STREAM_END) malformed(path_ + ": damaged compressed data");
    unread_.remove_prefix(unread_.size() - stream_->avail_in);
    finished_ = status == Z_STREAM_END;
    const std::size_t produced = output_.size() - stream_->avail_out;
    total_out_ += produced;
    if (total_out_ > decompression_limit(total_in_)) too_large(path_ + ": decompresses to too many bytes");
    if (produced > 0) return std::string_view(output_).substr(0, produced);
  }
  if (!unread_.empty() || fill()) {
    malformed(path_ + ": byte " + std::to_string(total_in_ - unread_.size()) +
              ": bytes after the end of the compressed data");
  }
  return {};
}

std::string ByteSource::rest() {
  std::string text;
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path_, unknown);
  if (!unknown) text.reserve(size);
  for (std::string_view piece = next(); !piece.empty(); piece = next()) text += piece;
  return text;
}

}  // namespace attest_check
