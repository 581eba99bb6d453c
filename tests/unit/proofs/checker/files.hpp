// Temporary files for reader tests, and what a check of them returns.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "proofs/checker/checker.hpp"
#include "proofs/checker/instance/instance.hpp"

namespace checker_tests {

// A file (or folder) with a fresh name, removed at the end of its scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) : path_(fresh_path()) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  // A folder of files.
  explicit TemporaryFile(const std::vector<std::pair<std::string, std::string>>& files)
      : path_(fresh_path()) {
    std::filesystem::create_directory(path_);
    for (const auto& [name, content] : files) std::ofstream(path_ + "/" + name, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove_all(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  static std::string fresh_path() {
    static std::atomic<int> counter = 0;
    const std::string name =
        "attest-checker-test-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    return (std::filesystem::temp_directory_path() / name).string();
  }
  std::string path_;
};

// The exit status that reading the instance ends with; 0 when it is read.
inline int instance_status(const TemporaryFile& file) {
  try {
    attest_check::read_instance(file.path());
  } catch (const attest_check::Failure& failure) {
    return static_cast<int>(failure.status());
  }
  return 0;
}

inline int instance_status(const std::string& content) {
  return instance_status(TemporaryFile(content));
}

// The message of the failure, empty when there is none.
inline std::string instance_message(const std::string& content) {
  try {
    attest_check::read_instance(TemporaryFile(content).path());
  } catch (const attest_check::Failure& failure) {
    return failure.what();
  }
  return "";
}

inline std::string little_endian(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned k = 0; k < bytes; ++k) text.push_back(static_cast<char>(value >> (8 * k)));
  return text;
}

// An npy file with the given header dictionary.
inline std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  const std::string size = little_endian(dictionary.size() + 1, version == 1 ? 2 : 4);
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' + size + dictionary + "\n" + data;
}
inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       bool fortran) {
  return npy("{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                 ", 'shape': " + shape + ", }",
             data);
}

// gzip (window bits 31) or raw deflate (-15).
inline std::string deflated(const std::string& content, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(content.size() + content.size() / 100 + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace checker_tests
