// Reading a dataset instance from disk: .npz, a folder of .npy files, .safetensors, .json and .json.gz.
#pragma once

#include <string>

#include "certify/instance/instance.hpp"
#include "certify/instance/sentences.hpp"
#include "certify/process/file_bytes.hpp"
#include "certify/process/input_error.hpp"

namespace attest {

// Reads the instance at `path`. The format is told by the content (zip, gzip, safetensors, otherwise JSON)
// and for folders by the file names KEY.npy. Formats that are not read are refused with the command that
// converts. Every number is exact. Errors name file, key and index; nothing is thrown except std::bad_alloc.
// Sentences of next-token prediction are refused with the command that takes them.
Result<Instance> read_instance(const std::string& path, const ReadLimits& limits = {});

// The same, where sentences are a dataset as well.
using Dataset = std::variant<Instance, SentenceData>;
Result<Dataset> read_dataset(const std::string& path, const ReadLimits& limits = {});

}  // namespace attest
