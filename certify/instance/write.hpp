// Writing an instance losslessly in any of the formats read_instance() reads, or as canonical text.
#pragma once

#include <optional>
#include <string>

#include "certify/instance/instance.hpp"
#include "certify/process/input_error.hpp"
#include "certify/process/output_files.hpp"

namespace attest {

// Declares `path` as an output of `files`: a file, or a folder (a path that ends in '/' or has no extension).
// An unknown extension is an error.
std::optional<InputError> declare_instance(OutputFiles& files, const std::string& path);

// Writes `instance` to the declared `path`: .npz, .json, .json.gz, .txt (canonical text), or a folder of .npy
// files. Arrays formats hold binary64 numbers only; anything else is an error naming key and index. alpha and
// W0 are kept except in .txt.
std::optional<InputError> write_instance(const Instance& instance, const std::string& path,
                                         const OutputFiles& files);

}  // namespace attest
