// Matrices from files of their own, such as the weights of a trained layer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "certify/process/input_error.hpp"
#include "numerics/numbers/exact_array.hpp"

namespace attest {

struct WeightMatrix {
  std::size_t rows = 0, columns = 0;
  ExactArray entries;  // row-major
};

// The matrix in `path`: .npy, or JSON, either a list of rows or an object with the key W0. Every number is
// exact. Without `columns` any number of them will do; one column may be given as a plain vector. Errors name
// the file and `name`.
Result<WeightMatrix> read_weights(const std::string& path, const std::string& name, std::size_t rows,
                                  std::optional<std::size_t> columns, std::size_t memory_limit);

}  // namespace attest
