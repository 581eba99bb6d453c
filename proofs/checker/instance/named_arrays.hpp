// The named arrays of a dataset, wherever they lie, and what readers of its keys ask of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "proofs/checker/instance/array.hpp"

namespace attest_check {

class NamedArrays {
 public:
  // Reads a folder of npy files, an npz, safetensors or JSON file; its first bytes tell which. `path`
  // outlives the arrays.
  explicit NamedArrays(const std::string& path);

  const std::string& path() const { return path_; }
  bool has(const std::string& key) const { return arrays_.contains(key); }
  // The string at a key, empty where there is none.
  std::string text(const std::string& key) const { return has(key) ? at(key).text.value_or("") : ""; }
  const Array& at(const std::string& key) const { return arrays_.at(key); }
  const std::map<std::string, Array>& all() const { return arrays_; }
  void replace(const std::string& key, Array array) { arrays_[key] = std::move(array); }
  [[noreturn]] void bad(const std::string& key, const std::string& why) const;

  // The numbers at a key, which has to be there.
  Array& required(const std::string& key);
  // A list, or a column of one.
  Array& listed(const std::string& key);
  // The numbers of an array, which it gives away.
  NumberArray finite(const std::string& key, Array& array) const;
  // A list of integers in [low, high], and one entry.
  std::vector<long> integers(const std::string& key, long low, long high);
  long integer(const std::string& key, const NumberArray& numbers, std::size_t k, long low, long high) const;

 private:
  std::map<std::string, Array> arrays_;
  const std::string& path_;
};

}  // namespace attest_check
