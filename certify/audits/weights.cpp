#include "certify/audits/weights.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "certify/instance/foreign.hpp"
#include "certify/instance/json.hpp"
#include "certify/instance/npy.hpp"
#include "certify/instance/safetensors.hpp"
#include "certify/instance/zip.hpp"
#include "certify/process/file_bytes.hpp"

namespace attest {
namespace {

// The array asked for among those of an archive.
RawArray chosen(RawInstance arrays, const std::string& key, const std::string& name) {
  const std::string wanted =
      !key.empty() || arrays.size() != 1 ? (key.empty() ? name : key) : arrays.begin()->first;
  const auto found = arrays.find(wanted);
  if (found != arrays.end()) return std::move(found->second);
  std::string keys;
  std::size_t shown = 0;
  for (const auto& [other, array] : arrays) {
    if (++shown <= 6) keys += (keys.empty() ? "" : ", ") + other;
  }
  if (shown > 6) keys += ", ... (" + std::to_string(shown) + " in all)";
  fail_input("holds no array " + wanted + " but " + (keys.empty() ? "none" : keys) +
             "; name one as FILE:KEY");
}

RawInstance read_members(const KeptBytes& archive, const ReadLimits& limits, const std::string& key,
                         const std::string& name) {
  RawInstance arrays;
  const std::vector<ZipMember> members = read_zip_directory(archive.bytes, limits);
  for (const ZipMember& member : members) {
    const std::size_t stem = member.name.ends_with(".npy") ? member.name.size() - 4 : member.name.size();
    const std::string own = member.name.substr(0, stem);
    RawArray& array = arrays[own];  // the others stay empty: only their names matter
    if (own != (key.empty() ? name : key) && members.size() > 1) continue;
    if (!member.deflated) check_stored(member, own);
    array = decode_npy(member.deflated ? expand(member, own) : member.data, own);
  }
  return arrays;
}

RawArray read_array(const std::string& path, const std::string& name, std::size_t memory_limit) {
  const std::string file = weight_file(path), key = path.substr(std::min(path.size(), file.size() + 1));
  if (const std::string advice = how_to_convert(file); !advice.empty()) fail_input(advice);
  const ReadLimits limits{memory_limit};
  const KeptBytes kept = keep(read_file(file, limits));
  const std::string_view bytes = kept.bytes;
  if (bytes.starts_with("PK")) return chosen(read_members(kept, limits, key, name), key, name);
  const bool npy = bytes.starts_with("\x93NUMPY");
  if (!npy && begins_safetensors(bytes))
    return chosen(read_safetensors(bytes, kept.owner, TensorNames::any), key, name);
  if (!key.empty()) fail_input("is a single array: no key can be named");
  if (npy) return decode_npy(bytes, name);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  const bool bare = first != std::string_view::npos && bytes[first] == '[';
  RawInstance raw = parse_json_instance(bare ? "{\"W0\":" + std::string(bytes) + "}" : std::string(bytes));
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

std::string weight_file(const std::string& path) {
  std::error_code error;
  const std::size_t colon = path.find_last_of(':');
  if (colon == std::string::npos || std::filesystem::exists(path, error)) return path;
  return std::filesystem::exists(path.substr(0, colon), error) ? path.substr(0, colon) : path;
}

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
