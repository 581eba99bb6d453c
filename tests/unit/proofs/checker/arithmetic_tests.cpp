// SHA-256, exact number forms, scaled matrices and ranks.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/matrix_rank.hpp"
#include "proofs/checker/base/numbers.hpp"
#include "proofs/checker/base/scaled_matrix.hpp"
#include "proofs/checker/base/sha256.hpp"

using namespace attest_check;

namespace {

std::string sha256(const std::string& text) {
  Sha256 hash;
  hash.update(text);
  return hash.digest();
}

std::string bytes_of(std::uint64_t value, unsigned count) {
  std::string text;
  for (unsigned k = 0; k < count; ++k) text.push_back(static_cast<char>(value >> (8 * k)));
  return text;
}

Rational text_number(const std::string& text) {
  NumberWriter numbers;
  push_number_text(text, numbers);
  return numbers.numbers().exact(0);
}
Rational json_number(const std::string& text) {
  NumberWriter numbers;
  push_json_number(text, numbers);
  return numbers.numbers().exact(0);
}

}  // namespace

TEST_CASE("decimals keep their value, their canonical text and what is small, however they are stored") {
  struct Decimal {
    const char* text;
    Rational value;
    bool small;  // an odd number of one word times a power of two
  };
  const Rational ten = 10, tenth(1, 10);
  const auto times = [](Rational x, const Rational& factor, int count) {
    for (int k = 0; k < count; ++k) x *= factor;
    return x;
  };
  const Decimal decimals[] = {{"0e65536", 0, true},
                              {"3e40", times(3, ten, 40), false},
                              {"-7e-30", times(-7, tenth, 30), false},
                              {"0.1", tenth, false},
                              {"-0.5", Rational(-1, 2), true},
                              {"1e26", times(1, ten, 26), true},
                              {"3e27", times(3, ten, 27), false},
                              {"1e28", times(1, ten, 28), false},
                              {"1000000000000000000e-18", 1, true},
                              {"-2500e-2", -25, true},
                              {"7450580596923828125e-27", scale_by_power_of_two(1, -27), true},
                              {"7450580596923828125e-28", scale_by_power_of_two(1, -27) / 10, false},
                              {"123456789012345678901234567890e-3",
                               times(Rational("123456789012345678901234567890"), tenth, 3), false}};
  for (const Decimal& decimal : decimals) {
    CAPTURE(decimal.text);
    NumberWriter made;
    push_number_text(decimal.text, made);
    const NumberArray numbers = made.numbers();
    const NumberArray copies = numbers.rows({0}, 1);
    for (const NumberArray& array : {numbers, copies}) {
      CHECK(array.exact(0) == decimal.value);
      CHECK(array.small(0) == decimal.small);
      CHECK(array.finite(0));
      std::string text;
      array.append_canonical(0, text);
      CHECK(text == canonical(decimal.value));
    }
  }
}

TEST_CASE("SHA-256: the vectors of FIPS 180-4, in any division into pieces") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::string text(300, '\0');
  for (std::size_t k = 0; k < text.size(); ++k) text[k] = static_cast<char>(k * 7);
  for (std::size_t cut = 0; cut <= text.size(); cut += 13) {
    Sha256 hash;
    hash.update(std::string_view(text).substr(0, cut));
    hash.update(std::string_view(text).substr(cut));
    CHECK(hash.digest() == sha256(text));
  }
}

