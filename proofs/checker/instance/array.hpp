// The common result of the npy, safetensors and JSON readers: a scalar, list, table or ragged table of exact
// numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "proofs/checker/base/numbers.hpp"

namespace attest_check {

// `shape` has 0 to 3 entries. With three, list i has lengths[i] rows of shape[2] numbers (shape[1] is the
// common length when there is one, else the largest); numbers are in row-major order.
struct Array {
  std::vector<std::size_t> shape;
  std::vector<std::size_t> lengths;
  NumberArray numbers;
  std::optional<std::string> text;  // a string instead of numbers (only `query` takes one)

  bool ragged() const {
    return std::any_of(lengths.begin(), lengths.end(),
                       [&](std::size_t length) { return length != shape[1]; });
  }
};

// The array of that shape whose entries are all of `data`; anything else is malformed, found before any
// allocation. In Fortran order the first index runs fastest: those are copied; others stay where they lie.
Array read_entries(const Bytes& data, const ElementType& type, const std::vector<std::size_t>& shape,
                   bool fortran, const std::string& what);

// Reads an .npy file (versions 1 to 3; float16, float32, float64, signed and unsigned integers of all widths,
// one string; both byte orders; C or Fortran order). Anything else is malformed.
Array read_npy(const Bytes& file, const std::string& what);

}  // namespace attest_check
