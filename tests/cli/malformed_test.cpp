// Every way an input can be wrong ends in exit 2 (or 5) with one line that names file, key and index; nothing
// is written.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/cli/folder.hpp"
#include "tests/cli/npz_bytes.hpp"

using namespace cli_tests;

namespace {

// Certifies `instance`; expects `status`, one line naming the file and containing `expected`, and no new
// file.
void expect_refused(const Folder& folder, const std::string& instance, const std::string& expected,
                    int status = 2) {
  const std::vector<std::string> before = folder.names();
  const Outcome outcome = folder.attest("certify " + instance + " -o out.cert");
  INFO(instance, ": ", outcome.err, " expected: ", expected);
  CHECK(outcome.exit == status);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find(instance) != std::string::npos);
  CHECK(outcome.err.find(expected) != std::string::npos);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK(folder.names() == before);
}

const std::string good_X = R"("X": [[[1,2],[3,4]],[[5,6],[7,8]]])";
const std::string good_Y = R"("Y": [1,-1])";
const std::string good_v = R"("v": [1,1])";

std::string object(const std::string& a, const std::string& b, const std::string& c,
                   const std::string& d = {}) {
  return "{" + a + ", " + b + ", " + c + (d.empty() ? "" : ", " + d) + "}";
}

}  // namespace

TEST_CASE("wrong JSON instances name key and index") {
  const Folder folder;
  const std::pair<std::string, const char*> cases[] = {
      {"", "malformed JSON"},
      {"[1]", "expected a JSON object"},
      {"{", "malformed JSON"},
      {"{}", "key X: missing"},
      {"{'X': [[[1]]]}", "single quotes; Python's json.dump writes double ones"},
      {"{" + good_X + "}", "key Y: missing (Y and v, or scores instead of both)"},
      {object(good_X, good_Y, "\"query\": 0"), "key v: missing"},
      {object(good_X, good_Y, good_v) + "1", "malformed JSON"},
      {object(good_X, good_X, good_Y, good_v), "key X: given twice, at byte "},
      {object(good_X, good_Y, good_v, "\"Q\": 1"), "key Q: unknown key"},
      {object(good_X, good_Y, good_v, "\"query\": 2"), "key query: sequence 0 has only 2 tokens"},
      {object(good_X, good_Y, good_v, "\"query\": -3"), "key query: sequence 0 has only 2 tokens"},
      {object(good_X, good_Y, good_v, "\"query\": 0.5"), "key query: expected a token index"},
      {object(good_X, good_Y, good_v, "\"query\": \"first\""), "key query"},
      {object(good_X, good_Y, good_v, "\"query\": 0, \"z\": [[1],[1]]"), "more than one of K, z and query"},
      {object(good_X, good_Y, good_v, "\"z\": [[1],[1],[1]]"), "key z: expected shape (2, e)"},
      {object(good_X, good_Y, good_v, "\"z\": [[1],[1,2]]"), "key z, index [1]"},
      {object(good_X, good_Y, good_v, "\"K\": [[[1]],[[1]]]"), "key K"},
      {object(good_X, good_Y, good_v, "\"alpha\": [0,2]"), "key alpha, index [1]"},
      {object(good_X, good_Y, good_v, "\"alpha\": [0,-1]"), "key alpha, index [1]"},
      {object(good_X, good_Y, good_v, "\"alpha\": [0]"), "key alpha"},
      {object(good_X, good_Y, good_v, "\"W0\": [[1,2]]"), "key W0: expected shape (2, 2)"},
      {object(good_X, good_Y, good_v, "\"lengths\": [2,3]"), "key X, index [1]"},
      {object(good_X, good_Y, good_v, "\"lengths\": [2,0]"), "key lengths, index [1]"},
      {object(good_X, good_Y, good_v, "\"lengths\": [2,-1]"), "key lengths, index [1]"},
      {object(good_X, "\"Y\": [1,0]", good_v), "key Y, index [1]: label is not +1 or -1"},
      {object(good_X, "\"Y\": [0,1]", good_v),
       "key Y, index [0]: label is not +1 or -1 (it is 0; labels 0 and 1:"},
      {object(good_X, "\"Y\": [1]", good_v), "key Y: expected 2 labels"},
      {object("\"X\": [[[1,2],[3,4]],[[5,6],[7,8]],[[5,6],[7,8]]]", good_Y, good_v), "X.transpose(1, 0, 2)"},
      {object("\"X\": [[[1],[3]],[[5],[7]]]", good_Y, good_v), "X.transpose(0, 2, 1)"},
      {object(good_X, good_Y, good_v, "\"scores\": [[1,2],[3,4]]"), "key scores: given although Y or v is"},
      {object(good_X, "\"query\": 0", "\"scores\": [[1,2],[3]]"), "key scores, index [1]"},
      {object(good_X, "\"query\": 0", "\"scores\": [1,2,3,4]"), "key scores: expected one number per token"},
      {object(good_X, "\"query\": 0", "\"scores\": [[1,2],[3,-Infinity]]"),
       "key scores, index [1,1]: not a finite"},
      {object(good_X, good_Y, "\"v\": [1,2,3]"), "key v: expected 2 numbers"},
      {object(good_X, good_Y, "\"v\": [1,null]"), "key v, index [1]"},
      {object(good_X, good_Y, "\"v\": [1,true]"), "key v, index [1]"},
      {object(good_X, good_Y, "\"v\": [1,NaN]"), "key v, index [1]: not a finite number"},
      {object(good_X, good_Y, "\"v\": [1,\"nan\"]"), "key v, index [1]"},
      {object(good_X, good_Y, "\"v\": [1,\"inf\"]"), "key v, index [1]"},
      {object(good_X, good_Y, "\"v\": [1,\"1/0\"]"), "key v, index [1]: denominator is zero"},
      {object(good_X, good_Y, "\"v\": [1,\"1 \"]"), "key v, index [1]"},
      {object(good_X, good_Y, "\"v\": [1,\"\"]"), "key v, index [1]"},
      {object(good_X, good_Y, "\"v\": [1,\"1*2^65537\"]"), "key v, index [1]: exponent beyond 2^16"},
      {object(good_X, good_Y, "\"v\": [1,\"1e99999999999999999999\"]"),
       "key v, index [1]: exponent beyond 2^16"},
      {object(good_X, good_Y, "\"v\": [1,1e999]"), "must be written as a string"},
      {object(good_X, good_Y, "\"v\": [1,{}]"), "key v, index [1]"},
      {object(good_X, good_Y, "\"v\": [1,\"\xff\"]"), "key v, index [1]"},
      {object("\"X\": [[[1,2],[3]],[[5,6],[7,8]]]", good_Y, good_v), "key X, index [0,1]"},
      {object("\"X\": [[[1,2],3],[[5,6],[7,8]]]", good_Y, good_v), "key X, index [0,1]"},
      {object("\"X\": [[[1,[2]],[3,4]],[[5,6],[7,8]]]", good_Y, good_v), "key X, index [0,0,1]"},
      {object("\"X\": [[],[[1,2]]]", good_Y, good_v), "key X, index [0]: sequence without tokens"},
      {object("\"X\": []", good_Y, good_v), "key X"},
      {object("\"X\": [[1,2],[3,4]]", good_Y, good_v), "key X"},
      {"{\"X\": " + std::string(100000, '['), "key X"},
  };
  for (const auto& [text, expected] : cases) {
    folder.write("bad.json", text);
    expect_refused(folder, "bad.json", expected);
  }
}

