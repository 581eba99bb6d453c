// Safetensors files and numbers of 16 bits.
#include <doctest/doctest.h>

#include <map>

#include "proofs/checker/instance/safetensors.hpp"
#include "tests/unit/proofs/checker/files.hpp"

using namespace checker_tests;
using attest_check::Integer;
using attest_check::Rational;

namespace {

std::string file(const std::string& header, const std::string& data) {
  return little_endian(header.size(), 8) + header + data;
}

std::map<std::string, attest_check::Array> read_tensors(const std::string& content) {
  std::map<std::string, attest_check::Array> arrays;
  attest_check::read_safetensors(content, "file", [&](const std::string& name, attest_check::Array array) {
    arrays[name] = std::move(array);
  });
  return arrays;
}

int tensors_status(const std::string& content) {
  try {
    read_tensors(content);
  } catch (const attest_check::Failure& failure) {
    return static_cast<int>(failure.status());
  }
  return 0;
}

std::string message(const std::string& content) {
  try {
    read_tensors(content);
  } catch (const attest_check::Failure& failure) {
    return failure.what();
  }
  return {};
}

const std::string one = R"({"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";

}  // namespace

TEST_CASE("every number of 16 bits is what its bits say") {
  std::string bits;
  for (unsigned word = 0; word < 65536; ++word) bits += little_endian(word, 2);
  for (const auto& [type, fraction_bits] : {std::pair{"F16", 10}, {"BF16", 7}}) {
    const std::string name = type;
    CAPTURE(name);
    const std::string header =
        R"({"v":{"dtype":")" + name + R"(","shape":[65536],"data_offsets":[0,131072]}})";
    const auto arrays = read_tensors(file(header, bits));
    const attest_check::NumberArray& numbers = arrays.at("v").numbers;
    REQUIRE(numbers.size() == 65536);
    const unsigned most = (1U << (15 - fraction_bits)) - 1;
    for (unsigned word = 0; word < 65536; ++word) {
      const unsigned exponent = word >> fraction_bits & most, fraction = word & ((1U << fraction_bits) - 1);
      REQUIRE(numbers.finite(word) == (exponent != most));
      if (exponent == most) continue;
      // (1 + f) 2^(e - bias), or f 2^(1 - bias) when e = 0, with f = fraction / 2^fraction_bits.
      Rational value(static_cast<long>(fraction), 1L << fraction_bits);
      value.canonicalize();
      if (exponent > 0) value += 1;
      const int power = static_cast<int>(exponent > 0 ? exponent : 1) - static_cast<int>(most / 2);
      for (int k = 0; k < power; ++k) value *= 2;
      for (int k = power; k < 0; ++k) value /= 2;
      REQUIRE(numbers.exact(word) == (word >> 15 != 0 ? Rational(-value) : value));
    }
  }
}

TEST_CASE("a file is its header and its tensors, nothing else") {
  const std::string good = file(one, "\3\4");
  CHECK(tensors_status(good) == 0);
  CHECK(read_tensors(good).at("v").numbers.exact(1) == 4);
  CHECK(tensors_status(file(one + "   ", "\3\4")) == 0);
  for (std::size_t size = 9; size < good.size(); ++size) REQUIRE(tensors_status(good.substr(0, size)) == 2);
  CHECK(message(good + "x").find("byte " + std::to_string(good.size())) != std::string::npos);
  CHECK(tensors_status(file(" " + one, "\3\4")) == 2);
  CHECK(tensors_status(file(one + "x", "\3\4")) == 2);
  // Tensors in any order of the header, each where the one before it ends.
  const auto two = [](const std::string& first, const std::string& second) {
    return file(R"({"v":{"dtype":"I8","shape":[1],"data_offsets":)" + first +
                    R"(},"Y":{"dtype":"I8","shape":[1],"data_offsets":)" + second + "}}",
                "\3\4");
  };
  CHECK(tensors_status(two("[0,1]", "[1,2]")) == 0);
  CHECK(tensors_status(two("[1,2]", "[0,1]")) == 0);
  for (const auto& [first, second] : {std::pair{"[0,1]", "[0,1]"},
                                      {"[0,1]", "[2,3]"},
                                      {"[0,2]", "[1,2]"},
                                      {"[0,1]", "[1,1]"},
                                      {"[1,0]", "[1,2]"},
                                      {"[1,2]", "[2,3]"}}) {
    const std::string content = two(first, second);
    CAPTURE(content);
    CHECK(tensors_status(content) == 2);
  }
}

TEST_CASE("tensors that overlap, have a field too many, or too many dimensions") {
  const auto two = [](const std::string& fields, const std::string& place) {
    return file(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8",)" + fields +
                    R"(,"data_offsets":)" + place + "}}",
                place == "[2,4]" ? "abcd" : "abc");
  };
  CHECK(tensors_status(two(R"("shape":[2])", "[2,4]")) == 0);
  CHECK(tensors_status(two(R"("shape":[2])", "[1,3]")) == 2);
  CHECK(tensors_status(two(R"("shape":[2],"layout":"C")", "[2,4]")) == 2);
  CHECK(tensors_status(two(R"("shape":[1,1,2])", "[2,4]")) == 0);
  CHECK(tensors_status(two(R"("shape":[1,1,1,2])", "[2,4]")) == 2);
}
