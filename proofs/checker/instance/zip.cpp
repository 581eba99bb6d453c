// Zip archives: see zip.hpp. Field offsets are those of PKWARE's APPNOTE 6.3, sections 4.3.7 to 4.3.16.
//
// Readers find an archive from its end (the last end record, or the first whose comment fits), from its
// directory, or from its members. An archive is accepted only where all these ways give the same members.
#include "proofs/checker/instance/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/instance/compressed.hpp"

namespace attest_check {
namespace {

constexpr std::uint64_t saturated = UINT32_MAX;  // a field whose value stands in the zip64 extra field
constexpr std::uint64_t described = 8;  // flag: CRC and sizes follow the data, the local header has 0

// What a header says of its member.
struct Header {
  std::uint64_t flags = 0, method = 0, crc = 0, compressed = 0, size = 0, offset = 0, end = 0;
  std::string name = {};
  bool zip64 = false;
};

class Archive {
 public:
  Archive(const Bytes& file, const std::string& path) : file_(file), path_(path) {}
  void contents(const UseMember& use) const;

 private:
  [[noreturn]] void bad(std::uint64_t at, const std::string& why) const {
    malformed(path_ + ": byte " + std::to_string(at) + ": not a valid zip archive: " + why);
  }
  void require(std::uint64_t at, std::uint64_t count) const {
    if (at > file_.size() || count > file_.size() - at) bad(at, "a field or member lies outside the file");
  }
  std::uint64_t number(std::uint64_t at, unsigned count) const {
    require(at, count);
    return little_endian(file_.few(at, count));
  }
  Header header(std::uint64_t at, bool central) const;
  void read_extra(std::uint64_t at, Header& header, bool central) const;
  std::uint64_t after_description(const Header& central, const Header& local, std::uint64_t at) const;
  Bytes content(const Header& member, std::uint64_t at) const;