TEST_CASE("a number of a million digits is read, one of too many bits is refused") {
  const Folder folder;
  folder.write("long.json", object(good_X, good_Y, "\"v\": [1,\"" + std::string(1000000, '7') + "\"]"));
  CHECK(folder.attest("info long.json").exit == 0);
  folder.write("bad.json", object(good_X, good_Y, "\"v\": [1,\"" + std::string(6000000, '7') + "\"]"));
  expect_refused(folder, "bad.json", "key v, index [1]: number has more than 2^24 bits");
}

TEST_CASE("wrong arrays name key and index") {
  const Folder folder;
  const double nan = 0.0 / 0.0, infinity = 1.0 / 0.0;
  const std::string X = npy({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}), Y = npy({1, -1}, {2}), v = npy({1, 1}, {2});
  const auto header = [](const std::string& type, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  };
  const std::pair<Members, const char*> cases[] = {
      {{{"X.npy", npy({1, 2, 3, 4, 5, nan, 7, 8}, {2, 2, 2})}, {"Y.npy", Y}, {"v.npy", v}},
       "key X, index [1,0,1]"},
      {{{"X.npy", X}, {"Y.npy", Y}, {"v.npy", npy({1, infinity}, {2})}},
       "key v, index [1]: not a finite number"},
      {{{"X.npy", X}, {"Y.npy", npy({1, -1.5}, {2})}, {"v.npy", v}}, "key Y, index [1]"},
      {{{"X.npy", X}, {"Y.npy", Y}, {"v.npy", v}, {"v.npy", v}}, "duplicate zip member"},
      {{{"X.npy", X}, {"Y.npy", Y}, {"v.npy", v}, {"notes.txt", "x"}}, "notes.txt: unknown member"},
      {{{"X.npy", "not an array"}, {"Y.npy", Y}, {"v.npy", v}}, "key X: not a .npy array"},
      {{{"X.npy", X.substr(0, X.size() - 1)}, {"Y.npy", Y}, {"v.npy", v}}, "key X: shape asks for 8 entries"},
      {{{"X.npy", X + "x"}, {"Y.npy", Y}, {"v.npy", v}}, "key X: shape asks for 8 entries"},
      {{{"X.npy", npy_raw(header("<f8", "(4294967296, 4294967296, 4294967296)"), "")},
        {"Y.npy", Y},
        {"v.npy", v}},
       "key X: shape is too large"},
      {{{"X.npy", npy_raw(header("<f8", "(-1, 2, 2)"), "")}, {"Y.npy", Y}, {"v.npy", v}},
       "key X: malformed .npy header"},
      {{{"X.npy", npy_raw(header("|O", "(2, 2, 2)"), "")}, {"Y.npy", Y}, {"v.npy", v}},
       "key X: dtype '|O' is not supported (Python objects: numpy.array(X.tolist(), dtype=float)"},
      {{{"X.npy", X}, {"Y.npy", npy_raw(header("|b1", "(2,)"), std::string("\1\0", 2))}, {"v.npy", v}},
       "key Y: dtype '|b1' is not supported (booleans: Y.astype(int), and 2*Y - 1"},
      {{{"X.npy", npy_raw(header("<V2", "(2, 2, 2)"), std::string(16, '\0'))}, {"Y.npy", Y}, {"v.npy", v}},
       "key X: dtype '<V2' is not supported (as bfloat16: X.astype(numpy.float32), which is exact)"},
      {{{"X.npy", npy_raw("{'descr': '<f8'}", "")}, {"Y.npy", Y}, {"v.npy", v}},
       "key X: malformed .npy header"},
      {{{"X.npy", X}, {"Y.npy", Y}}, "key v: missing"},
  };
  for (const auto& [members, expected] : cases) {
    folder.write("bad.npz", zip(members));
    expect_refused(folder, "bad.npz", expected);
  }
  const std::string good = zip({{"X.npy", X}, {"Y.npy", Y}, {"v.npy", v}}, Packing::deflated);
  for (const std::size_t cut :
       {std::size_t{1}, std::size_t{10}, std::size_t{60}, good.size() / 2, good.size() - 3}) {
    folder.write("bad.npz", good.substr(0, good.size() - cut));
    expect_refused(folder, "bad.npz", "");
  }
  std::string flipped = zip({{"X.npy", X}, {"Y.npy", Y}, {"v.npy", v}});
  flipped[130] = static_cast<char>(flipped[130] ^ 1);
  folder.write("bad.npz", flipped);
  expect_refused(folder, "bad.npz", "");
}

