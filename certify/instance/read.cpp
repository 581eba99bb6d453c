// Chooses the reader of an instance by content; see instance/read.hpp.
#include "certify/instance/read.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "certify/instance/assemble.hpp"
#include "certify/instance/foreign.hpp"
#include "certify/instance/json.hpp"
#include "certify/instance/npy.hpp"
#include "certify/instance/safetensors.hpp"
#include "certify/instance/share.hpp"
#include "certify/instance/zip.hpp"

namespace attest {
namespace {

namespace fs = std::filesystem;

// "X.npy" -> "X"; anything else is an error.
std::string key_of_member(const std::string& name) {
  const std::string suffix = ".npy";
  if (name.size() > suffix.size() && name.ends_with(suffix)) {
    std::string key = name.substr(0, name.size() - suffix.size());
    if (is_instance_key(key)) return key;
  }
  std::string shown;
  for (const char c : name.substr(0, 60)) shown.push_back(c >= 32 && c < 127 ? c : '?');
  fail_input("unknown member (" + known_keys() + ", each .npy)", shown);
}

// Checksums take a look at every byte; of a part, whoever reads all of the file compares them.
enum class Checksums { compared, left };

RawInstance read_npz(const KeptBytes& archive, const ReadLimits& limits, Checksums checksums) {
  RawInstance raw;
  for (const ZipMember& member : read_zip_directory(archive.bytes, limits)) {
    const std::string key = key_of_member(member.name);
    if (member.deflated) {
      const KeptBytes expanded = keep(expand(member, key));
      raw.emplace(key, decode_npy(expanded.bytes, key, expanded.owner));
    } else {
      if (checksums == Checksums::compared) check_stored(member, key);
      raw.emplace(key, decode_npy(member.data, key, archive.owner));
    }
  }
  return raw;
}

RawInstance read_folder(const fs::path& folder, const ReadLimits& limits) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    files.push_back(entry->path());
  }
  if (error) fail_input("cannot read the folder: " + error.message());
  std::sort(files.begin(), files.end());
  RawInstance raw;
  for (const fs::path& file : files) {
    const std::string key = key_of_member(file.filename().string());
    if (fs::symlink_status(file, error).type() != fs::file_type::regular) {
      fail_input("is not a file (a folder of arrays holds no links)", key);
    }
    try {
      const KeptBytes array = map_file(file.string(), limits);
      raw.emplace(key, decode_npy(array.bytes, key, array.owner));
    } catch (InputFailure& failure) {
      if (failure.error.key.empty()) failure.error.key = key;
      throw;
    }
  }
  if (raw.empty()) fail_input("folder holds no .npy files");
  return raw;
}

RawInstance read_raw(const std::string& path, const ReadLimits& limits,
                     Checksums checksums = Checksums::compared) {
  std::error_code error;
  if (fs::is_directory(path, error)) return read_folder(path, limits);
  if (const std::string advice = how_to_convert(path); !advice.empty()) fail_input(advice);
  const KeptBytes kept = map_file(path, limits);
  const std::string_view bytes = kept.bytes;
  if (bytes.starts_with("PK")) return read_npz(kept, limits, checksums);
  if (bytes.starts_with("\x1f\x8b")) return parse_json_instance(gunzip(bytes, limits));
  if (bytes.starts_with("\x93NUMPY")) {
    fail_input(
        "is a single array; give an archive, numpy.savez('data.npz', X=X, Y=Y, v=v), or a folder of .npy "
        "files");
  }
  if (begins_safetensors(bytes)) return read_safetensors(bytes, kept.owner);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (path.ends_with(".txt") && first != std::string_view::npos && bytes[first] != '{') {
    fail_input(
        bytes.starts_with("attest-instance ")
            ? "is the canonical text of an instance, which is there to be hashed: attest convert writes "
              ".npz and .json, too"
            : "is text and no instance; what is learned of sentences is asked with attest ntp");
  }
  if ((path.ends_with(".npz") || path.ends_with(".safetensors")) &&
      (first == std::string_view::npos || bytes[first] != '{'))
    fail_input("does not begin as a file of its name's kind does: cut short, or of another kind");
  return parse_json_instance(bytes);
}

}  // namespace

Result<Instance> read_instance(const std::string& path, const ReadLimits& limits) {
  Result<Dataset> dataset = read_dataset(path, limits);
  if (auto* error = std::get_if<InputError>(&dataset)) return std::move(*error);
  if (auto* instance = std::get_if<Instance>(&std::get<Dataset>(dataset))) return std::move(*instance);
  return InputError{InputError::Kind::malformed,
                    path,
                    {},
                    {},
                    "holds sentences for next-token prediction; give their text to attest ntp"};
}

Result<Dataset> read_dataset(const std::string& path, const ReadLimits& limits) {
  try {
    RawInstance raw = read_raw(path, limits);
    if (has_sentences(raw)) return assemble_sentences(std::move(raw));
    return assemble_instance(std::move(raw));
  } catch (InputFailure& failure) {
    failure.error.file = path;
    return std::move(failure.error);
  }
}

Result<InstanceShare> read_share(const std::string& path, Part part, const ReadLimits& limits) {
  try {
    RawInstance raw = read_raw(path, limits, Checksums::left);
    if (has_sentences(raw)) fail_input("holds sentences");
    const std::size_t first = keep_sequences(raw, part).value_or(0);
    return InstanceShare{assemble_instance(std::move(raw)), first};
  } catch (InputFailure& failure) {
    failure.error.file = path;
    return std::move(failure.error);
  }
}

}  // namespace attest
