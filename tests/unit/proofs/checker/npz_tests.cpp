// Instances in npz archives and folders of npy files: element types, orders, byte orders, compression, zip64,
// damage.
#include <doctest/doctest.h>

#include <bit>
#include <cstring>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/instance/compressed.hpp"
#include "proofs/checker/instance/zip.hpp"
#include "tests/unit/proofs/checker/files.hpp"

using namespace checker_tests;

namespace {

struct ZipOptions {
  bool deflate = false;
  bool zip64 = false;
  unsigned flags = 0;
  unsigned zip64_fields = 1;    // of each local header of a zip64 archive
  std::string zip64_rest = {};  // behind the numbers of these fields
};

// A zip archive of the members, as npz files have them.
std::string zip(const std::vector<std::pair<std::string, std::string>>& members,
                const ZipOptions& options = {}) {
  std::string file, directory;
  for (const auto& [name, content] : members) {
    const std::string data = options.deflate ? deflated(content, -15) : content;
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    const auto number = [](std::uint64_t value, unsigned bytes) { return little_endian(value, bytes); };
    const std::uint64_t mark = 0xffffffff;
    std::string extra, local_extra;
    if (options.zip64) {
      const std::string sizes = number(content.size(), 8) + number(data.size(), 8);
      extra = number(1, 2) + number(24, 2) + sizes + number(file.size(), 8);
      for (unsigned k = 0; k < options.zip64_fields; ++k)
        local_extra += number(1, 2) + number(16 + options.zip64_rest.size(), 2) + sizes + options.zip64_rest;
    }
    const std::string shared = number(options.flags, 2) + number(options.deflate ? 8 : 0, 2) + number(0, 4) +
                               number(crc, 4) + number(options.zip64 ? mark : data.size(), 4) +
                               number(options.zip64 ? mark : content.size(), 4) + number(name.size(), 2);
    directory += number(0x02014b50, 4) + number(45, 2) + number(45, 2) + shared + number(extra.size(), 2) +
                 number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
                 number(options.zip64 ? mark : file.size(), 4) + name + extra;
    file += number(0x04034b50, 4) + number(45, 2) + shared + number(local_extra.size(), 2) + name +
            local_extra + data;
  }
  const std::uint64_t start = file.size(), count = members.size();
  file += directory;
  const auto number = [](std::uint64_t value, unsigned bytes) { return little_endian(value, bytes); };
  if (options.zip64) {
    const std::uint64_t record = file.size();
    file += number(0x06064b50, 4) + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 4) +
            number(0, 4) + number(count, 8) + number(count, 8) + number(directory.size(), 8) +
            number(start, 8);
    file += number(0x07064b50, 4) + number(0, 4) + number(record, 8) + number(1, 4);
    file += number(0x06054b50, 4) + number(0, 4) + number(0xffff, 2) + number(0xffff, 2) +
            number(0xffffffff, 4) + number(0xffffffff, 4) + number(0, 2);
  } else {
    file += number(0x06054b50, 4) + number(0, 4) + number(count, 2) + number(count, 2) +
            number(directory.size(), 4) + number(start, 4) + number(0, 2);
  }
  return file;
}

std::string doubles(const std::vector<double>& values, bool big_endian = false) {
  std::string data;
  for (const double value : values) {
    std::string bytes = little_endian(std::bit_cast<std::uint64_t>(value), 8);
    if (big_endian) bytes = std::string(bytes.rbegin(), bytes.rend());
    data += bytes;
  }
  return data;
}

using Members = std::vector<std::pair<std::string, std::string>>;

// n = 2, T = 2, d = 1, self-attention with query 0.
Members sample() {
  return {{"X.npy", npy("<f8", "(2, 2, 1)", doubles({1, 2.5, -3, 0.1}), false)},
          {"Y.npy", npy("<i8", "(2,)", little_endian(1, 8) + little_endian(~0ULL, 8), false)},
          {"v.npy", npy("<f8", "(1,)", doubles({2}), false)}};
}

std::string hash_of(const std::string& content) {
  return attest_check::canonical_sha256(attest_check::read_instance(TemporaryFile(content).path()));
}

Members with(Members members, const std::string& name, const std::string& content) {
  for (auto& [key, value] : members) {
    if (key == name) {
      value = content;
      return members;
    }
  }
  members.emplace_back(name, content);
  return members;
}

}  // namespace

