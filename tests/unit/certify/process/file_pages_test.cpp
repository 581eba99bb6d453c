// Numbers of a mapped file that are looked at once: they do not stay in memory.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "certify/process/file_bytes.hpp"
#include "numerics/numbers/exact_array.hpp"

using namespace attest;

namespace {

// Bytes of files, mapped, that this process holds.
std::size_t held_of_files() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0, of_files = 0;
  file >> total >> resident >> of_files;
  return of_files * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

struct TemporaryFile {
  explicit TemporaryFile(std::size_t numbers) {
    const int file = mkstemp(path.data());
    REQUIRE(file >= 0);
    close(file);
    std::ofstream out(path, std::ios::binary);
    std::vector<double> block(1 << 16);
    for (std::size_t k = 0; k < numbers; k += block.size()) {
      for (std::size_t j = 0; j < block.size(); ++j) block[j] = static_cast<double>(k + j);
      out.write(reinterpret_cast<const char*>(block.data()),
                static_cast<std::streamsize>(block.size() * sizeof(double)));
    }
  }
  ~TemporaryFile() { unlink(path.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path = "/tmp/attest-pages-XXXXXX";
};

}  // namespace

TEST_CASE("a look at all numbers of a mapped file holds a few megabytes of it") {
  constexpr std::size_t count = std::size_t{1} << 22;  // 32 MiB
  const TemporaryFile file(count);
  const KeptBytes mapped = map_file(file.path, {});
  const BinaryArray numbers = BinaryArray::in(mapped.bytes, BinaryArray::Precision::binary64, mapped.owner);
  const std::size_t before = held_of_files();
  const ExactArray exact = ExactArray::from_binary(numbers);  // looks at all of them
  CHECK(held_of_files() < before + (std::size_t{8} << 20));
  for (std::size_t k = 0; k < count; k += 997) REQUIRE(numbers[k] == static_cast<double>(k));

  // One range stays where it is, several are copied.
  const std::vector<std::pair<std::size_t, std::size_t>> one{{1000, count}}, two{{7, 9}, {count - 2, count}};
  const ExactArray rest = exact.ranges(one), some = exact.ranges(two);
  CHECK(rest.size() == count - 1000);
  CHECK(rest.binary64()[5] == 1005);
  CHECK(some.binary64().doubles() == std::vector<double>{7, 8, count - 2, count - 1});
  exact.binary64().give_back(3, count - 3);
  CHECK(held_of_files() < before + (std::size_t{1} << 20));
  CHECK(rest.binary64()[count - 1001] == count - 1);
}

TEST_CASE("numbers in memory of their own stay when they have been passed") {
  const BinaryArray numbers = BinaryArray::of(std::vector<double>(1 << 21, 3.5));
  {
    PassedNumbers passed(numbers);
    for (std::size_t k = 0; k < numbers.size(); ++k) passed.before(k);
  }
  for (std::size_t k = 0; k < numbers.size(); ++k) REQUIRE(numbers[k] == 3.5);
}
