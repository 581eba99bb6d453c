// Every input format gives the same instance, and conversion keeps it.
#include <doctest/doctest.h>

#include "tests/cli/instance_hash.hpp"
#include "tests/cli/npz_bytes.hpp"

using namespace cli_tests;

namespace {

// Two sequences of three tokens in dimension two, cross-attention, integers so that every type can hold them.
const std::vector<double> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
const char* const as_json =
    R"({"X": [[[1,2],[3,4],[5,6]],[[7,8],[9,10],[11,12]]], "Y": [1,-1], "v": [1,-3], "z": [[1,0,2],[0,1,3]]})";

Members members(Type type, bool big, bool fortran) {
  return {{"X.npy", npy(numbers, {2, 3, 2}, type, big, fortran)},
          {"Y.npy", npy({1, -1}, {2}, Type::int8)},
          {"v.npy", npy({1, -3}, {2}, Type::int16, big)},
          {"z.npy", npy({1, 0, 2, 0, 1, 3}, {2, 3}, type, big, fortran)}};
}

}  // namespace

TEST_CASE("every npz variant is the same instance as its JSON") {
  const Folder folder;
  folder.write("a.json", as_json);
  const std::string expected = sha256(folder, "a.json");
  for (const Type type : {Type::float32, Type::float64, Type::int8, Type::uint8, Type::int16, Type::int32,
                          Type::uint32, Type::int64}) {
    for (const bool big : {false, true}) {
      for (const bool fortran : {false, true}) {
        folder.write("a.npz", zip(members(type, big, fortran)));
        CHECK(sha256(folder, "a.npz") == expected);
      }
    }
  }
  for (const Packing packing : {Packing::deflated, Packing::zip64}) {
    folder.write("a.npz", zip(members(Type::float64, false, false), packing));
    CHECK(sha256(folder, "a.npz") == expected);
  }
  for (const auto& [name, bytes] : members(Type::float64, true, true)) folder.write("folder/" + name, bytes);
  CHECK(sha256(folder, "folder") == expected);
  folder.write("a.json.gz", gzip(as_json));
  CHECK(sha256(folder, "a.json.gz") == expected);
}

TEST_CASE("ragged sequences: lists, concatenated rows and padding are one instance") {
  const Folder folder;
  folder.write("list.json",
               R"({"X": [[[1,2],[3,4],[5,6]],[[7,8]]], "Y": [1,-1], "v": [1,1], "query": "last"})");
  folder.write(
      "rows.json",
      R"({"X": [[1,2],[3,4],[5,6],[7,8]], "lengths": [3,1], "Y": [1,-1], "v": [1,1], "query": "last"})");
  const double nan = 0.0 / 0.0;
  const std::string last = npy_raw("{'descr': '<U4', 'fortran_order': False, 'shape': (), }",
                                   std::string("l\0\0\0a\0\0\0s\0\0\0t\0\0\0", 16));
  folder.write("padded.npz", zip({{"X.npy", npy({1, 2, 3, 4, 5, 6, 7, 8, nan, nan, nan, nan}, {2, 3, 2})},
                                  {"lengths.npy", npy({3, 1}, {2}, Type::int64)},
                                  {"Y.npy", npy({1, -1}, {2})},
                                  {"v.npy", npy({1, 1}, {2})},
                                  {"query.npy", last}}));
  const std::string expected = sha256(folder, "list.json");
  CHECK(sha256(folder, "rows.json") == expected);
  CHECK(sha256(folder, "padded.npz") == expected);
}

TEST_CASE("numbers are exact in every notation") {
  const Folder folder;
  const auto with_v = [](const std::string& a, const std::string& b) {
    return R"({"X": [[[1,2],[3,4]]], "Y": [1], "v": [)" + a + ", " + b + "]}";
  };
  folder.write("a.json", with_v("0.1", "0.75"));
  const std::string expected = sha256(folder, "a.json");
  const std::pair<const char*, const char*> same[] = {{"\"1/10\"", "\"3*2^-2\""},
                                                      {"1e-1", "\"0x1.8p-1\""},
                                                      {"\"0.10\"", "7.5E-1"},
                                                      {"\"+10/100\"", "\"12*2^-4\""}};
  for (const auto& [a, b] : same) {
    folder.write("b.json", with_v(a, b));
    CHECK(sha256(folder, "b.json") == expected);
  }
  // The decimal 0.1 is not the binary64 number next to it.
  folder.write("c.json", with_v("\"0x1.999999999999ap-4\"", "0.75"));
  CHECK(sha256(folder, "c.json") != expected);
  folder.write("d.json", with_v("123456789012345678901234567890", "\"123456789012345678901234567891\""));
  folder.write("e.json", with_v("123456789012345678901234567890", "123456789012345678901234567890"));
  CHECK(sha256(folder, "d.json") != sha256(folder, "e.json"));
}

TEST_CASE("the hash is SHA-256 of the canonical text") {
  const Folder folder;
  folder.write("a.json", R"({"X": [[["1/3",-0.0],[6,0.5]]], "Y": [-1], "v": [1,-12], "query": 1})");
  REQUIRE(folder.attest("convert a.json a.txt").exit == 0);
  CHECK(folder.read("a.txt") ==
        "attest-instance 1\nsetting self-attention\nquery 1\ngroups 1\ntokens 2\ndimension 2\n"
        "X\n1/3 0\n3*2^1 1*2^-1\nY\n-1\nv\n1 -3*2^2\n");
  // sha256sum of the text above.
  CHECK(sha256(folder, "a.json") == "a4211efb13a01652bb9944f678af02e0ee1eeea4a9bc844b86778aab7931b1d1");
}

TEST_CASE("conversion keeps the instance, alpha and W0") {
  const Folder folder;
  folder.write("self.json", R"({"X": [[[1,2],[3,0.5]],[[1,1],[4,2]]], "Y": [1,-1], "v": [1,1], "query": 1,
                               "alpha": [1,0], "W0": [[1,2],[3,4]]})");
  folder.write("cross.json", as_json);
  folder.write("prompt.json", R"({"X": [[[1],[2]],[[3]]], "Y": [1,-1], "v": [1], "K": [[[1,2],[3,4]],[[5,6]]],
                                 "W0": [1,2]})");
  for (const std::string name : {"self", "cross", "prompt"}) {
    const std::string expected = sha256(folder, name + ".json");
    for (const std::string to : {".npz", ".json.gz", "-folder/", "-2.json"}) {
      INFO(name, to);
      REQUIRE(folder.attest("convert " + name + ".json " + name + to).exit == 0);
      CHECK(sha256(folder, name + to) == expected);
      REQUIRE(folder.attest("convert " + name + to + " again.json --force").exit == 0);
      REQUIRE(folder.attest("convert " + name + ".json straight.json --force").exit == 0);
      CHECK(folder.read("again.json") == folder.read("straight.json"));
    }
  }
}

TEST_CASE("conversion to arrays refuses what binary64 cannot hold") {
  const Folder folder;
  folder.write("a.json", R"({"X": [[[1,2],[0.1,4]]], "Y": [1], "v": [1,1]})");
  const Outcome outcome = folder.attest("convert a.json a.npz");
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find("key X, index [0,1,0]") != std::string::npos);
  CHECK(folder.names() == std::vector<std::string>{"a.json"});
}