TEST_CASE("stored, deflated and zip64 archives, folders, element types and orders give the same instance") {
  const std::string hash = hash_of(zip(sample()));
  CHECK(hash_of(zip(sample(), {.deflate = true})) == hash);
  CHECK(hash_of(zip(sample(), {.zip64 = true})) == hash);
  CHECK(hash_of(zip(sample(), {.deflate = true, .zip64 = true})) == hash);
  const TemporaryFile folder(sample());
  CHECK(attest_check::canonical_sha256(attest_check::read_instance(folder.path())) == hash);
  const std::string big = npy(">f8", "(2, 2, 1)", doubles({1, 2.5, -3, 0.1}, true), false);
  CHECK(hash_of(zip(with(sample(), "X.npy", big))) == hash);
  const std::string fortran = npy("<f8", "(2, 2, 1)", doubles({1, -3, 2.5, 0.1}), true);
  CHECK(hash_of(zip(with(sample(), "X.npy", fortran))) == hash);
  for (const int version : {1, 2, 3}) {
    const std::string dictionary = "{\"shape\": (1,), \"fortran_order\": False, \"descr\": \"<f8\"}";
    CHECK(hash_of(zip(with(sample(), "v.npy", npy(dictionary, doubles({2}), version)))) == hash);
  }
  const std::string single = npy("<f4", "(1,)", little_endian(std::bit_cast<std::uint32_t>(2.0F), 4), false);
  CHECK(hash_of(zip(with(sample(), "v.npy", single))) == hash);
  for (const std::string kind : {"i", "u"}) {
    for (const unsigned width : {1U, 2U, 4U, 8U}) {
      const std::string descr = (width == 1 ? "|" : "<") + kind + std::to_string(width);
      CHECK(hash_of(zip(with(sample(), "v.npy", npy(descr, "(1,)", little_endian(2, width), false)))) ==
            hash);
    }
  }
  const std::string labels = npy("|i1", "(2,)", std::string("\x01\xff"), false);
  CHECK(hash_of(zip(with(sample(), "Y.npy", labels))) == hash);
  // Keys that are not part of the canonical instance, and query 0 spelled out.
  CHECK(hash_of(zip(with(sample(), "alpha.npy", npy("|u1", "(2,)", std::string("\x01\0", 2), false)))) ==
        hash);
  CHECK(hash_of(zip(with(sample(), "W0.npy", npy("<f8", "(1, 1)", doubles({3}), false)))) == hash);
  CHECK(hash_of(zip(with(sample(), "query.npy", npy("|u1", "()", std::string(1, '\0'), false)))) == hash);
  const std::string last = npy("<U4", "()", std::string("l\0\0\0a\0\0\0s\0\0\0t\0\0\0", 16), false);
  CHECK(hash_of(zip(with(sample(), "query.npy", last))) != hash);
}

TEST_CASE("extreme integers are exact") {
  const std::string data =
      little_endian(1ULL << 63, 8) + little_endian(~0ULL, 8) + little_endian(0, 8) + little_endian(1, 8);
  for (const char* descr : {"<i8", "<u8"}) {
    const auto instance = attest_check::read_instance(
        TemporaryFile(zip(with(sample(), "X.npy", npy(descr, "(2, 2, 1)", data, false)))).path());
    const bool is_signed = descr[1] == 'i';
    const attest_check::Integer high = attest_check::Integer(1) << 63;
    CHECK(instance.X.exact(0) == (is_signed ? attest_check::Integer(-high) : high));
    CHECK(instance.X.exact(1) ==
          (is_signed ? attest_check::Integer(-1) : attest_check::Integer(2 * high - 1)));
  }
}

TEST_CASE("padding is ignored, also when it is not a number") {
  const double nan = std::bit_cast<double>(0x7ff8000000000000ULL);
  Members padded = with(sample(), "X.npy", npy("<f8", "(2, 2, 1)", doubles({1, 2.5, -3, nan}), false));
  CHECK(instance_status(zip(padded)) == 2);
  padded = with(padded, "lengths.npy", npy("|u1", "(2,)", std::string("\x02\x01"), false));
  const auto instance = attest_check::read_instance(TemporaryFile(zip(padded)).path());
  CHECK(instance.first_row == std::vector<std::size_t>{0, 2, 3});
  const Members flat = with(padded, "X.npy", npy("<f8", "(3, 1)", doubles({1, 2.5, -3}), false));
  CHECK(hash_of(zip(flat)) == hash_of(zip(padded)));
}

