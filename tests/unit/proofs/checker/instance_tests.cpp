// Instances in JSON: settings, ragged layouts, number forms, compression, and hostile text.
#include <doctest/doctest.h>

#include "proofs/checker/base/sha256.hpp"
#include "proofs/checker/instance/json.hpp"
#include "tests/unit/proofs/checker/files.hpp"

using namespace checker_tests;
using attest_check::Instance;
using attest_check::Rational;
using attest_check::Setting;

namespace {

Instance read_instance_text(const std::string& text) {
  return attest_check::read_instance(TemporaryFile(text).path());
}
std::string instance_hash(const std::string& text) {
  return attest_check::canonical_sha256(read_instance_text(text));
}

const std::string sample_instance =
    R"({"X": [[[1, 2], [3, 4.5]], [["1/3", "-5*2^-3"]]], "Y": [1, -1], "v": [1, "0x1p-2"]})";

}  // namespace

TEST_CASE("a ragged self-attention instance") {
  const Instance instance = read_instance_text(sample_instance);
  CHECK(instance.setting == Setting::self_attention);
  CHECK(instance.first_row == std::vector<std::size_t>{0, 2, 3});
  CHECK(instance.dimension == 2);
  CHECK(instance.X.exact(3) == Rational(9, 2));
  CHECK(instance.X.exact(4) == Rational(1, 3));
  CHECK(instance.X.exact(5) == Rational(-5, 8));
  CHECK(instance.v.exact(1) == Rational(1, 4));
}

TEST_CASE("the canonical text is the one of the grammar") {
  const std::string text =
      "attest-instance 1\nsetting self-attention\nquery 0\ngroups 2\ntokens 2 1\ndimension 2\nX\n1 1*2^1\n3 "
      "9*2^-1\n1/3 "
      "-5*2^-3\nY\n1 -1\nv\n1 1*2^-2\n";
  attest_check::Sha256 hash;
  hash.update(text);
  CHECK(instance_hash(sample_instance) == hash.digest());
  CHECK(instance_hash(sample_instance) ==
        "ff04b310204a8842053a9f072dfd72a7276d0532cd9710d4a86cd0b02021d05c");  // by coreutils' sha256sum
}

TEST_CASE("given scores") {
  const std::string X = R"({"X": [[[1, 2], [3, 4]], [[5, 6]]], "scores": )";
  const Instance instance = read_instance_text(X + R"([[1, "1/3"], [-2]]})");
  REQUIRE(instance.scores);
  CHECK(instance.scores->exact(1) == Rational(1, 3));
  attest_check::Sha256 hash;
  hash.update(
      "attest-instance 1\nsetting self-attention\nquery 0\ngroups 2\ntokens 2 1\ndimension 2\nX\n1 1*2^1\n"
      "3 1*2^2\n5 3*2^1\nscores\n1 1/3\n-1*2^1\n");
  CHECK(attest_check::canonical_sha256(instance) == hash.digest());
  const std::string rows = R"({"X": [[1, 2], [3, 4], [5, 6]], "lengths": [2, 1], "scores": )";
  for (const char* same :
       {R"([1, "1/3", -2]})", R"([[1, "1/3"], [-2, 9]]})", R"([[[1], ["1/3"]], [[-2]]]})"}) {
    CAPTURE(same);
    CHECK(instance_hash(std::string(same).find("]]]") == std::string::npos ? rows + same : X + same) ==
          attest_check::canonical_sha256(instance));
  }
}

TEST_CASE("columns of one are lists") {
  CHECK(instance_hash(
            R"({"X": [[[1, 2]], [[3, 4]]], "Y": [[1], [-1]], "v": [[5], [6]], "alpha": [[0], [0]]})") ==
        instance_hash(R"({"X": [[[1, 2]], [[3, 4]]], "Y": [1, -1], "v": [5, 6]})"));
}