TEST_CASE("a decompression bomb is refused without expanding it") {
  const Folder folder;
  folder.write("bomb.json.gz", gzip("{\"X\": [" + std::string(80 << 20, ' ') + "]}"));
  expect_refused(folder, "bomb.json.gz", "expands to more than", 5);
  const std::size_t count = std::size_t{10} << 20;
  const std::string big =
      npy_raw("{'descr': '<f8', 'fortran_order': False, 'shape': (1, " + std::to_string(count) + ", 1), }",
              std::string(count * 8, '\0'));
  folder.write("bomb.npz",
               zip({{"X.npy", big}, {"Y.npy", npy({1}, {1})}, {"v.npy", npy({1}, {1})}}, Packing::deflated));
  expect_refused(folder, "bomb.npz", "expands to more than", 5);
  CHECK(folder.attest("info --memory-limit 1500000000 bomb.npz").exit == 0);
}

TEST_CASE("missing files, folders and wrong usage") {
  const Folder folder;
  folder.write("good.json", object(good_X, good_Y, good_v));
  expect_refused(folder, "absent.json", "cannot open");
  folder.write("empty/.keep", "");
  expect_refused(folder, "empty", "unknown member");
  for (const char* arguments :
       {"", "certify", "unknown good.json", "certify good.json --form maybe -o out.cert",
        "certify good.json --precision 3", "certify good.json --wrong", "convert good.json",
        "certify good.json --select 0", "certify good.json --select 0,2", "certify good.json --select 0,x",
        "certify good.json --loss huber"}) {
    INFO(arguments);
    const Outcome outcome = folder.attest(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK_FALSE(outcome.err.empty());
    CHECK_FALSE(folder.has("out.cert"));
  }
  CHECK(folder.attest("--help").exit == 0);
  CHECK(folder.attest("certify --help").exit == 0);
  CHECK(folder.attest("--version").out == "attest 0.1.0\n");
}