TEST_CASE("binary64 and binary32 bit patterns are decoded exactly") {
  std::mt19937_64 random(7);
  std::vector<double> values = {
      0.0, -0.0, 1.0, -1.5, 0.1, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308};
  for (int k = 0; k < 2000; ++k) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  for (int exponent = -1074; exponent < 1024; ++exponent) values.push_back(std::ldexp(1, exponent));
  std::string bytes;
  for (const double value : values) bytes += bytes_of(std::bit_cast<std::uint64_t>(value), 8);
  const NumberArray numbers(bytes, {'f', 8});
  REQUIRE(numbers.size() == values.size());
  CHECK(numbers.survey().all_small);
  CHECK(numbers.survey().least_exponent == -1074);
  CHECK(numbers.survey().bits == 1024);
  for (std::size_t k = 0; k < values.size(); ++k) REQUIRE(numbers.exact(k) == Rational(values[k]));
  for (const float value : {0.1F, -3.0e38F, 1e-45F, 16777217.0F}) {
    const NumberArray single(bytes_of(std::bit_cast<std::uint32_t>(value), 4), {'f', 4});
    CHECK(single.exact(0) == Rational(double{value}));
  }
  const auto bits = [](double value) { return bytes_of(std::bit_cast<std::uint64_t>(value), 8); };
  const NumberArray marks(bits(1) + bits(std::numeric_limits<double>::quiet_NaN()) +
                              bits(-std::numeric_limits<double>::infinity()),
                          {'f', 8});
  CHECK(marks.finite(0));
  CHECK_FALSE(marks.finite(1));
  CHECK_FALSE(marks.finite(2));
  CHECK(marks.first_not_finite() == 1);
  CHECK_FALSE(marks.survey().all_small);
  CHECK_FALSE(NumberArray(bytes_of(0x7f800000U, 4), {'f', 4}).finite(0));
}

TEST_CASE("numbers are the same where they lie and copied") {
  std::mt19937_64 random(11);
  for (const attest_check::ElementType type : {attest_check::ElementType{'f', 2},
                                               {'b', 2, true},
                                               {'f', 4},
                                               {'f', 4, true},
                                               {'f', 8},
                                               {'f', 8, true},
                                               {'i', 1},
                                               {'i', 4, true},
                                               {'i', 8},
                                               {'u', 2, true},
                                               {'u', 8}}) {
    CAPTURE(type.kind);
    CAPTURE(type.width);
    std::string bytes(2 * type.width, '\0');  // 0 and, of fractions, -0
    if (type.kind == 'f' || type.kind == 'b')
      bytes[type.big_endian ? type.width : 2 * type.width - 1] = '\x80';
    for (std::size_t k = 0; k < 4000 * type.width; ++k) bytes.push_back(static_cast<char>(random()));
    const NumberArray lying(bytes, type);
    REQUIRE(lying.size() == 4002);
    std::vector<std::size_t> all(lying.size()), pairs(lying.size() / 2);
    std::iota(all.begin(), all.end(), 0);
    std::iota(pairs.begin(), pairs.end(), 0);
    const NumberArray copied = lying.rows(pairs, 2).rows(all, 1);
    for (std::size_t k = 0; k < lying.size(); ++k) {
      REQUIRE(lying.finite(k) == copied.finite(k));
      if (!lying.finite(k)) continue;
      REQUIRE(lying.exact(k) == copied.exact(k));
      REQUIRE(lying.small(k) == copied.small(k));
      REQUIRE(lying.integer(k) == copied.integer(k));
      std::string left, right;
      lying.append_canonical(k, left);
      copied.append_canonical(k, right);
      REQUIRE(left == right);
    }
    CHECK(lying.exact(1) == 0);
    CHECK(lying.first_not_finite() == copied.first_not_finite());
    CHECK(lying.survey().all_small == copied.survey().all_small);
    CHECK(lying.survey().least_exponent == copied.survey().least_exponent);
    CHECK(lying.survey().bits == copied.survey().bits);
  }
  const std::string last = bytes_of(~0ULL - 1, 8);
  CHECK(NumberArray(last, {'u', 8}).exact(0) == Rational(Integer("18446744073709551614")));
  CHECK(NumberArray(bytes_of(~0ULL, 8), {'u', 8}).exact(0) == Rational(Integer("18446744073709551615")));
  CHECK_FALSE(NumberArray(last, {'u', 8}).integer(0));
  CHECK(NumberArray(last, {'i', 8}).exact(0) == -2);
}