TEST_CASE("settings") {
  const std::string base = R"({"X": [[[1, 2], [3, 4]]], "Y": [1], "v": [1, 1])";
  CHECK(read_instance_text(base + "}").setting == Setting::self_attention);
  CHECK(read_instance_text(base + R"(, "query": 1})").query == 1);
  CHECK(read_instance_text(base + R"(, "query": "last"})").query == -1);
  CHECK(read_instance_text(base + R"(, "query": -1})").query_row(0) == 1);
  CHECK(instance_hash(base + R"(, "query": "last"})") == instance_hash(base + R"(, "query": -1})"));
  CHECK(instance_hash(base + R"(, "query": "last"})") != instance_hash(base + R"(, "query": -2})"));
  CHECK(instance_hash(base + R"(, "query": "last"})") != instance_hash(base + R"(, "query": 1})"));
  const Instance cross = read_instance_text(base + R"(, "z": [[1, 2, 3]]})");
  CHECK(cross.setting == Setting::cross_attention);
  CHECK(cross.factor_dimension == 3);
  const Instance prompt = read_instance_text(base + R"(, "K": [[[1], [2]]], "W0": [1], "alpha": [1]})");
  CHECK(prompt.setting == Setting::prompt);
  CHECK(prompt.factor_dimension == 1);
  const std::string concatenated =
      R"({"X": [[1, 2], [3, 4]], "lengths": [2], "Y": [1], "v": [1, 1], "K": [[1], [2]]})";
  CHECK(instance_hash(concatenated) == attest_check::canonical_sha256(prompt));
}

TEST_CASE("compression does not matter" * doctest::test_suite("long")) {
  CHECK(instance_hash(deflated(sample_instance, 31)) == instance_hash(sample_instance));
  const std::string zipped = deflated(sample_instance, 31);
  for (std::size_t size = 2; size < zipped.size(); ++size)
    REQUIRE(instance_status(zipped.substr(0, size)) == 2);
  CHECK(instance_status(zipped + "x") == 2);
  const std::string bomb = deflated(sample_instance + std::string(std::size_t{300} << 20, ' '), 31);
  CHECK(instance_status(bomb) == 5);
}

TEST_CASE("every cut of the text is malformed") {
  for (std::size_t size = 0; size < sample_instance.size(); ++size)
    REQUIRE(instance_status(sample_instance.substr(0, size)) == 2);
}

