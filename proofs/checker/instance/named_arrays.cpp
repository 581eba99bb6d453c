// The arrays of a dataset: see named_arrays.hpp.
#include "proofs/checker/instance/named_arrays.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/instance/compressed.hpp"
#include "proofs/checker/instance/instance.hpp"
#include "proofs/checker/instance/json.hpp"
#include "proofs/checker/instance/safetensors.hpp"
#include "proofs/checker/instance/zip.hpp"

namespace attest_check {
namespace {

// The key of a file or member KEY.npy.
std::string key_of(const std::string& file, const std::string& path) {
  if (!file.ends_with(".npy"))
    malformed(path + ": unexpected member " + file + " (members are named KEY.npy)");
  static const std::set<std::string> known = {
      "X",       "lengths", "Y", "v",         "scores", "K",          "z", "query", "alpha", "W0", "counts",
      "offsets", "head",    "y", "sentences", "ids",    "embeddings", "U", "A",     "bias",  "r",  "setting"};
  std::string key = file.substr(0, file.size() - 4);
  if (!known.contains(key)) malformed(path + ": unknown key " + key);
  return key;
}

std::map<std::string, Array> read_arrays(const std::string& path,
                                         const std::shared_ptr<std::size_t>& blocks_left) {
  std::map<std::string, Array> arrays;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    std::set<std::filesystem::path> files;  // in an order that all processes of a job have
    std::filesystem::directory_iterator entry(path, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
      files.insert(entry->path());
    if (error) malformed(path + ": cannot be read");
    for (const std::filesystem::path& place : files) {
      const std::string key = key_of(place.filename().string(), path), file = place.string();
      if (symlink_status(place, error).type() != std::filesystem::file_type::regular) {
        malformed(file + ": not a file (a folder of arrays holds no links)");
      }
      arrays[key] = read_npy(Bytes::of_file(file), file);
    }
    return arrays;
  }
  const Bytes file = Bytes::of_file(path);
  const std::string begin = file.text(0, 9);
  if (begin.starts_with("PK")) {
    file.hold(blocks_left);
    read_zip(file, path, [&](const std::string& member, const Bytes& content) {
      arrays[key_of(member, path)] = read_npy(content, path + ": " + member);
    });
    return arrays;
  }
  if (begin.starts_with("\x93NUMPY")) malformed(path + ": a single array; give a folder of KEY.npy files");
  ByteSource text(path, file);
  const auto use = [&](const std::string& key, Array array) {
    arrays[key_of(key + ".npy", path)] = std::move(array);
  };
  if (!text.compressed() && begins_safetensors(begin)) {
    file.hold(blocks_left);
    read_safetensors(file, path, use);
  } else {
    Pieces pieces{[&] { return text.next(); }};
    read_json(pieces, path, use);
  }
  return arrays;
}

// Each array that has no part in what may be held gets one.
void hold_blocks(const std::map<std::string, Array>& arrays, std::size_t& left) {
  std::size_t total = 1;
  for (const auto& [key, array] : arrays) total += array.numbers.bytes().size();
  const std::size_t blocks = left;
  for (const auto& [key, array] : arrays) {
    const std::size_t part = std::min(left, blocks * array.numbers.bytes().size() / total);
    if (array.numbers.bytes().hold(std::make_shared<std::size_t>(part))) left -= part;
  }
}

}  // namespace

NamedArrays::NamedArrays(const std::string& path) : path_(path) {
  const auto blocks = std::make_shared<std::size_t>(Bytes::most_held() / Bytes::usual_block);
  arrays_ = read_arrays(path, blocks);
  hold_blocks(arrays_, *blocks);
}

void NamedArrays::bad(const std::string& key, const std::string& why) const {
  malformed(path_ + ": key " + key + ": " + why);
}

Array& NamedArrays::required(const std::string& key) {
  const auto found = arrays_.find(key);
  if (found == arrays_.end()) malformed(path_ + ": key " + key + " is missing");
  if (found->second.text) bad(key, "numbers expected, not a string");
  if (found->second.numbers.size() >= max_entries)
    too_large(path_ + ": key " + key + ": 2^31 or more numbers");
  return found->second;
}

NumberArray NamedArrays::finite(const std::string& key, Array& array) const {
  if (const auto k = array.numbers.first_not_finite())
    bad(key, "entry " + std::to_string(*k) + " is not a finite number");
  return std::move(array.numbers);
}

Array& NamedArrays::listed(const std::string& key) {
  Array& array = required(key);
  if (array.shape.size() == 1 || (array.shape.size() == 2 && array.shape[1] == 1)) return array;
  bad(key, "a list of numbers expected");
}

std::vector<long> NamedArrays::integers(const std::string& key, long low, long high) {
  const Array& array = listed(key);
  std::vector<long> values;
  for (std::size_t k = 0; k < array.numbers.size(); ++k) {
    values.push_back(integer(key, array.numbers, k, low, high));
  }
  return values;
}

long NamedArrays::integer(const std::string& key, const NumberArray& numbers, std::size_t k, long low,
                          long high) const {
  const std::optional<long> value = numbers.integer(k);
  if (!value || *value < low || *value > high) {
    bad(key, "entry " + std::to_string(k) + " is not an integer from " + std::to_string(low) + " to " +
                 std::to_string(high));
  }
  return *value;
}

}  // namespace attest_check
