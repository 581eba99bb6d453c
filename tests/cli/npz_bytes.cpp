// Builds .npy, .npz and gzip images byte by byte; see npz_bytes.hpp.
#include "tests/cli/npz_bytes.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace cli_tests {
namespace {

template <class Number>
void append(std::string& out, double value, bool big_endian) {
  const auto number = static_cast<Number>(value);
  std::string bytes(reinterpret_cast<const char*>(&number), sizeof number);
  if (big_endian) std::reverse(bytes.begin(), bytes.end());
  out += bytes;
}

void append_as(std::string& out, Type type, double value, bool big) {
  switch (type) {
    case Type::float32:
      return append<float>(out, value, big);
    case Type::float64:
      return append<double>(out, value, big);
    case Type::int8:
      return append<std::int8_t>(out, value, big);
    case Type::uint8:
      return append<std::uint8_t>(out, value, big);
    case Type::int16:
      return append<std::int16_t>(out, value, big);
    case Type::int32:
      return append<std::int32_t>(out, value, big);
    case Type::uint32:
      return append<std::uint32_t>(out, value, big);
    case Type::int64:
      return append<std::int64_t>(out, value, big);
  }
}

const char* code(Type type) {
  constexpr const char* codes[] = {"f4", "f8", "i1", "u1", "i2", "i4", "u4", "i8"};
  return codes[static_cast<int>(type)];
}

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) out.push_back(static_cast<char>(value >> (8 * k)));
}

// zlib with these window bits: raw deflate below 0, gzip above 16.
std::string pack(const std::string& bytes, int window_bits) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::string npy_raw(const std::string& dictionary, const std::string& data) {
  std::string header = dictionary;
  while ((10 + header.size() + 1) % 64 != 0) header.push_back(' ');
  header.push_back('\n');
  std::string image("\x93NUMPY\x01\0", 8);
  put(image, header.size(), 2);
  return image + header + data;
}

std::string npy(const std::vector<double>& values, const std::vector<std::size_t>& shape, Type type,
                bool big_endian, bool fortran) {
  std::string data;
  std::vector<std::size_t> position(shape.size(), 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::size_t source = k;
    if (fortran) {  // the k-th entry in storage has its first index running fastest
      std::size_t rest = k;
      source = 0;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        position[axis] = rest % shape[axis];
        rest /= shape[axis];
      }
      for (std::size_t axis = 0; axis < shape.size(); ++axis) source = source * shape[axis] + position[axis];
    }
    append_as(data, type, values[source], big_endian);
  }
  std::string dims;
  for (const std::size_t extent : shape) dims += std::to_string(extent) + ",";
  return npy_raw(std::string("{'descr': '") + (big_endian ? '>' : '<') + code(type) +
                     "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" + dims + "), }",
                 data);
}

std::string zip(const Members& members, Packing packing) {
  const bool wide = packing == Packing::zip64;
  std::string archive, directory;
  for (const auto& member : members) {
    const std::string &name = member.first, &bytes = member.second;
    const std::string data = packing == Packing::deflated ? pack(bytes, -MAX_WBITS) : bytes;
    const std::uint64_t offset = archive.size();
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
    const auto common = [&](std::string& out) {
      put(out, wide ? 45 : 20, 2);
      put(out, 0, 2);
      put(out, packing == Packing::deflated ? 8 : 0, 2);
      put(out, 0, 4);
      put(out, crc, 4);
      put(out, wide ? 0xffffffff : data.size(), 4);
      put(out, wide ? 0xffffffff : bytes.size(), 4);
      put(out, name.size(), 2);
      put(out, wide ? 20 : 0, 2);
    };
    const auto extra = [&](std::string& out) {
      if (!wide) return;
      put(out, 1, 2);
      put(out, 16, 2);
      put(out, bytes.size(), 8);
      put(out, data.size(), 8);
    };
    put(archive, 0x04034b50, 4);
    common(archive);
    archive += name;
    extra(archive);
    archive += data;

    put(directory, 0x02014b50, 4);
    put(directory, 45, 2);
    common(directory);
    put(directory, 0, 8);  // comment, disk, internal attributes, half of the external ones
    put(directory, 0, 2);
    put(directory, offset, 4);
    directory += name;
    extra(directory);
  }
  std::string end;
  put(end, 0x06054b50, 4);
  put(end, 0, 4);
  put(end, members.size(), 2);
  put(end, members.size(), 2);
  put(end, directory.size(), 4);
  put(end, archive.size(), 4);
  put(end, 0, 2);
  return archive + directory + end;
}

std::string gzip(const std::string& bytes) {
  return pack(bytes, 16 + MAX_WBITS);
}

}  // namespace cli_tests