TEST_CASE("wrong instances are malformed, and the message names the key") {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "w": [1]})", "w"},
      {R"({"X": [[[1]]], "Y": [1], "Y": [1], "v": [1]})", "Y"},
      {R"({"X": [[[1]]], "Y": [1]})", "v"},
      {R"({"X": [[[1]]], "Y": [0], "v": [1]})", "Y"},
      {R"({"X": [[[1]]], "Y": [0.5], "v": [1]})", "Y"},
      {R"({"X": [[[1]]], "Y": [1, 1], "v": [1]})", "Y"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1, 2]})", "v"},
      {R"({"X": [[[1], []]], "Y": [1], "v": [1]})", "X"},
      {R"({"X": [[]], "Y": [1], "v": [1]})", "X"},
      {R"({"X": [], "Y": [1], "v": [1]})", "X"},
      {R"({"X": [[[1], [1, 2]]], "Y": [1], "v": [1]})", "X"},
      {R"({"X": [[[1], 1]], "Y": [1], "v": [1]})", "X"},
      {R"({"X": [[[[1]]]], "Y": [1], "v": [1]})", "X"},
      {R"({"X": [[1]], "Y": [1], "v": [1]})", "X"},
      {R"({"X": [[[1]]], "Y": [1], "v": [NaN]})", "v"},
      {R"({"X": [[[1]]], "Y": [1], "v": ["nan"]})", "v"},
      {R"({"X": [[[1]]], "Y": [1], "v": [true]})", "v"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1e400]})", "v"},
      {R"({"X": [[[1]]], "Y": [1], "v": null})", "v"},
      {R"({"X": [[[1]]], "Y": [1], "v": {"a": 1}})", "v"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "K": [[[1]]], "z": [[1]]})", "K"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "z": [[1], [2]]})", "z"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "K": [[[1], [2]]]})", "K"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "query": 1})", "query"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "query": -2})", "query"},
      {R"({"X": [[[1], [2]], [[1]]], "Y": [1, 1], "v": [1], "query": -2})", "query"},
      {R"({"X": [[[1]]], "Y": [[1, 1]], "v": [1]})", "Y"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "scores": [[1]]})", "scores"},
      {R"({"X": [[[1]]], "Y": [1], "scores": [[1]]})", "scores"},
      {R"({"X": [[[1]]], "scores": [1]})", "scores"},
      {R"({"X": [[[1]]], "scores": [[[1, 2]]]})", "scores"},
      {R"({"X": [[[1], [2]]], "scores": [[1]]})", "scores"},
      {R"({"X": [[[1], [2]], [[1]]], "scores": [[1, 2], [1, 2]]})", "scores"},
      {R"({"X": [[[1]]], "scores": "1"})", "scores"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "query": "first"})", "query"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "alpha": [1]})", "alpha"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "alpha": [0, 0]})", "alpha"},
      {R"({"X": [[[1]]], "Y": [1], "v": [1], "W0": [[1, 2]]})", "W0"},
      {R"({"X": [[1], [2]], "lengths": [3], "Y": [1], "v": [1]})", "lengths"},
      {R"({"X": [[1], [2]], "lengths": [2, 0], "Y": [1, 1], "v": [1]})", "lengths"},
      {R"({"X": [[1], [2]], "lengths": [-1, 3], "Y": [1, 1], "v": [1]})", "lengths"},
      {R"({"X": [[[1]]], "lengths": [2], "Y": [1], "v": [1]})", "lengths"},
      {R"({"X": [[[1]], [[2]]], "lengths": [1], "Y": [1], "v": [1]})", "lengths"},
      {R"({"X": [[[1], [2]], [[3]]], "lengths": [2, 1], "Y": [1, 1], "v": [1]})", "lengths"},
  };
  for (const auto& [text, key] : cases) {
    const std::string content(text);
    CAPTURE(content);
    CHECK(instance_status(content) == 2);
    const std::string message = instance_message(content);
    CAPTURE(message);
    CHECK(message.find(key) != std::string::npos);
  }
}

