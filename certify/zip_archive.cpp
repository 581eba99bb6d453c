// Zip reading and writing; see zip_archive.hpp. Format: PKWARE APPNOTE 6.3, sections 4.3 and 4.5.3 (zip64).
#include "certify/zip_archive.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "certify/input_error.hpp"

namespace attest {
namespace {

constexpr std::uint32_t local_magic = 0x04034b50, central_magic = 0x02014b50, end_magic = 0x06054b50,
                        end64_magic = 0x06064b50, locator64_magic = 0x07064b50;

std::uint64_t little(std::string_view bytes, std::size_t at, std::size_t width) {
  if (at > bytes.size() || width > bytes.size() - at) fail_input("zip archive is truncated or damaged");
  std::uint64_t value = 0;
  for (std::size_t k = width; k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

struct Directory {
  std::uint64_t entries = 0, size = 0, offset = 0;
};

Directory find_directory(std::string_view archive) {
  if (archive.size() < 22) fail_input("zip archive is truncated");
  const std::size_t lowest = archive.size() - std::min<std::size_t>(archive.size(), 22 + 65535);
  for (std::size_t at = archive.size() - 22;; --at) {
    if (little(archive, at, 4) == end_magic && at + 22 + little(archive, at + 20, 2) == archive.size()) {
      Directory directory{little(archive, at + 10, 2), little(archive, at + 12, 4), little(archive, at + 16, 4)};
      if (little(archive, at + 4, 2) != 0 && little(archive, at + 4, 2) != 0xffff) fail_input("multi-part zip archive");
      const bool needs_64 =
          directory.entries == 0xffff || directory.size == 0xffffffff || directory.offset == 0xffffffff;
      if (needs_64 && at >= 20 && little(archive, at - 20, 4) == locator64_magic) {
        const std::uint64_t end64 = little(archive, at - 12, 8);
        if (end64 > archive.size() || little(archive, end64, 4) != end64_magic) fail_input("zip archive is damaged");
        directory = {little(archive, end64 + 32, 8), little(archive, end64 + 40, 8), little(archive, end64 + 48, 8)};
      }
      return directory;
    }
    if (at == lowest) break;
  }
  fail_input("not a complete zip archive (no end record)");
}

// Replaces the sizes and offset that are saturated by those of the zip64 extra field, in the order of the standard.
void apply_zip64(std::string_view extra, std::uint64_t& expanded, std::uint64_t& compressed, std::uint64_t& offset) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::uint64_t tag = little(extra, at, 2), length = little(extra, at + 2, 2);
    std::size_t field = at + 4;
    if (tag == 1) {
      const std::size_t end = field + length;
      for (std::uint64_t* value : {&expanded, &compressed, &offset}) {
        if (*value != 0xffffffff) continue;
        if (field + 8 > end) fail_input("zip archive is damaged (zip64 field)");
        *value = little(extra, field, 8);
        field += 8;
      }
      return;
    }
    at = field + length;
  }
}

void put(std::string& out, std::uint64_t value, std::size_t width) {
  for (std::size_t k = 0; k < width; ++k) out.push_back(static_cast<char>(value >> (8 * k) & 0xff));
}

}  // namespace

std::vector<ZipMember> read_zip_directory(std::string_view archive, const ReadLimits& limits) {
  const Directory directory = find_directory(archive);
  if (directory.offset > archive.size() || directory.size > archive.size() - directory.offset ||
      directory.entries > directory.size / 46) {
    fail_input("zip archive is damaged (central directory)");
  }
  std::vector<ZipMember> members;
  std::set<std::string> names;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
  std::uint64_t total = 0, compressed_total = 0;
  std::size_t at = directory.offset;
  for (std::uint64_t k = 0; k < directory.entries; ++k) {
    if (little(archive, at, 4) != central_magic) fail_input("zip archive is damaged (central directory)");
    const std::uint64_t flags = little(archive, at + 8, 2), method = little(archive, at + 10, 2);
    const std::uint64_t name_length = little(archive, at + 28, 2), extra_length = little(archive, at + 30, 2);
    const std::uint64_t comment_length = little(archive, at + 32, 2);
    std::uint64_t compressed = little(archive, at + 20, 4), expanded = little(archive, at + 24, 4);
    std::uint64_t offset = little(archive, at + 42, 4);
    if (at + 46 + name_length + extra_length + comment_length > archive.size()) fail_input("zip archive is truncated");
    ZipMember member;
    member.name = std::string(archive.substr(at + 46, name_length));
    apply_zip64(archive.substr(at + 46 + name_length, extra_length), expanded, compressed, offset);
    if (!names.insert(member.name).second) fail_input("duplicate zip member", member.name);
    if (flags & 1) fail_input("zip member is encrypted", member.name);
    if (method != 0 && method != 8) fail_input("zip member uses an unsupported compression", member.name);
    if (little(archive, offset, 4) != local_magic) fail_input("zip archive is damaged (local header)", member.name);
    const std::uint64_t local_name = little(archive, offset + 26, 2);
    if (local_name != name_length || archive.substr(offset + 30, local_name) != member.name) {
      fail_input("zip archive names a member in two ways", member.name);
    }
    const std::uint64_t start = offset + 30 + local_name + little(archive, offset + 28, 2);
    if (start > archive.size() || compressed > archive.size() - start) fail_input("zip member is truncated", member.name);
    if (method == 0 && compressed != expanded) fail_input("zip member has two sizes", member.name);
    // Deflate never expands more than 1032 times.
    if (method == 8 && expanded / 1032 > compressed) fail_input("zip member announces an impossible size", member.name);
    total += std::min(expanded, std::uint64_t{1} << 62);
    compressed_total += compressed;
    if (total > limits.largest_expansion(compressed_total)) {
      fail_resource("archive expands to more than " + std::to_string(limits.largest_expansion(compressed_total)) +
                        " bytes (--memory-limit allows more)",
                    member.name);
    }
    extents.emplace_back(offset, start + compressed);
    member.data = archive.substr(start, compressed);
    member.expanded = expanded;
    member.crc = little(archive, at + 16, 4);
    member.deflated = method == 8;
    members.push_back(std::move(member));
    at += 46 + name_length + extra_length + comment_length;
  }
  std::sort(extents.begin(), extents.end());
  for (std::size_t k = 1; k < extents.size(); ++k) {
    if (extents[k].first < extents[k - 1].second) fail_input("zip members overlap");
  }
  return members;
}

void check_stored(const ZipMember& member, const std::string& key) {
  const unsigned long crc = crc32_z(0, reinterpret_cast<const Bytef*>(member.data.data()), member.data.size());
  if (crc != member.crc) fail_input("checksum is wrong", key);
}

std::string expand(const ZipMember& member, const std::string& key) {
  return inflate_raw(member.data, member.expanded, member.crc, key);
}

std::string make_zip(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string archive, directory;
  for (const auto& [name, bytes] : members) {
    const std::string data = deflate_raw(bytes);
    const unsigned long crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const std::uint64_t offset = archive.size();
    // Zip64 extra fields hold the sizes, so that arrays beyond 4 GiB need no second code path.
    std::string common;
    put(common, 45, 2);          // version needed: zip64
    put(common, 0, 2);           // flags
    put(common, 8, 2);           // deflate
    put(common, 0x00210000, 4);  // 1980-01-01 00:00
    put(common, crc, 4);
    put(common, 0xffffffff, 4);
    put(common, 0xffffffff, 4);
    put(common, name.size(), 2);
    std::string sizes;
    put(sizes, bytes.size(), 8);
    put(sizes, data.size(), 8);

    put(archive, local_magic, 4);
    archive += common;
    put(archive, 4 + sizes.size(), 2);
    archive += name;
    put(archive, 1, 2);
    put(archive, sizes.size(), 2);
    archive += sizes;
    archive += data;

    put(directory, central_magic, 4);
    put(directory, 45, 2);  // made by
    directory += common;
    put(directory, 4 + sizes.size() + 8, 2);
    put(directory, 0, 2);  // comment
    put(directory, 0, 2);  // disk
    put(directory, 0, 2);  // internal attributes
    put(directory, 0, 4);  // external attributes
    put(directory, 0xffffffff, 4);
    directory += name;
    put(directory, 1, 2);
    put(directory, sizes.size() + 8, 2);
    directory += sizes;
    put(directory, offset, 8);
  }
  const std::uint64_t start = archive.size();
  archive += directory;
  const std::uint64_t end64 = archive.size();
  put(archive, end64_magic, 4);
  put(archive, 44, 8);
  put(archive, 45, 2);
  put(archive, 45, 2);
  put(archive, 0, 4);
  put(archive, 0, 4);
  put(archive, members.size(), 8);
  put(archive, members.size(), 8);
  put(archive, directory.size(), 8);
  put(archive, start, 8);
  put(archive, locator64_magic, 4);
  put(archive, 0, 4);
  put(archive, end64, 8);
  put(archive, 1, 4);
  put(archive, end_magic, 4);
  put(archive, 0, 2);
  put(archive, 0, 2);
  put(archive, 0xffff, 2);
  put(archive, 0xffff, 2);
  put(archive, 0xffffffff, 4);
  put(archive, 0xffffffff, 4);
  put(archive, 0, 2);
  return archive;
}

}  // namespace attest
