#include "certify/audits/audit_paths.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <set>

namespace attest {
namespace {

namespace fs = std::filesystem;

constexpr const char* suffixes[] = {".npz", ".json", ".json.gz", ".safetensors"};

bool named_as_instance(const std::string& name) {
  return name[0] != '.' && std::any_of(std::begin(suffixes), std::end(suffixes),
                                       [&](const char* suffix) { return name.ends_with(suffix); });
}

// A folder is an instance when it has the tokens; other arrays may lie beside instances.
bool holds_arrays(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "X.npy", error);
}

InputError folder_error(const fs::path& folder, const std::string& message) {
  return {InputError::Kind::malformed, folder.string(), {}, {}, message};
}

Result<std::vector<std::string>> inside(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const bool is_folder = fs::is_directory(entry->path(), error);
    error.clear();
    if (is_folder ? holds_arrays(entry->path()) : named_as_instance(entry->path().filename().string()))
      found.push_back(entry->path().string());
  }
  if (error) return folder_error(folder, "cannot read the folder: " + error.message());
  if (found.empty())
    return folder_error(folder, "holds no instance (.npz, .safetensors, .json, .json.gz, folders of .npy)");
  std::sort(found.begin(), found.end());
  return found;
}

// What there is to read, in bytes; 0 where nobody knows.
std::uintmax_t size_of(const fs::path& instance) {
  std::error_code error;
  std::uintmax_t size = 0;
  if (!fs::is_directory(instance, error)) {
    size = fs::file_size(instance, error);
    return error ? 0 : size;
  }
  for (const auto& entry : fs::directory_iterator(instance, error)) {
    std::error_code no_file;
    const std::uintmax_t bytes = entry.file_size(no_file);
    if (!no_file) size += bytes;
  }
  return size;
}

}  // namespace

Result<std::vector<std::string>> instance_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error) || holds_arrays(path)) {
      all.push_back(path);
      continue;
    }
    Result<std::vector<std::string>> found = inside(path);
    if (auto* failure = std::get_if<InputError>(&found)) return std::move(*failure);
    auto& listed = std::get<std::vector<std::string>>(found);
    all.insert(all.end(), listed.begin(), listed.end());
  }
  return all;
}

std::vector<std::vector<std::size_t>> shared_out(const std::vector<std::string>& instances,
                                                 std::size_t processes) {
  std::vector<std::vector<std::size_t>> shares(processes);
  std::vector<std::size_t> order(instances.size());
  std::iota(order.begin(), order.end(), 0);
  if (processes == 1) return {std::move(order)};
  std::vector<std::uintmax_t> size;
  for (const std::string& instance : instances) size.push_back(size_of(instance));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  std::vector<std::uintmax_t> load(processes);
  for (const std::size_t k : order) {
    const auto least = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    shares[least].push_back(k);
    load[least] += size[k] + 1;
  }
  for (std::vector<std::size_t>& share : shares) std::sort(share.begin(), share.end());
  return shares;
}

std::vector<std::string> certificate_names(const std::vector<std::string>& instances) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const std::string& instance : instances) {
    fs::path path(instance);
    if (!path.has_filename()) path = path.parent_path();  // "folder/"
    const std::string stem = path.filename().string();
    std::string name = stem + ".cert";
    for (int k = 2; !taken.insert(name).second; ++k) name = stem + "-" + std::to_string(k) + ".cert";
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace attest
