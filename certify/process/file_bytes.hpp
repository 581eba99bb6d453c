// Whole files into memory, bounded, and gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace attest {

// How much a file may expand to. Zero means the default: three quarters of the machine's memory (less where
// the process is limited), and decompression to at most 64 MiB or 200 times the compressed size.
struct ReadLimits {
  std::size_t memory_bytes = 0;

  std::size_t largest_total() const;
  // Largest size that `compressed` bytes may be expanded to.
  std::size_t largest_expansion(std::size_t compressed) const;
};

// The file's bytes. Throws InputFailure (malformed: cannot be read; resource: larger than the limits).
std::string read_file(const std::string& path, const ReadLimits& limits);

// Bytes and who keeps them.
struct KeptBytes {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};

KeptBytes keep(std::string bytes);

// The file's bytes as read_file() has them, but a large file is mapped instead of read: it takes no memory of
// the process, and pages that are not used may leave the machine's. One that another program changes
// meanwhile is noticed by OutputFiles::unchanged(), and SIGBUS ends the process if it was shortened.
KeptBytes map_file(const std::string& path, const ReadLimits& limits);

// Raw deflate data of known expanded size, checked against `crc`; `key` is named in errors.
std::string inflate_raw(std::string_view compressed, std::size_t expanded, unsigned long crc,
                        const std::string& key);

// The text of a gzip file of one member; anything after it is malformed.
std::string gunzip(std::string_view compressed, const ReadLimits& limits);

// A deterministic gzip file (no name, no time).
std::string gzip(std::string_view bytes);

// Raw deflate data.
std::string deflate_raw(std::string_view bytes);

}  // namespace attest