TEST_CASE("rows of an array, and parts of these") {
  std::string bytes;
  for (const float value : {0.F, 1.F, 2.F, 3.F, std::numeric_limits<float>::infinity(), 5e20F, 6.F, 0.125F})
    bytes += bytes_of(std::bit_cast<std::uint32_t>(value), 4);
  const NumberArray table(bytes, {'f', 4});
  CHECK(table.first_not_finite() == 4);
  const NumberArray rows = table.rows({3, 0, 3, 1}, 2);
  for (const NumberArray& array :
       {rows, rows.rows({0, 1, 2, 3}, 2), rows.rows({1, 0, 2, 3}, 2).rows({2, 3, 0, 1, 4, 5, 6, 7}, 1)}) {
    REQUIRE(array.size() == 8);
    const Rational values[] = {6, Rational(1, 8), 0, 1, 6, Rational(1, 8), 2, 3};
    for (std::size_t k = 0; k < 8; ++k) CHECK(array.exact(k) == values[k]);
    CHECK_FALSE(array.first_not_finite());
    CHECK(array.survey().all_small);
    CHECK(array.survey().least_exponent == -3);
    CHECK(array.survey().bits == 3);
  }
  CHECK(table.rows({1, 2}, 2).first_not_finite() == 2);
  CHECK(table.rows({}, 2).size() == 0);
  CHECK(rows.rows({}, 2).size() == 0);
  CHECK_THROWS_AS(rows.rows({0}, 3), Failure);
  NumberWriter made;
  for (const char* text : {"1/3", "5e40", "7"}) push_number_text(text, made);
  const NumberArray mixed = made.numbers();
  const NumberArray turned = mixed.rows({2, 0, 1}, 1);
  CHECK(turned.exact(0) == 7);
  CHECK(turned.exact(1) == Rational(1, 3));
  CHECK(turned.exact(2) == mixed.exact(1));
}