  const Bytes& file_;
  const std::string& path_;
};

// A local header, or one of the directory, which has two bytes more before the fields that both have.
Header Archive::header(std::uint64_t at, bool central) const {
  if (number(at, 4) != (central ? 0x02014b50 : 0x04034b50)) bad(at, "a header expected");
  const std::uint64_t f = at + (central ? 6 : 4), name = at + (central ? 46 : 30);
  Header header{.flags = number(f + 2, 2),
                .method = number(f + 4, 2),
                .crc = number(f + 10, 4),
                .compressed = number(f + 14, 4),
                .size = number(f + 18, 4)};
  if (central) header.offset = number(at + 42, 4);
  header.name = file_.text(name, number(f + 22, 2));
  header.end = name + header.name.size() + number(f + 24, 2);
  if (number(f, 2) > 45) bad(f, "a version later than 4.5 is needed");
  if ((header.flags & ~(described | 0x806)) != 0) bad(f + 2, "encrypted, or an unknown flag");
  if (central && number(at + 32, 4) != 0) bad(at + 32, "a comment or a second disk");
  read_extra(name + header.name.size(), header, central);
  return header;
}

// The extra fields up to the header's end: that of zip64 has what 32 bits could not hold.
void Archive::read_extra(std::uint64_t at, Header& header, bool central) const {
  require(at, header.end - at);
  std::vector<std::uint64_t*> values = {&header.size, &header.compressed};
  if (central) values.push_back(&header.offset);
  while (at < header.end) {
    if (header.end - at < 4 || number(at + 2, 2) > header.end - at - 4) bad(at, "an extra field is cut off");
    const std::uint64_t id = number(at, 2), next = at + 4 + number(at + 2, 2);
    if (id == 0x7075) bad(at, "a second name of the member");
    if (id == 1) {
      if (header.zip64) bad(at, "a second zip64 field");
      header.zip64 = true;
      std::uint64_t field = at + 4;
      for (std::uint64_t* value : values) {  // local headers repeat sizes that are not saturated
        if (central && *value != saturated) continue;
        if (next - field < 8) bad(at, "a zip64 field is cut off");
        const std::uint64_t wide = number(field, 8);
        if (*value != saturated && *value != wide) bad(at, "a zip64 field disagrees with its header");
        *value = wide;
        field += 8;
      }
      if (field != next) bad(at, "a zip64 field is too long");
    }
    at = next;
  }
  for (const std::uint64_t* value : values) {
    if (*value == saturated && !header.zip64) bad(at, "no zip64 field");
  }
}

// Where a member ends whose data end at `at`: behind the repetition of its CRC and sizes, if there is one.
std::uint64_t Archive::after_description(const Header& central, const Header& local, std::uint64_t at) const {
  if ((central.flags & described) == 0) return at;
  const unsigned width = local.zip64 ? 8 : 4;
  if (number(at, 4) != 0x08074b50 || number(at + 4, 4) != central.crc ||
      number(at + 8, width) != central.compressed || number(at + 8 + width, width) != central.size) {
    bad(at, "what follows the data disagrees with the directory");
  }
  return at + 8 + width + width;
}

// The content of the member whose data begin at `at`.
Bytes Archive::content(const Header& member, std::uint64_t at) const {
  require(at, member.compressed);
  Bytes content = file_.part(at, member.compressed);
  if (member.method == 0) {
    if (member.size != member.compressed) bad(at, "the sizes of " + member.name + " disagree");
  } else if (member.method == 8) {
    const std::string what = path_ + ": byte " + std::to_string(at) + ": " + member.name;
    content = inflate_raw(content, member.size, what);
  } else {
    bad(at, member.name + " uses compression method " + std::to_string(member.method));
  }
  unsigned long crc = 0;
  for (std::size_t k = 0; k < content.size();) {
    const std::string_view piece = content.stretch(k);
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
    k += piece.size();
  }
  if (crc != member.crc) bad(at, member.name + " fails its checksum");
  return content;
}

void Archive::contents(const UseMember& use) const {
  if (file_.size() < 22) bad(0, "too short");
  const std::uint64_t end = file_.size() - 22;
  if (number(end, 4) != 0x06054b50 || number(end + 20, 2) != 0) {
    bad(end, "no end record without a comment at the end of the file");
  }
  const std::uint64_t first = end - std::min<std::uint64_t>(end, 65535);
  const std::string last = file_.text(first, file_.size() - first);
  for (std::size_t at = last.find("PK\5\6"); first + at < end; at = last.find("PK\5\6", at + 1)) {
    if (number(first + at + 20, 2) == end - first - at) bad(first + at, "a second end record");
  }
  std::uint64_t count = number(end + 10, 2), length = number(end + 12, 4), start = number(end + 16, 4);
  if (number(end + 4, 4) != 0 || number(end + 8, 2) != count) bad(end + 4, "split over several disks");
  std::uint64_t stop = end;  // of the directory
  if (end >= 76 && number(end - 20, 4) == 0x07064b50) {
    stop = end - 76;
    const std::uint64_t wide_count = number(stop + 32, 8), wide_length = number(stop + 40, 8);
    const std::uint64_t wide_start = number(stop + 48, 8);
    if (number(stop, 4) != 0x06064b50 || number(stop + 4, 8) != 44 || number(stop + 16, 8) != 0 ||
        number(stop + 24, 8) != wide_count || number(end - 16, 4) != 0 || number(end - 12, 8) != stop ||
        number(end - 4, 4) != 1 || (count != UINT16_MAX && count != wide_count) ||
        (length != saturated && length != wide_length) || (start != saturated && start != wide_start)) {
      bad(stop, "the zip64 end record disagrees with what follows it");
    }
    count = wide_count, length = wide_length, start = wide_start;
  }
  if (start > stop || length != stop - start) bad(stop, "the directory does not end at the end record");
  std::set<std::string> names;
  std::uint64_t at = start, next = 0, total = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    const Header member = header(at, true);
    const std::string& name = member.name;
    if (member.offset != next) bad(next, "the directory says that " + name + " begins elsewhere");
    const Header local = header(next, false);
    const bool later = (member.flags & described) != 0;
    if (local.name != member.name || local.flags != member.flags || local.method != member.method ||
        local.crc != (later ? 0 : member.crc) || local.size != (later ? 0 : member.size) ||
        local.compressed != (later ? 0 : member.compressed)) {
      bad(next, "the headers of " + name + " disagree");
    }
    if (!names.insert(name).second) bad(at, "duplicate member " + name);
    total += std::min<std::uint64_t>(member.size, 1ULL << 48);
    if (total > decompression_limit(file_.size())) too_large(path_ + ": decompresses to too many bytes");
    use(name, content(member, local.end));
    next = after_description(member, local, local.end + member.compressed);
    at = member.end;
  }
  if (next != start) bad(next, "bytes between the members and the directory");
  if (at != stop) bad(at, "bytes between the directory and the end record");
}

}  // namespace

void read_zip(const Bytes& file, const std::string& path, const UseMember& use) {
  Archive(file, path).contents(use);
}

}  // namespace attest_check
