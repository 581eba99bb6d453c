// Matrices from files of their own, such as the weights of a trained layer.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "certify/instance/raw.hpp"
#include "certify/process/input_error.hpp"
#include "numerics/numbers/exact_array.hpp"

namespace attest {

// Where a matrix comes from: a file, or what somebody has in memory.
struct WeightSource {
  std::string path;  // FILE, or FILE:KEY where several arrays are in it
  std::shared_ptr<const RawArray> held;

  bool given() const { return held != nullptr || !path.empty(); }
};

struct WeightMatrix {
  std::size_t rows = 0, columns = 0;
  ExactArray entries;  // row-major
};

// The file of FILE:KEY: all of it where there is a file of that name, else what stands before the last colon.
std::string weight_file(const std::string& path);

// The matrix of `source`; a file is .npy, .npz or .safetensors (the array KEY, else the one named `name`,
// else the only one), or JSON, either a list of rows or an object with the key W0. Every number is exact.
// Without `columns` any number of them will do; one column may be given as a plain vector. Errors name the
// file and `name`.
Result<WeightMatrix> read_weights(const WeightSource& source, const std::string& name, std::size_t rows,
                                  std::optional<std::size_t> columns, std::size_t memory_limit);

}  // namespace attest