TEST_CASE("number texts mean exactly what they say") {
  CHECK(text_number("1.1") == Rational(11, 10));
  CHECK(text_number("-0.25e2") == -25);
  CHECK(text_number("+7") == 7);
  CHECK(text_number("3/6") == Rational(1, 2));
  CHECK(text_number("-3/9") == Rational(-1, 3));
  CHECK(text_number("5*2^-3") == Rational(5, 8));
  CHECK(text_number("0x1.8p1") == 3);
  CHECK(text_number("-0x.8P-1") == Rational(-1, 4));
  CHECK(text_number("1e400") == Rational(Integer("1" + std::string(400, '0'))));
  CHECK(json_number("0.1") == Rational(1, 10));
  CHECK(json_number("123456789012345678901234567890") == Rational(Integer("123456789012345678901234567890")));
  CHECK(json_number("-0") == 0);
  for (const std::string bad :
       {"", "-", ".", "1.", ".5", "01", "+1", "1e", "1e+", "0x1", "1/2", "nan", "Infinity", "1 ", "--1",
        "1e400", "-1e309", "1e-400", "1e99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(json_number(bad), Failure);
  }
  for (const std::string bad :
       {"",       "1/0",       "1/-2",      "/2",      "1/",      "1.5/2",    "3*2^",
        "3*2^1y", "3*2^65537", "0x",        "0xg",     "1e65537", "1e-65537", "nan",
        "inf",    "1 2",       "0x1p70000", "1*2^1/2", "1*2^/2",  "3*2^/4-5", "1/2*2^3",
        "1/2e3",  "0x1/2",     "0x1*2^3",   "*2^3",    "1/2/3",   "+-1",      "\xef\xbc\x91"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(text_number(bad), Failure);
  }
  CHECK_THROWS_AS(text_number(std::string(6000000, '9')), Failure);
}

TEST_CASE("canonical forms") {
  const std::pair<Rational, const char*> forms[] = {{0, "0"},
                                                    {7, "7"},
                                                    {-12, "-3*2^2"},
                                                    {Rational(3, 8), "3*2^-3"},
                                                    {Rational(-2, 3), "-2/3"},
                                                    {Rational(1, 10), "1/10"}};
  for (const auto& [value, text] : forms) {
    CHECK(canonical(value) == text);
    NumberWriter numbers;
    numbers.push(value);
    std::string appended;
    numbers.numbers().append_canonical(0, appended);
    CHECK(appended == text);
  }
}

TEST_CASE("scaled matrices hold every entry exactly, whatever the mixture") {
  NumberWriter numbers;
  const std::vector<Rational> values = {Rational(1, 3),
                                        Rational(-5, 1024),
                                        0,
                                        Rational(Integer(1) << 90),
                                        Rational(7, 12),
                                        Rational(-1, Integer(Integer(1) << 70))};
  for (const Rational& value : values) numbers.push(value);
  const ScaledMatrix matrix(numbers.numbers(), 3);
  CHECK(matrix.rows() == 2);
  for (std::size_t k = 0; k < values.size(); ++k) {
    CHECK(Rational(matrix.entry(k / 3, k % 3)) / Rational(matrix.denominator()) == values[k]);
  }
  Rational expected;
  for (std::size_t k = 0; k < 3; ++k) expected += values[k] * values[3 + k];
  CHECK(Rational(matrix.dot(0, matrix, 1)) / Rational(matrix.denominator() * matrix.denominator()) ==
        expected);
}

TEST_CASE("tables too large for memory are refused before they are made") {
  const auto refused = [](const NumberArray& numbers) {
    try {
      ScaledMatrix(numbers, 1);
    } catch (const Failure& failure) {
      return failure.status() == Exit::resource;
    }
    return false;
  };
  // Denominators of 2^24 bits together.
  Integer power;
  mpz_ui_pow_ui(power.get_mpz_t(), 3, 10585100);
  NumberWriter third, two;
  third.push(Rational(Integer(1), power));
  two.push(Rational(Integer(1), power));
  CHECK_FALSE(refused(third.numbers()));
  mpz_ui_pow_ui(power.get_mpz_t(), 5, 100);
  two.push(Rational(Integer(1), power));
  CHECK(refused(two.numbers()));
  // 2^9 numbers of 2^18 words each and a few more.
  for (const int others : {500, 520}) {
    NumberWriter wide;
    wide.push(1, -(1 << 24));
    for (int k = 0; k < others; ++k) wide.push(1, 0);
    CHECK(refused(wide.numbers()) == (others == 520));
  }
}

TEST_CASE("ranks, exactly and modulo a prime") {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const std::size_t rows = 1 + random() % 6, columns = 1 + random() % 6,
                      rank = random() % (std::min(rows, columns) + 1);
    std::vector<std::vector<Integer>> matrix(rows, std::vector<Integer>(columns));
    // A product of rows x rank unit lower and rank x columns unit upper trapezoidal factors has exactly this
    // rank.
    for (std::size_t m = 0; m < rank; ++m) {
      std::vector<int> right(columns);
      for (std::size_t j = m; j < columns; ++j) right[j] = j == m ? 1 : static_cast<int>(random() % 7) - 3;
      for (std::size_t i = m; i < rows; ++i) {
        const int left = i == m ? 1 : static_cast<int>(random() % 7) - 3;
        for (std::size_t j = m; j < columns; ++j) matrix[i][j] += left * right[j];
      }
    }
    std::shuffle(matrix.begin(), matrix.end(), random);
    CHECK(rank_at_most(matrix, rank));
    if (rank > 0) CHECK_FALSE(rank_at_most(matrix, rank - 1));
    std::vector<std::vector<std::uint64_t>> residues(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      for (const Integer& x : matrix[i]) residues[i].push_back(mpz_fdiv_ui(x.get_mpz_t(), 2147483647));
    }
    CHECK(rank_modulo(residues, 2147483647) <= rank);
  }
  CHECK(rank_modulo({{1, 2}, {3, 4}}, 7) == 2);
  CHECK(rank_modulo({{1, 2}, {3, 6}}, 7) == 1);
  CHECK(is_prime(2147483647));
  CHECK_FALSE(is_prime(2147483649));
  CHECK_FALSE(is_prime(1));
  CHECK_FALSE(is_prime(46337ULL * 46337ULL));
}