TEST_CASE("wrong arrays are malformed") {
  const auto status = [](const std::string& name, const std::string& content) {
    return instance_status(zip(with(sample(), name, content)));
  };
  for (const std::string descr :
       {"|b1", "<f1", "|f2", "<f16", "<c16", "|O", "<M8[s]", "f8x", "<i3", "<u16", "", "<V8"}) {
    CAPTURE(descr);
    CHECK(status("v.npy", npy(descr, "(1,)", doubles({2}), false)) == 2);
  }
  for (const std::string shape : {"(2,)", "(0,)", "(-1,)", "(1, 1, 1)", "(18446744073709551615, 2)", "(1",
                                  "1,)", "(1.0,)", "(1,1,1,1)", "(4611686018427387904, 4, 8)"}) {
    CAPTURE(shape);
    CHECK(status("v.npy", npy("<f8", shape, doubles({2}), false)) == 2);
  }
  CHECK(status("v.npy", npy("<f8", "(1,)", doubles({2, 3}), false)) == 2);
  CHECK(status("v.npy", "not an array") == 2);
  CHECK(status("v.npy", "\x93NUMPY\x01") == 2);
  CHECK(status("v.npy", std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13)) == 2);
  CHECK(status("v.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'descr': '<f8'}",
                            doubles({2}))) == 2);
  CHECK(status("v.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'shape': (1,)}",
                            doubles({2}))) == 2);
  CHECK(status("v.npy", npy("{'descr': '<f8', 'shape': (1,)}", doubles({2}))) == 2);
  CHECK(status("v.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", doubles({2}))) == 2);
  CHECK(status("v.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", doubles({2}), 4)) ==
        2);
  CHECK(status("v.npy", npy("<f8", "(1,)", doubles({std::bit_cast<double>(0x7ff0000000000000ULL)}), false)) ==
        2);
  CHECK(status("unknown.npy", npy("<f8", "(1,)", doubles({2}), false)) == 2);
  CHECK(status("readme.txt", "hello") == 2);
  CHECK(status("Y.npy", npy("|u1", "(2,)", std::string("\x01\x02"), false)) == 2);
  CHECK(status("query.npy", npy("|u1", "()", std::string("\x02"), false)) == 2);
  CHECK(instance_status(npy("<f8", "(1,)", doubles({2}), false)) == 2);
}

TEST_CASE("damaged archives are malformed, bombs are refused before they are held" *
          doctest::test_suite("long")) {
  const std::string good = zip(sample());
  for (std::size_t size = 0; size < good.size(); ++size) {
    REQUIRE(instance_status(good.substr(0, size)) == 2);
  }
  Members twice = sample();
  twice.push_back(twice.front());
  CHECK(instance_status(zip(twice)) == 2);
  CHECK(instance_status(zip(sample(), {.flags = 1})) == 2);
  CHECK(instance_status(zip({})) == 2);
  // Every changed byte is either harmless (unused fields) or malformed; nothing else happens.
  for (const bool deflate : {false, true}) {
    const std::string archive = zip(sample(), {.deflate = deflate});
    for (std::size_t k = 0; k < archive.size(); ++k) {
      std::string changed = archive;
      changed[k] = static_cast<char>(changed[k] ^ 0x55);
      const int status = instance_status(changed);
      CHECK((status == 0 || status == 2 || status == 5));
    }
  }
  const std::string zeros = npy("<f8", "(39321600,)", std::string(std::size_t{300} << 20, '\0'), false);
  const std::string bomb = zip(with(sample(), "v.npy", zeros), {.deflate = true});
  CHECK(bomb.size() < 1000000);
  CHECK(instance_status(bomb) == 5);
}

