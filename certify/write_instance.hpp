// Writing an instance losslessly in any of the formats read_instance() reads, or as canonical text.
#pragma once

#include <optional>
#include <string>

#include "certify/input_error.hpp"
#include "certify/instance.hpp"

namespace attest {

// Writes `instance` to `path`: .npz, .json, .json.gz, .txt (canonical text), or a folder of .npy files (a path that ends
// in '/' or has no extension). Atomic: nothing appears on failure. Arrays formats hold binary64 numbers only; anything
// else is an error naming key and index. alpha and W0 are kept except in .txt.
std::optional<InputError> write_instance(const Instance& instance, const std::string& path);

}  // namespace attest
