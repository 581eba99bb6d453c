// Bounded reading, gzip; see file_bytes.hpp.
#include "certify/process/file_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "certify/process/descriptor.hpp"
#include "certify/process/input_error.hpp"
#include "numerics/numbers/file_pages.hpp"

namespace attest {
namespace {

// Smaller files are read: what another program does to them meanwhile is then of no account.
constexpr std::size_t least_mapped = std::size_t{16} << 20;

std::string system_error(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

// A file that is not larger than can be held; `size` is 0 for what is no regular file.
struct OpenFile {
  OpenFile(const std::string& path, const ReadLimits& limits)
      : file(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file.get() < 0) fail_input(system_error("cannot open"));
    struct stat status {};
    if (fstat(file.get(), &status) != 0) fail_input(system_error("cannot read"));
    if (S_ISDIR(status.st_mode)) fail_input("is a folder");
    size = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
    const std::size_t most = limits.largest_total();
    if (size > most)
      fail_resource("has " + std::to_string(size) + " bytes, more than can be held (" + std::to_string(most) +
                    ")");
  }
  Descriptor file;
  std::size_t size = 0;
};

std::string read_all(const OpenFile& opened, const ReadLimits& limits) {
  const std::size_t most = limits.largest_total();
  std::string bytes(opened.size, '\0');
  std::size_t have = 0;
  for (;;) {
    if (have == bytes.size()) bytes.resize(have + (have == opened.size ? 1 : 1 << 20));
    const ssize_t got = read(opened.file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_input(system_error("cannot read"));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
    if (have > most) fail_resource("is longer than can be held (" + std::to_string(most) + " bytes)");
  }
  bytes.resize(have);
  return bytes;
}

struct Inflater {
  z_stream stream{};
  explicit Inflater(int window_bits) {
    if (inflateInit2(&stream, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

std::string deflate_with(std::string_view bytes, int window_bits) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string out;
  std::string buffer(1 << 16, '\0');
  std::size_t consumed = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    const std::size_t chunk = std::min<std::size_t>(bytes.size() - consumed, 1u << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + consumed));
    stream.avail_in = static_cast<uInt>(chunk);
    const bool last = consumed + chunk == bytes.size();
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      state = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      out.append(buffer.data(), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0);
    consumed += chunk;
  }
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::size_t ReadLimits::largest_total() const {
  if (memory_bytes != 0) return memory_bytes;
  std::size_t total = std::size_t{1} << 62;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && page > 0) total = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) / 4 * 3;
  struct rlimit limit {};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    total = std::min<std::size_t>(total, limit.rlim_cur / 4 * 3);
  }
  return total;
}

std::size_t ReadLimits::largest_expansion(std::size_t compressed) const {
  if (memory_bytes != 0) return memory_bytes;
  const std::size_t ratio_bound = compressed > (std::size_t{1} << 50) ? compressed : compressed * 200;
  return std::min(largest_total(), std::max(ratio_bound, std::size_t{64} << 20));
}

std::string read_file(const std::string& path, const ReadLimits& limits) {
  const OpenFile opened(path, limits);
  return read_all(opened, limits);
}

KeptBytes keep(std::string bytes) {
  const auto kept = std::make_shared<const std::string>(std::move(bytes));
  return {*kept, kept};
}

KeptBytes map_file(const std::string& path, const ReadLimits& limits) {
  const OpenFile opened(path, limits);
  if (opened.size < least_mapped) return keep(read_all(opened, limits));
  void* const start = mmap(nullptr, opened.size, PROT_READ, MAP_PRIVATE, opened.file.get(), 0);
  if (start == MAP_FAILED) return keep(read_all(opened, limits));
  const std::shared_ptr<const void> owner(start, Unmap{opened.size});
  return {{static_cast<const char*>(start), opened.size}, owner};
}

std::string inflate_raw(std::string_view compressed, std::size_t expanded, unsigned long crc,
                        const std::string& key) {
  Inflater inflater(-MAX_WBITS);
  std::string out(expanded + 1, '\0');  // one byte more, so that too long a stream shows
  z_stream& stream = inflater.stream;
  std::size_t consumed = 0, produced = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    const std::size_t in = std::min<std::size_t>(compressed.size() - consumed, 1u << 30);
    const std::size_t room = std::min<std::size_t>(out.size() - produced, 1u << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + consumed));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + produced);
    stream.avail_out = static_cast<uInt>(room);
    state = inflate(&stream, Z_NO_FLUSH);
    consumed += in - stream.avail_in;
    produced += room - stream.avail_out;
    if (produced > expanded) fail_input("compressed data is longer than announced", key);
  }
  if (state != Z_STREAM_END || produced != expanded || consumed != compressed.size()) {
    fail_input("compressed data is damaged at its byte " + std::to_string(consumed), key);
  }
  out.resize(expanded);
  unsigned long actual = crc32_z(0, reinterpret_cast<const Bytef*>(out.data()), out.size());
  if (actual != crc) fail_input("checksum of the compressed data is wrong", key);
  return out;
}

std::string gunzip(std::string_view compressed, const ReadLimits& limits) {
  const std::size_t most = limits.largest_expansion(compressed.size());
  Inflater inflater(16 + MAX_WBITS);
  z_stream& stream = inflater.stream;
  std::string out(std::min(most, std::max<std::size_t>(compressed.size() * 4, 1 << 16)), '\0');
  std::size_t consumed = 0, produced = 0;
  while (consumed < compressed.size()) {
    if (produced == out.size()) {
      if (produced >= most) {
        fail_resource("expands to more than " + std::to_string(most) + " bytes (--memory-limit allows more)");
      }
      out.resize(std::min(most, out.size() * 2));
    }
    const std::size_t in = std::min<std::size_t>(compressed.size() - consumed, 1u << 30);
    const std::size_t room = std::min<std::size_t>(out.size() - produced, 1u << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + consumed));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + produced);
    stream.avail_out = static_cast<uInt>(room);
    const int state = inflate(&stream, Z_NO_FLUSH);
    consumed += in - stream.avail_in;
    produced += room - stream.avail_out;
    if (state == Z_STREAM_END) {
      if (consumed != compressed.size()) {
        fail_input("byte " + std::to_string(consumed) + ": bytes after the end of the gzip data");
      }
      out.resize(produced);
      return out;
    }
    if (state != Z_OK && !(state == Z_BUF_ERROR && produced == out.size())) {
      fail_input("gzip data is damaged");
    }
  }
  if (produced == out.size() && produced >= most) {
    fail_resource("expands to more than " + std::to_string(most) + " bytes (--memory-limit allows more)");
  }
  fail_input("gzip data is truncated");
}

std::string gzip(std::string_view bytes) {
  return deflate_with(bytes, 16 + MAX_WBITS);
}

std::string deflate_raw(std::string_view bytes) {
  return deflate_with(bytes, -MAX_WBITS);
}

}  // namespace attest