TEST_CASE("hostile JSON is refused" * doctest::test_suite("long")) {
  const std::string tail = R"(, "Y": [1], "v": [1]})";
  const auto status = [&](const std::string& number) {
    return instance_status(R"({"X": [[[)" + number + "]]]" + tail);
  };
  CHECK(status("1") == 0);
  CHECK(status("\"1e65537\"") == 2);
  CHECK(status("\"1e999999999999999999999\"") == 2);
  CHECK(status("\"1*2^99999999999\"") == 2);
  CHECK(status(std::string(6000000, '9')) == 2);
  CHECK(status("\"1/0\"") == 2);
  CHECK(instance_status(std::string(100000, '[')) == 2);
  CHECK(instance_status("{\"X\": " + std::string(100000, '[')) == 2);
  CHECK(instance_status("\xef\xbb\xbf" + sample_instance) == 2);
  for (const char* bytes :
       {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\x80", "\xe2\x82", "\xf0\x80\x80\x80"}) {
    CHECK(instance_status("{\"" + std::string(bytes) + "\": 1" + tail) == 2);
  }
  for (const char* key : {"\\u12", "\\x41", "\\ud800", "\\udc00", "\\ud800\\u0041", "a\tb"}) {
    CHECK(instance_status("{\"" + std::string(key) + "\": 1" + tail) == 2);
  }
  CHECK(instance_status(sample_instance + "x") == 2);
  CHECK(instance_status(sample_instance + " {}") == 2);
  CHECK(instance_status(sample_instance + " \n") == 0);
  // Keys and strings with other bytes are unknown in any case; the message says what is wrong with them.
  CHECK(instance_message("{\"a\tb\": 1" + tail).find("a control character") != std::string::npos);
  CHECK(instance_message("{\"\x80\": 1" + tail).find("not ASCII") != std::string::npos);
  CHECK(instance_message("{\"\\u0080\": 1" + tail).find("not ASCII") != std::string::npos);
  // Escapes are understood: "\u0058" is X.
  CHECK(instance_hash(R"({"\u0058": [[[1]]])" + tail) == instance_hash(R"({"X": [[[1]]])" + tail));
  CHECK(instance_status("{\"\\u00\x15\x18\": [[[1]]]" + tail) == 2);  // digits but for a bit
  // One tiny and one huge number in a large table: refused by the predicted size, not attempted.
  std::string row = "[\"1*2^65536\"";
  for (int k = 0; k < 80000; ++k) row += ",\"1*2^65536\"";
  const std::string wide = "{\"X\": [[" + row + ",\"1*2^-65536\"]]]" + ", \"Y\": [1], \"v\": " + row + ",0]}";
  const TemporaryFile instance(wide);
  const TemporaryFile certificate(
      "attest-certificate 1\nproducer a b\ninstance sha256 " +
      attest_check::canonical_sha256(attest_check::read_instance(instance.path())) + "\n");
  try {
    attest_check::check(instance.path(), certificate.path(), {});
    FAIL("accepted");
  } catch (const attest_check::Failure& failure) {
    CHECK(static_cast<int>(failure.status()) == 5);
  }
}

TEST_CASE("JSON that comes in pieces of any size is what it is in one") {
  const std::string text =
      "\n{ \"X\" :[[[1, -2.5e-3], [\"1/3\",\"3*2^-7\"]],   [[123456789012345678901234567890,0x]]]}";
  const std::string good =
      "\n{ \"X\" :[[[1, -2.5e-3], [\"1/3\",\"\\u0033*2^-7\"]],    [[12345678901234567890123, 0]]]  } ";
  for (const std::size_t size : {1, 2, 3, 5, 8, 1000}) {
    CAPTURE(size);
    const auto read_instance_text = [&](const std::string& whole) {
      std::size_t at = 0;
      attest_check::Pieces pieces{[&] {
        const std::string_view piece = std::string_view(whole).substr(at, size);
        at += piece.size();
        return piece;
      }};
      std::string numbers;
      attest_check::read_json(pieces, "file", [&](const std::string& key, const attest_check::Array& array) {
        numbers += key;
        for (const std::size_t length : array.lengths) numbers += ' ' + std::to_string(length);
        for (std::size_t k = 0; k < array.numbers.size(); ++k)
          array.numbers.append_canonical(k, numbers += ' ');
      });
      CHECK(pieces.held.size() <= std::max<std::size_t>(size, 24) + size);
      return numbers;
    };
    CHECK(read_instance_text(good) == "X 2 1 1 -1/400 1/3 3*2^-7 12345678901234567890123 0");
    try {
      read_instance_text(text);
      FAIL("accepted");
    } catch (const attest_check::Failure& failure) {
      CHECK(std::string(failure.what()) == "file: key X: byte 79: expected ']'");
    }
  }
}

TEST_CASE("numbers of 2^24 bits are held, longer ones refused") {
  attest_check::NumberWriter numbers;
  const attest_check::Integer most = attest_check::power_of_two((1 << 24) - 1), more = 2 * most;
  CHECK_NOTHROW(numbers.push(attest_check::Rational(most)));
  CHECK_NOTHROW(numbers.push(attest_check::fraction(1, most)));
  CHECK_THROWS_AS(numbers.push(attest_check::Rational(more)), attest_check::Failure);
  CHECK_THROWS_AS(numbers.push(attest_check::fraction(1, more)), attest_check::Failure);
}

TEST_CASE("a number of JSON has no leading zero, with a fraction or without") {
  attest_check::NumberWriter numbers;
  for (const char* text : {"01", "01.5", "-01.5", "00.5", "01e2", "0123456789012345678"}) {
    CAPTURE(std::string(text));
    CHECK_THROWS_AS(attest_check::push_json_number(text, numbers), attest_check::Failure);
  }
  for (const char* text : {"0", "0.5", "-0.5e1", "10.5"})
    CHECK_NOTHROW(attest_check::push_json_number(text, numbers));
}
