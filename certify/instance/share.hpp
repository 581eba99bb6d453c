// Some sequences of an instance, read as an instance of their own: what a process needs that shares a large
// one with others.
#pragma once

#include <cstddef>
#include <string>

#include "certify/instance/instance.hpp"
#include "certify/instance/raw.hpp"
#include "certify/process/file_bytes.hpp"
#include "certify/process/input_error.hpp"

namespace attest {

// Which of so many even parts.
struct Part {
  std::size_t number = 0, of = 1;

  // Of `count` things those from begin(count) up to end(count).
  std::size_t begin(std::size_t count) const { return count * number / of; }
  std::size_t end(std::size_t count) const { return count * (number + 1) / of; }
};

// Sequences [first, first + instance.sequences()) of a file.
struct InstanceShare {
  Instance instance;
  std::size_t first = 0;
};

// The part of the file at `path`; of arrays in one block a sequence (X of shape (n, T, d) and what goes with
// it) nothing else is looked at, nor copied. Of other forms all sequences are read, and kept.
Result<InstanceShare> read_share(const std::string& path, Part part, const ReadLimits& limits = {});

// Leaves the part's sequences in `raw` and returns the number of the first one; leaves everything, and
// returns nothing, where not every array has one block a sequence.
std::optional<std::size_t> keep_sequences(RawInstance& raw, Part part);

}  // namespace attest
