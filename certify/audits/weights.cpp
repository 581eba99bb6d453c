#include "certify/audits/weights.hpp"

#include "certify/instance/json.hpp"
#include "certify/instance/npy.hpp"
#include "certify/process/file_bytes.hpp"

namespace attest {
namespace {

RawArray read_array(const std::string& path, const std::string& name, std::size_t memory_limit) {
  const std::string bytes = read_file(path, ReadLimits{memory_limit});
  if (bytes.starts_with("\x93NUMPY")) return decode_npy(bytes, name);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  const bool bare = first != std::string::npos && bytes[first] == '[';
  RawInstance raw = parse_json_instance(bare ? "{\"W0\":" + bytes + "}" : bytes);
  if (!raw.contains("W0")) fail_input("no key W0");
  return std::move(raw.at("W0"));
}

std::string times(std::size_t rows, const std::string& columns) {
  return std::to_string(rows) + " x " + columns;
}

WeightMatrix checked(RawArray array, const std::string& name, std::size_t rows,
                     std::optional<std::size_t> columns) {
  const bool one_column = columns.value_or(1) == 1;
  if (one_column && array.shape == std::vector<std::size_t>{rows}) array.shape = {rows, 1};
  const bool matrix = !array.text && !array.lengths && array.shape.size() == 2;
  if (!matrix || array.shape[0] != rows || (columns && array.shape[1] != *columns)) {
    std::string message = "must have shape " + times(rows, columns ? std::to_string(*columns) : "any");
    if (matrix) {
      message += ", has " + times(array.shape[0], std::to_string(array.shape[1]));
      if (array.shape[1] == rows && (!columns || array.shape[0] == *columns)) message += ": transpose it";
    }
    fail_input(message, name);
  }
  for (std::size_t k = 0; k < array.values.size(); ++k) {
    if (!array.values.finite(k)) fail_input("not a finite number", name, array.index(k));
  }
  WeightMatrix weights{array.shape[0], array.shape[1], {}};
  weights.entries = std::move(array.values).take();
  return weights;
}

}  // namespace

Result<WeightMatrix> read_weights(const WeightSource& source, const std::string& name, std::size_t rows,
                                  std::optional<std::size_t> columns, std::size_t memory_limit) {
  try {
    RawArray array = source.held ? *source.held : read_array(source.path, name, memory_limit);
    return checked(std::move(array), name, rows, columns);
  } catch (const InputFailure& failure) {
    InputError error = failure.error;
    error.file = source.path;
    return error;
  }
}

}  // namespace attest
