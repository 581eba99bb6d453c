// .npy and .npz images of every variant, written independently of the program's own writer.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace cli_tests {

enum class Type { float32, float64, int8, uint8, int16, int32, uint32, int64 };

// Values given in C order, stored with the type, byte order and memory order asked for.
std::string npy(const std::vector<double>& values, const std::vector<std::size_t>& shape,
                Type type = Type::float64, bool big_endian = false, bool fortran = false);

// A .npy image with this header dictionary and data, whatever they are.
std::string npy_raw(const std::string& dictionary, const std::string& data);

enum class Packing { stored, deflated, zip64 };

using Members = std::vector<std::pair<std::string, std::string>>;
std::string zip(const Members& members, Packing packing = Packing::stored);

std::string gzip(const std::string& bytes);

}  // namespace cli_tests
