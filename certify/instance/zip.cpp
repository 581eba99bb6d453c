// Zip reading and writing; see instance/zip.hpp. Format: PKWARE APPNOTE 6.3, sections 4.3 and 4.5.3 (zip64).
//
// Other readers find members from the first byte on, from the directory, or from what they take for the end
// record: an archive is read only where all of these give the same members.
#include "certify/instance/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "certify/process/input_error.hpp"

namespace attest {
namespace {

constexpr std::uint32_t local_magic = 0x04034b50, central_magic = 0x02014b50, end_magic = 0x06054b50,
                        end64_magic = 0x06064b50, locator64_magic = 0x07064b50, descriptor_magic = 0x08074b50;

constexpr std::uint64_t full = 0xffffffff;  // the value stands in the zip64 extra field
// A flag: checksum and sizes come after the data, and the local header has 0 instead.
constexpr std::uint64_t sizes_follow = 8;

[[noreturn]] void fail_at(std::size_t at, const std::string& why, const std::string& member = {}) {
  fail_input("byte " + std::to_string(at) + ": " + why, member);
}

std::uint64_t little(std::string_view bytes, std::size_t at, std::size_t width) {
  if (at > bytes.size() || width > bytes.size() - at) fail_at(at, "zip archive is truncated or damaged");
  std::uint64_t value = 0;
  for (std::size_t k = width; k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

struct Directory {
  std::uint64_t entries = 0, begin = 0, end = 0;
};

// The end record stands in the last 22 bytes and has no comment; no other place may be read as one.
Directory find_directory(std::string_view archive) {
  if (archive.size() < 22) fail_at(0, "zip archive is truncated");
  const std::size_t last = archive.size() - 22;
  if (little(archive, last, 4) != end_magic || little(archive, last + 20, 2) != 0) {
    fail_at(last, "not a zip archive that ends in an end record without a comment");
  }
  constexpr std::string_view signature("PK\5\6");
  std::size_t other = archive.rfind(signature, last == 0 ? 0 : last - 1);
  while (last > 0 && other != std::string_view::npos && last - other <= 0xffff) {
    if (little(archive, other + 20, 2) == last - other) fail_at(other, "zip archive has a second end record");
    if (other == 0) break;
    other = archive.rfind(signature, other - 1);
  }

  const std::uint64_t entries = little(archive, last + 10, 2), size = little(archive, last + 12, 4);
  const std::uint64_t begin = little(archive, last + 16, 4);
  if (little(archive, last + 4, 4) != 0 || little(archive, last + 8, 2) != entries) {
    fail_at(last + 4, "multi-part zip archive");
  }
  Directory directory{entries, begin, last};
  std::uint64_t stated_size = size;
  if (last >= 76 && little(archive, last - 20, 4) == locator64_magic) {
    const std::size_t end64 = last - 76;
    directory = {little(archive, end64 + 32, 8), little(archive, end64 + 48, 8), end64};
    stated_size = little(archive, end64 + 40, 8);
    const bool record = little(archive, end64, 4) == end64_magic && little(archive, end64 + 4, 8) == 44 &&
                        little(archive, end64 + 16, 8) == 0 &&
                        little(archive, end64 + 24, 8) == directory.entries;
    const bool locator = little(archive, last - 16, 4) == 0 && little(archive, last - 12, 8) == end64 &&
                         little(archive, last - 4, 4) == 1;
    const bool agree = (entries == 0xffff || entries == directory.entries) &&
                       (size == full || size == stated_size) && (begin == full || begin == directory.begin);
    if (!record || !locator || !agree) fail_at(end64, "zip archive has a zip64 end record that is damaged");
  }
  if (directory.begin > directory.end || stated_size != directory.end - directory.begin) {
    fail_at(directory.end, "zip archive whose directory does not end at the end record");
  }
  return directory;
}

// One header of a member, of the directory or before its data.
struct Entry {
  std::uint64_t flags = 0, method = 0, crc = 0, compressed = 0, expanded = 0, offset = 0;
  std::string_view name;
  bool zip64 = false;
  std::size_t end = 0;  // behind name and extra fields
};

// Reads the extra fields up to the entry's end: zip64 sizes (and offset) replace those that are full, in the
// order of the standard. Local headers repeat both sizes, full or not.
void apply_extra_fields(std::string_view archive, std::size_t at, bool local, Entry& entry) {
  while (at < entry.end) {
    const std::size_t left = entry.end - at;
    if (left < 4 || little(archive, at + 2, 2) > left - 4)
      fail_at(at, "zip archive is damaged (extra field)");
    const std::uint64_t tag = little(archive, at, 2);
    const std::size_t next = at + 4 + little(archive, at + 2, 2);
    if (tag == 0x7075) fail_at(at, "zip archive gives a member a second name");
    if (tag == 1) {
      std::size_t field = at + 4;
      const auto take = [&](std::uint64_t& value) {
        if (!local && value != full) return;
        if (next - field < 8) fail_at(at, "zip archive is damaged (zip64 field)");
        const std::uint64_t wide = little(archive, field, 8);
        if (value != full && value != wide) fail_at(at, "zip archive states a size in two ways");
        value = wide;
        field += 8;
      };
      if (entry.zip64) fail_at(at, "zip archive is damaged (two zip64 fields)");
      take(entry.expanded);
      take(entry.compressed);
      if (!local) take(entry.offset);
      if (field != next) fail_at(at, "zip archive is damaged (zip64 field)");
      entry.zip64 = true;
    }
    at = next;
  }
  if (!entry.zip64 && (entry.expanded == full || entry.compressed == full || entry.offset == full)) {
    fail_at(at, "zip archive is damaged (no zip64 field)");
  }
}

Entry read_entry(std::string_view archive, std::size_t at, bool local) {
  if (little(archive, at, 4) != (local ? local_magic : central_magic)) {
    fail_at(at,
            local ? "zip archive is damaged (local header)" : "zip archive is damaged (central directory)");
  }
  // The fields that both kinds have stand two bytes later in the directory, which states the writer's version
  // first.
  const std::size_t shared = at + (local ? 4 : 6), name = at + (local ? 30 : 46);
  Entry entry;
  entry.flags = little(archive, shared + 2, 2);
  entry.method = little(archive, shared + 4, 2);
  entry.crc = little(archive, shared + 10, 4);
  entry.compressed = little(archive, shared + 14, 4);
  entry.expanded = little(archive, shared + 18, 4);
  const std::size_t name_length = little(archive, shared + 22, 2),
                    extra_length = little(archive, shared + 24, 2);
  if (!local) entry.offset = little(archive, at + 42, 4);
  if (name > archive.size() || name_length + extra_length > archive.size() - name)
    fail_at(at, "zip archive is truncated");
  entry.name = archive.substr(name, name_length);
  entry.end = name + name_length + extra_length;
  const std::string shown(entry.name);
  if (little(archive, shared, 2) > 45)
    fail_at(shared, "zip member needs a later version of the format", shown);
  if (entry.flags & 1) fail_at(shared + 2, "zip member is encrypted", shown);
  // Left are the level of compression, sizes after the data, and the encoding of names, which are ASCII here.
  if (entry.flags & ~(std::uint64_t{0x806} | sizes_follow))
    fail_at(shared + 2, "zip member has unknown flags", shown);
  if (!local && little(archive, at + 32, 4) != 0)
    fail_at(at + 32, "zip member has a comment or a second disk", shown);
  apply_extra_fields(archive, name + name_length, local, entry);
  return entry;
}

// Where the member ends: behind its data, or the checksum and sizes that follow them.
std::size_t end_of_member(std::string_view archive, const Entry& entry, const Entry& local) {
  const std::size_t at = local.end + entry.compressed;
  if ((entry.flags & sizes_follow) == 0) return at;
  const std::size_t width = local.zip64 ? 8 : 4;
  if (little(archive, at, 4) != descriptor_magic || little(archive, at + 4, 4) != entry.crc ||
      little(archive, at + 8, width) != entry.compressed ||
      little(archive, at + 8 + width, width) != entry.expanded) {
    fail_at(at, "zip member is followed by other sizes than the directory's", std::string(entry.name));
  }
  return at + 8 + 2 * width;
}

void put(std::string& out, std::uint64_t value, std::size_t width) {
  for (std::size_t k = 0; k < width; ++k) out.push_back(static_cast<char>(value >> (8 * k) & 0xff));
}

}  // namespace

std::vector<ZipMember> read_zip_directory(std::string_view archive, const ReadLimits& limits) {
  const Directory directory = find_directory(archive);
  std::vector<ZipMember> members;
  std::set<std::string> names;
  std::uint64_t total = 0, compressed_total = 0;
  std::size_t at = directory.begin, next = 0;  // in the directory; in the members
  for (std::uint64_t k = 0; k < directory.entries; ++k) {
    const Entry entry = read_entry(archive, at, false);
    ZipMember member;
    member.name = std::string(entry.name);
    if (!names.insert(member.name).second) fail_at(at, "duplicate zip member", member.name);
    if (entry.method != 0 && entry.method != 8)
      fail_at(at, "zip member uses an unsupported compression", member.name);
    if (entry.offset != next)
      fail_at(next, "zip member does not begin where the one before it ends", member.name);
    const Entry local = read_entry(archive, next, true);
    const bool later = (entry.flags & sizes_follow) != 0;
    if (local.name != entry.name || local.flags != entry.flags || local.method != entry.method ||
        local.crc != (later ? 0 : entry.crc) || local.compressed != (later ? 0 : entry.compressed) ||
        local.expanded != (later ? 0 : entry.expanded)) {
      fail_at(next, "zip archive describes a member in two ways", member.name);
    }
    if (entry.compressed > archive.size() - local.end)
      fail_at(local.end, "zip member is truncated", member.name);
    if (entry.method == 0 && entry.compressed != entry.expanded)
      fail_at(at, "zip member has two sizes", member.name);
    // Deflate never expands more than 1032 times.
    if (entry.method == 8 && entry.expanded / 1032 > entry.compressed) {
      fail_at(at, "zip member announces an impossible size", member.name);
    }
    // No sum overflows: members lie one after the other, and each expands at most 1032 times.
    total += entry.expanded;
    compressed_total += entry.compressed;
    if (total > limits.largest_expansion(compressed_total)) {
      fail_resource("archive expands to more than " +
                        std::to_string(limits.largest_expansion(compressed_total)) +
                        " bytes (--memory-limit allows more)",
                    member.name);
    }
    member.data = archive.substr(local.end, entry.compressed);
    member.expanded = entry.expanded;
    member.crc = entry.crc;
    member.deflated = entry.method == 8;
    members.push_back(std::move(member));
    next = end_of_member(archive, entry, local);
    at = entry.end;
  }
  if (next != directory.begin) fail_at(next, "zip archive has bytes between its members and its directory");
  if (at != directory.end) fail_at(at, "zip archive has bytes between its directory and its end record");
  return members;
}

void check_stored(const ZipMember& member, const std::string& key) {
  const unsigned long crc =
      crc32_z(0, reinterpret_cast<const Bytef*>(member.data.data()), member.data.size());
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
