// Bytes of files: blocks that are given up and read again, and files that change meanwhile.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "proofs/checker/base/bytes.hpp"
#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/memory.hpp"
#include "proofs/checker/base/numbers.hpp"
#include "proofs/checker/base/spool.hpp"
#include "tests/unit/proofs/checker/files.hpp"

using namespace checker_tests;
using attest_check::Bytes;
using attest_check::Failure;
using attest_check::NumberArray;
using attest_check::Spool;

namespace {

std::string noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  for (std::size_t k = 0; k < size; ++k) text.push_back(static_cast<char>(random()));
  return text;
}

void overwrite(const std::string& path, std::size_t at, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file << bytes;
}

// That many blocks, where the first one is always held.
std::shared_ptr<std::size_t> hold(const Bytes& bytes, std::size_t blocks) {
  auto left = std::make_shared<std::size_t>(blocks - 1);
  CHECK(bytes.hold(left));
  return left;
}

// The refusal of a read; empty when there is none.
template <class Read>
std::string refusal(Read&& read) {
  try {
    read();
  } catch (const Failure& failure) {
    CHECK(failure.status() == attest_check::Exit::malformed);
    return failure.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a file in blocks of any size reads as its text, from anywhere") {
  const std::string text = noise(1000, 1);
  const TemporaryFile file(text);
  std::mt19937 random(2);
  for (const std::size_t block : {1, 2, 3, 7, 8, 64, 999, 1000, 1001, 65536}) {
    for (const std::size_t held : {1, 2, 3, 5, 2000}) {
      const Bytes bytes = Bytes::of_file(file.path(), block);
      hold(bytes, held);
      REQUIRE(bytes.size() == text.size());
      REQUIRE(bytes.text(0, text.size()) == text);
      REQUIRE(bytes.text(990, 100) == text.substr(990));
      const Bytes part = bytes.part(13, 800);
      REQUIRE(part.size() == 800);
      for (int k = 0; k < 200; ++k) {
        const std::size_t at = random() % 790, count = random() % 9;
        REQUIRE(part.few(at, count) == text.substr(13 + at, count));
        REQUIRE(part.text(at, count) == text.substr(13 + at, count));
        REQUIRE(part.part(at, count).text(0, 99) == text.substr(13 + at, count));
        const std::string_view stretch = part.stretch(at);
        REQUIRE(!stretch.empty());
        REQUIRE(stretch.size() <= block);
        REQUIRE(stretch == text.substr(13 + at, stretch.size()));
        REQUIRE(at + stretch.size() <= 800);
      }
      CHECK(part.stretch(800).empty());
    }
  }
  CHECK(Bytes("").stretch(0).empty());
  CHECK(Bytes("abc").part(1, 1).stretch(0) == "b");
}

TEST_CASE("numbers and rows across the edges of blocks are those of the array in memory" *
          doctest::test_suite("long")) {
  for (const std::size_t start : {0, 1, 3, 80}) {
    const std::string data = noise(4096, 3);
    const TemporaryFile file(std::string(start, 'x') + data);
    for (const std::size_t block : {1, 5, 8, 12, 100, 1024}) {
      const Bytes bytes = Bytes::of_file(file.path(), block);
      hold(bytes, 2);
      for (const std::size_t width : {2, 4, 8}) {
        const NumberArray lying(bytes.part(start, data.size()), {'f', width}), held(data, {'f', width});
        REQUIRE(lying.size() == held.size());
        for (std::size_t k = 0; k < held.size(); ++k) {
          // Forward, and back and forth.
          for (const std::size_t index : {k, held.size() - 1 - k}) {
            REQUIRE(lying.finite(index) == held.finite(index));
            if (held.finite(index)) REQUIRE(lying.exact(index) == held.exact(index));
          }
        }
        CHECK(lying.survey().bits == held.survey().bits);
      }
    }
  }
}

TEST_CASE("a file that has changed since it was read is refused") {
  const std::string text = noise(400, 4);
  const TemporaryFile file(text);
  const Bytes bytes = Bytes::of_file(file.path(), 10);
  hold(bytes, 4);
  CHECK(bytes.text(0, 400) == text);
  overwrite(file.path(), 205, std::string(1, static_cast<char>(text[205] ^ 1)));
  // What is held, and what has not changed, is as it was.
  CHECK(bytes.text(0, 200) == text.substr(0, 200));
  CHECK(refusal([&] { bytes.text(201, 3); }) == file.path() + ": the file has changed while it was read");
  CHECK(refusal([&] { bytes.few(209, 2); }).ends_with("has changed while it was read"));
  CHECK(refusal([&] { bytes.part(200, 20).stretch(3); }).ends_with("has changed while it was read"));
  CHECK(bytes.text(210, 190) == text.substr(210));
  // The text that was read once is read again.
  overwrite(file.path(), 205, text.substr(205, 1));
  CHECK(bytes.text(0, 400) == text);
  std::filesystem::resize_file(file.path(), 250);
  CHECK(bytes.text(150, 90) == text.substr(150, 90));
  CHECK(refusal([&] { bytes.text(240, 20); }).ends_with("has changed while it was read"));
}

TEST_CASE("a change before a block is first read is part of the text, one after it never is") {
  const TemporaryFile file(std::string(100, 'a'));
  const Bytes bytes = Bytes::of_file(file.path(), 10);
  CHECK(bytes.text(0, 10) == "aaaaaaaaaa");
  overwrite(file.path(), 0, std::string(100, 'b'));
  CHECK(bytes.text(50, 10) == "bbbbbbbbbb");
  std::filesystem::resize_file(file.path(), 85);
  CHECK(refusal([&] { bytes.text(80, 5); }).ends_with("has changed while it was read"));
  CHECK(refusal([&] { bytes.text(0, 10); }).ends_with("has changed while it was read"));
}

TEST_CASE("what stays of a long file is not read again") {
  const TemporaryFile file(std::string(100, 'a'));
  const Bytes bytes = Bytes::of_file(file.path(), 10);
  hold(bytes, 4);
  CHECK(bytes.text(0, 100) == std::string(100, 'a'));
  overwrite(file.path(), 0, std::string(100, 'b'));
  CHECK(bytes.text(0, 20) == std::string(20, 'a'));
  CHECK(!refusal([&] { bytes.text(0, 100); }).empty());
}

TEST_CASE("blocks are held within an eighth of the memory limit") {
  for (const std::size_t limit : {8 * 40, 8 * 100}) {
    const TemporaryFile file(std::string(100, 'a'));
    const Bytes bytes = Bytes::of_file(file.path(), 10);
    {
      const attest_check::MemoryBudget budget(limit);
      hold(bytes, Bytes::most_held() / 10);
    }
    CHECK(bytes.text(0, 100) == std::string(100, 'a'));
    overwrite(file.path(), 0, std::string(100, 'b'));
    CHECK(refusal([&] { bytes.text(0, 100); }).empty() == (limit == 800));
  }
}

TEST_CASE("files share what may be held, and give it back") {
  const TemporaryFile file(std::string(100, 'a'));
  const auto left = std::make_shared<std::size_t>(12);
  {
    const Bytes first = Bytes::of_file(file.path(), 10), second = Bytes::of_file(file.path(), 10);
    CHECK(first.hold(left));
    CHECK_FALSE(first.hold(left));
    CHECK(second.hold(left));
    first.text(0, 100);
    CHECK(*left == 3);
    CHECK(second.text(0, 100) == std::string(100, 'a'));
    CHECK(*left == 0);
    overwrite(file.path(), 0, std::string(100, 'b'));
    CHECK(first.text(0, 100) == std::string(100, 'a'));
    CHECK(refusal([&] { second.text(0, 100); }).ends_with("has changed while it was read"));
  }
  CHECK(*left == 12);
  CHECK_FALSE(Bytes("abc").hold(left));
}

TEST_CASE("a spooled text is what was added, in memory or in a file without a name") {
  const TemporaryFile folder(std::vector<std::pair<std::string, std::string>>{});
  setenv("TMPDIR", folder.path().c_str(), 1);
  for (const std::size_t size : {0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5000000}) {
    const std::string text = noise(size, 6);
    for (const std::size_t piece : {7919UL, 5000000UL}) {
      Spool spool("the text");
      for (std::size_t k = 0; k < size; k += piece) spool.add(std::string_view(text).substr(k, piece));
      CHECK(spool.size() == size);
      const Bytes bytes = spool.bytes();
      REQUIRE(bytes.text(0, size) == text);
      CHECK(bytes.text(size / 2, 9) == text.substr(size / 2, 9));
      CHECK(std::filesystem::is_empty(folder.path()));
    }
  }
  const auto status = [] {
    try {
      Spool spool("the text");
      spool.add(std::string(2000000, 'x'));
    } catch (const Failure& failure) {
      CHECK(std::string(failure.what())
                .starts_with("the text: no room for a temporary file in /none (TMPDIR): "));
      return failure.status();
    }
    return attest_check::Exit::verified;
  };
  setenv("TMPDIR", "/none", 1);
  CHECK(status() == attest_check::Exit::resource);
  unsetenv("TMPDIR");
  CHECK(status() == attest_check::Exit::verified);
}

TEST_CASE("pipes are copied; what cannot be read is refused") {
  const TemporaryFile folder(std::vector<std::pair<std::string, std::string>>{});
  const std::string pipe = folder.path() + "/pipe", text = noise(2000000, 5);
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << text; });
  const Bytes bytes = Bytes::of_file(pipe, 1000);
  writer.join();
  CHECK(bytes.text(0, text.size()) == text);
  CHECK(bytes.text(100000, 10) == text.substr(100000, 10));
  CHECK(refusal([&] { Bytes::of_file(folder.path() + "/none"); }).ends_with("cannot be read"));
  CHECK(refusal([&] { Bytes::of_file(folder.path()); }).find("is it a folder?") != std::string::npos);
  const TemporaryFile empty("");
  CHECK(Bytes::of_file(empty.path()).size() == 0);
}