// Each is one change of an archive that is read; a reader that looks elsewhere would find something else.
TEST_CASE("headers, end record and zip64 fields say one thing") {
  const auto patched = [](std::string file, std::size_t at, const std::string& bytes) {
    return file.replace(at, bytes.size(), bytes);
  };
  const auto words = [](std::uint64_t value) { return little_endian(value, 4); };
  const std::string stored = zip(sample()), wide = zip(sample(), {.zip64 = true});
  const std::size_t directory = stored.find("PK\1\2"), end = stored.size() - 22;
  const std::size_t local_size = 22, central_size = directory + 24, size = sample().front().second.size();
  REQUIRE(instance_status(stored) == 0);
  REQUIRE(instance_status(wide) == 0);
  // A local header of another name, method or compressed size.
  CHECK(instance_status(patched(stored, 30, "Z")) == 2);
  CHECK(instance_status(patched(stored, 8, little_endian(8, 2))) == 2);
  CHECK(instance_status(patched(stored, 18, words(size + 1))) == 2);
  // A member on a second disk; a directory of another length.
  CHECK(instance_status(patched(stored, directory + 34, little_endian(1, 2))) == 2);
  CHECK(instance_status(patched(stored, end + 12, words(end - directory + 1))) == 2);
  // A size that both headers of a stored member state, and its data do not have.
  CHECK(instance_status(
            patched(patched(stored, local_size, words(size + 1)), central_size, words(size + 1))) == 2);
  // A size that stands in a zip64 field, which is missing.
  const std::string deflate = zip(sample(), {.deflate = true});
  const std::size_t other = deflate.find("PK\1\2") + 24;
  CHECK(instance_status(patched(patched(deflate, local_size, words(~0U)), other, words(~0U))) == 2);
  // A zip64 field that contradicts its header, stands there twice, or goes on.
  CHECK(instance_status(patched(wide, local_size, words(size))) == 0);
  CHECK(instance_status(patched(wide, local_size, words(size + 1))) == 2);
  CHECK(instance_status(zip(sample(), {.zip64 = true, .zip64_fields = 2})) == 2);
  CHECK(instance_status(zip(sample(), {.zip64 = true, .zip64_rest = "more"})) == 2);
}

TEST_CASE("members that are only together too large are refused") {
  const std::string zeros = npy("<f8", "(1000000,)", std::string(8000000, '\0'), false);
  std::string archive = zip({{"v.npy", zeros}, {"Y.npy", "small"}}, {.deflate = true});
  const std::string half = little_endian(1UL << 28, 4);
  archive.replace(archive.find("PK\3\4", 4) + 22, 4, half);
  archive.replace(archive.rfind("PK\1\2") + 24, 4, half);
  CHECK(instance_status(archive) == 5);
}

TEST_CASE("a folder holds npy files themselves, neither links to them nor compressed ones") {
  const TemporaryFile folder(sample()), file(sample().front().second);
  REQUIRE(instance_status(folder) == 0);
  std::filesystem::remove(folder.path() + "/X.npy");
  std::filesystem::create_symlink(file.path(), folder.path() + "/X.npy");
  CHECK(instance_status(folder) == 2);
  CHECK(instance_status(TemporaryFile(with(sample(), "X.npy", deflated(sample().front().second, 31)))) == 2);
}

TEST_CASE("a text is one string of ASCII characters") {
  const auto status = [](const std::string& query) {
    return instance_status(zip(with(sample(), "query.npy", query)));
  };
  const std::string last("l\0\0\0a\0\0\0s\0\0\0t\0\0\0", 16);
  std::string above = last;
  above[1] = '\1';  // U+016C, whose low byte is that of l
  CHECK(status(npy("<U4", "()", last, false)) == 0);
  CHECK(status(npy("<U4", "()", above, false)) == 2);
  CHECK(status(npy("<U2", "(2,)", last, false)) == 2);
}

TEST_CASE("raw deflate data ends with the content, and the size it states is limited first") {
  const std::string content = "attest", data = deflated(content, -15);
  CHECK(attest_check::inflate_raw(data, content.size(), "member").text(0, 99) == content);
  const auto status = [](const std::string& deflated_data, std::size_t size) {
    try {
      attest_check::inflate_raw(deflated_data, size, "member");
    } catch (const attest_check::Failure& failure) {
      return static_cast<int>(failure.status());
    }
    return 0;
  };
  CHECK(status(data + "x", content.size()) == 2);
  CHECK(status(data.substr(0, data.size() - 1), content.size()) == 2);
  CHECK(status(data, content.size() - 1) == 2);
  CHECK(status(data, content.size() + 1) == 2);
  CHECK(status(data, attest_check::decompression_limit(data.size()) + 1) == 5);
  CHECK(status(data, attest_check::decompression_limit(data.size())) == 2);
  // Beyond what is held in memory.
  std::string longer;
  for (int k = 0; k < 500000; ++k) longer += std::to_string(k);
  const std::string packed = deflated(longer, -15);
  CHECK(attest_check::inflate_raw(packed, longer.size(), "member").text(0, longer.size()) == longer);
  CHECK(status(packed.substr(0, packed.size() - 1), longer.size()) == 2);
  CHECK(status(packed, longer.size() - 1) == 2);
  CHECK(status(packed, longer.size() + 1) == 2);
}
