// Zip archives: see zip.hpp. Field offsets are those of PKWARE's APPNOTE 6.3, sections 4.3.7 to 4.3.16.
#include "proofs/checker/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "proofs/checker/compressed.hpp"
#include "proofs/checker/failure.hpp"

namespace attest_check {
namespace {

struct Member {
  std::string name;
  std::uint64_t method = 0, flags = 0, crc = 0, compressed = 0, size = 0, offset = 0;
};

class Archive {
 public:
  Archive(std::string_view file, const std::string& path) : file_(file), path_(path) {}

  std::vector<Member> members() const;
  // The member's compressed bytes; `end` receives where they stop in the file.
  std::string_view data(const Member& member, std::uint64_t& end) const;
  [[noreturn]] void bad(const std::string& why) const {
    malformed(path_ + ": not a valid zip archive: " + why);
  }

 private:
  std::string_view bytes(std::uint64_t at, std::uint64_t count) const {
    if (at > file_.size() || count > file_.size() - at) bad("a field or member lies outside the file");
    return file_.substr(at, count);
  }
  std::uint64_t number(std::uint64_t at, unsigned count) const { return little_endian(bytes(at, count)); }
  std::uint64_t end_record() const;
  void read_zip64_extra(std::uint64_t at, std::uint64_t end, Member& member) const;

  std::string_view file_;
  const std::string& path_;
};

std::uint64_t Archive::end_record() const {
  if (file_.size() < 22) bad("too short");
  const std::uint64_t last = file_.size() - 22;
  for (std::uint64_t at = last + 1; at-- > (last > 65535 ? last - 65535 : 0);) {
    if (number(at, 4) == 0x06054b50 && number(at + 20, 2) == last - at) return at;
  }
  bad("no end record");
}

// Among the extra fields from `at` to `end`, the one of zip64 has what 32 bits could not hold.
void Archive::read_zip64_extra(std::uint64_t at, std::uint64_t end, Member& member) const {
  while (end - at >= 4) {
    const std::uint64_t id = number(at, 2), size = number(at + 2, 2);
    at += 4;
    if (size > end - at) bad("an extra field is cut off");
    if (id != 1) {
      at += size;
      continue;
    }
    const std::uint64_t field_end = at + size;
    for (std::uint64_t* value : {&member.size, &member.compressed, &member.offset}) {
      if (*value != UINT32_MAX) continue;
      if (field_end - at < 8) bad("a zip64 field is cut off");
      *value = number(at, 8);
      at += 8;
    }
    return;
  }
}

std::vector<Member> Archive::members() const {
  const std::uint64_t end = end_record();
  std::uint64_t count = number(end + 10, 2), length = number(end + 12, 4), at = number(end + 16, 4);
  if (number(end + 4, 2) != 0 || number(end + 6, 2) != 0 || number(end + 8, 2) != count)
    bad("split over several disks");
  if (count == UINT16_MAX || length == UINT32_MAX || at == UINT32_MAX) {
    if (end < 20 || number(end - 20, 4) != 0x07064b50) bad("no zip64 locator");
    const std::uint64_t end64 = number(end - 12, 8);
    if (number(end64, 4) != 0x06064b50) bad("no zip64 end record");
    count = number(end64 + 32, 8);
    length = number(end64 + 40, 8);
    at = number(end64 + 48, 8);
  }
  if (count > file_.size() / 46) bad("more members than the file can hold");
  bytes(at, length);
  std::vector<Member> members(count);
  for (Member& member : members) {
    if (number(at, 4) != 0x02014b50) bad("a damaged central directory");
    member.flags = number(at + 8, 2);
    member.method = number(at + 10, 2);
    member.crc = number(at + 16, 4);
    member.compressed = number(at + 20, 4);
    member.size = number(at + 24, 4);
    member.offset = number(at + 42, 4);
    const std::uint64_t extra = at + 46 + number(at + 28, 2);
    const std::uint64_t comment = extra + number(at + 30, 2);
    member.name = bytes(at + 46, extra - at - 46);
    bytes(extra, comment - extra);
    read_zip64_extra(extra, comment, member);
    at = comment + number(at + 32, 2);
  }
  return members;
}

std::string_view Archive::data(const Member& member, std::uint64_t& end) const {
  if (member.offset > file_.size() || number(member.offset, 4) != 0x04034b50)
    bad("no local header for " + member.name);
  const std::uint64_t name_size = number(member.offset + 26, 2);
  const std::uint64_t start = member.offset + 30 + name_size + number(member.offset + 28, 2);
  if (bytes(member.offset + 30, name_size) != member.name || number(member.offset + 8, 2) != member.method) {
    bad("the headers of " + member.name + " disagree");
  }
  end = start + member.compressed;
  return bytes(start, member.compressed);
}

}  // namespace

std::map<std::string, std::string> read_zip(std::string_view file, const std::string& path) {
  const Archive archive(file, path);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  std::map<std::string, std::string> contents;
  std::size_t total = 0;
  for (const Member& member : archive.members()) {
    if (contents.contains(member.name)) malformed(path + ": duplicate member " + member.name);
    if (member.flags & 1) archive.bad(member.name + " is encrypted");
    std::uint64_t end = 0;
    const std::string_view data = archive.data(member, end);
    spans.emplace_back(member.offset, end);
    total += std::min<std::uint64_t>(member.size, 1ULL << 48);
    if (total > decompression_limit(file.size())) too_large(path + ": decompresses to too many bytes");
    std::string& content = contents[member.name];
    if (member.method == 0) {
      if (member.size != member.compressed) archive.bad("the sizes of " + member.name + " disagree");
      content = data;
    } else if (member.method == 8) {
      content = inflate_raw(data, member.size, path + ": " + member.name);
    } else {
      archive.bad(member.name + " uses compression method " + std::to_string(member.method));
    }
    const auto* start = reinterpret_cast<const Bytef*>(content.data());
    if (crc32_z(0, start, content.size()) != member.crc) archive.bad(member.name + " fails its checksum");
  }
  std::sort(spans.begin(), spans.end());
  for (std::size_t k = 1; k < spans.size(); ++k) {
    if (spans[k].first < spans[k - 1].second) archive.bad("members overlap");
  }
  return contents;
}

}  // namespace attest_check
