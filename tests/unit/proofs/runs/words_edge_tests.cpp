// Error counts that only large sizes use up: the exponential at many bits, sums of many rounded words, groups
// of many tokens and of many dimensions.
#include <doctest/doctest.h>
#include <mpfr.h>

#include "proofs/checker/base/exponential.hpp"
#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/runs/step_growth.hpp"
#include "tests/unit/proofs/checker/files.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

constexpr Word unit_word = Word{1} << word_point;

// Is a product of three words at most this one?
bool covers(Word found, const Integer& product) {
  return (Integer(found) << (2 * word_point)) >= product;
}

// The bound for one group of tokens 0, x, ..., x in that many dimensions whose first token alone carries
// omega = -1.
struct OneGroup {
  std::size_t tokens, dimension;
  Word share;           // of each of the others
  Rational coordinate;  // of x, every one

  Interval bound(Rational& scaled) const {
    const auto row = [&](const std::string& x) {
      std::string text = "[\"" + x + "\"";
      for (std::size_t k = 1; k < dimension; ++k) text += ",\"" + x + "\"";
      return text + "]";
    };
    std::string text = R"({"X": [[)" + row("0");
    for (std::size_t t = 1; t < tokens; ++t) text += "," + row(coordinate.get_str());
    text += R"(]], "Y": [1], "v": )" + row("1") + R"(, "z": [[1]]})";
    const Instance instance = read_instance(TemporaryFile(text).path());
    const Features features(instance);
    StepGrowth growth(features, {0});
    scaled = coordinate * scale_by_power_of_two(1, -growth.token_exponent());
    GrowthPoint point;
    point.reference = {0};
    point.weight.assign(tokens, 0);
    point.weight[0] = -unit_word;
    point.share.assign(tokens, share);
    point.velocity.assign(dimension, 0);
    point.image = point.velocity;
    point.curvature = point.curved = {Interval(0)};
    point.speed = point.step_size = Interval(1);
    // Queries over their power of two have a square of 4^-exponent.
    point.stretch = Interval::between(1, 1, 2 * growth.query_exponent(), 64);
    return growth(gradient_steps, point);
  }
};

}  // namespace

TEST_CASE("the exponential on [0, 1) at many bits is within its error, which grows with its terms") {
  constexpr std::size_t precision = 1 << 13;
  const UnitExponential& function = UnitExponential::at(precision);
  mpfr_t value;
  mpfr_init2(value, precision + 64);
  for (unsigned long k = 1; k <= 5; ++k) {
    const Integer r = power_of_two(precision) * k / 7;
    Integer result, exact;
    function(result, r);
    mpfr_set_z_2exp(value, r.get_mpz_t(), -static_cast<mpfr_exp_t>(precision), MPFR_RNDN);
    mpfr_exp(value, value, MPFR_RNDN);
    mpfr_mul_2si(value, value, precision, MPFR_RNDN);
    mpfr_get_z(exact.get_mpz_t(), value, MPFR_RNDD);
    CHECK(result <= exact + 1);
    CHECK(exact <= result + function.error());
  }
  mpfr_clear(value);
}

TEST_CASE("shares are rounded up") {
  for (const Word total : {Word{3}, Word{7}, unit_word - 1, unit_word / 3}) {
    const std::vector<Word> values = {0, 1, 2, total - 1, total};
    const std::vector<Word> shares = relative_shares(values, total);
    for (std::size_t k = 0; k < values.size(); ++k) {
      CHECK(Integer(shares[k]) * total >= Integer(values[k]) << word_point);
      CHECK(Integer(shares[k] - 1) * total <= Integer(values[k]) << word_point);
    }
  }
}

TEST_CASE("a sum of many words loses a unit with each, and what the words are off by twice") {
  for (const std::size_t count : {2UL, 40UL, 1000UL}) {
    for (const Word error : {Word{0}, Word{1}, Word{5000}}) {
      CAPTURE(count);
      CAPTURE(error);
      // Every product of a share and a word is next to a whole unit from below.
      const Word stored = unit_word - 1 - error, exact = stored + error,
                 share = unit_word / static_cast<Word>(count);
      const std::vector<const Word*> vectors(count, &stored);
      const std::vector<Word> shares(count, share);
      const Word found = largest_scatter_eigenvalue(vectors, shares, 1, error);
      CHECK(covers(found, Integer(count) * Integer(share) * Integer(exact) * Integer(exact)));
    }
  }
}

// One vector with nine equal coordinates: every entry of its matrix is short of almost two units, one by the
// product with the share and one by the sum.
TEST_CASE("the entries of a sum are rounded down once more than its products") {
  constexpr std::size_t dimension = 9;
  for (const auto& [coordinate, share] : {std::pair{Word{1476632831950034}, Word{3775578695192513}},
                                          std::pair{Word{1489938694452062}, Word{4503599626984630}}}) {
    const std::vector<Word> vector(dimension, coordinate);
    const Word found = largest_scatter_eigenvalue({vector.data()}, {share}, dimension, 0);
    CHECK(covers(found, Integer(dimension) * Integer(share) * Integer(coordinate) * Integer(coordinate)));
  }
}

TEST_CASE("centred tokens are as far off as all softmax weights and all coordinates together") {
  // Softmax weights 4 units above their words: x~_0 = -sum s x.
  {
    const OneGroup group{1000, 1, unit_word / 1000, 1};
    Rational x;
    const Interval bound = group.bound(x);
    const Rational mean = 999 * (unit_word / 1000 + 4) * x * scale_by_power_of_two(1, -word_point);
    CHECK(bound.upper() >= 1 + mean * mean);
  }
  // Coordinates almost a unit above their words.
  {
    const OneGroup group{2, 1 << 14, unit_word, 1 - scale_by_power_of_two(1, -57)};
    Rational x;
    const Interval bound = group.bound(x);
    CHECK(bound.upper() >= 1 + (1 << 14) * x * x);
  }
}

namespace {

// Groups in as many dimensions as their tokens need, queries 1: what is given of a token is where it stands,
// in units of one coordinate; the bound of a gd step with this stretch.
struct Token {
  std::size_t coordinate;
  Word weight, share;
};
struct Words {
  std::vector<std::vector<Token>> groups;  // the first token of each, at 0, is the reference
  std::size_t dimension = 1;
  std::vector<Word> velocity;  // of the first group, or none
  Rational curvature;          // of the first group
  std::string query = "1";

  // Over the words' scales: a token's coordinate, and the square of a query.
  Rational coordinate, square;

  Rational bound(Rule rule, const Rational& stretch) {
    std::string x, y, z;
    for (const std::vector<Token>& tokens : groups) {
      const std::string comma = x.empty() ? "" : ",";
      x += comma + "[";
      for (std::size_t t = 0; t < tokens.size(); ++t) {
        x += t > 0 ? ",[" : "[";
        for (std::size_t k = 0; k < dimension; ++k)
          x += std::string(k > 0 ? "," : "") + (t > 0 && tokens[t].coordinate == k ? "1" : "0");
        x += "]";
      }
      x += "]";
      y += comma + "1";
      z += comma + "[\"" + query + "\"]";
    }
    std::string v = "1";
    for (std::size_t k = 1; k < dimension; ++k) v += ",0";
    const Instance instance = read_instance(
        TemporaryFile(R"({"X": [)" + x + R"(], "Y": [)" + y + R"(], "v": [)" + v + R"(], "z": [)" + z + "]}")
            .path());
    const Features features(instance);
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < groups.size(); ++i) active.push_back(i);
    StepGrowth growth(features, active);
    coordinate = scale_by_power_of_two(1, -growth.token_exponent());
    const Rational q(query);
    square = q * q * scale_by_power_of_two(1, -2 * growth.query_exponent());
    GrowthPoint point;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      point.reference.push_back(0);
      for (const Token& token : groups[i]) {
        point.weight.push_back(token.weight);
        point.share.push_back(token.share);
      }
      point.velocity.resize((i + 1) * dimension);
      point.curvature.emplace_back(0);
      point.curved.emplace_back(0);
    }
    point.image = point.velocity;
    if (curvature > 0) {
      std::copy(velocity.begin(), velocity.end(), point.velocity.begin());
      point.curvature[0] = Interval(curvature, 64);
      point.curved[0] = Interval(1 << 20);
    }
    point.speed = point.step_size = Interval(1);
    point.stretch = Interval(stretch, 64);
    return growth(update_rule(rule), point).upper();
  }
};

const Rational word_unit = scale_by_power_of_two(1, -word_point);

}  // namespace

TEST_CASE("weights that are stored as 0 may have either sign") {
  constexpr int tokens = 1000;
  Words words;
  words.groups = {std::vector<Token>(tokens, Token{0, 0, 0})};
  const Rational stretch = scale_by_power_of_two(1, 48);
  const Rational bound = words.bound(Rule::gd, stretch);
  // All of them -2 units, or all of them 2.
  const Rational part =
      stretch * (tokens - 1) * 2 * word_unit * words.coordinate * words.coordinate * words.square;
  CHECK(part > 3);
  CHECK(bound >= 1 + part);
  // Words of 2 units, which stand for up to 4 and never for a negative number.
  for (Token& token : words.groups[0]) token.weight = 2;
  const Rational under =
      stretch * (tokens - 1) * 4 * word_unit * words.coordinate * words.coordinate * words.square;
  CHECK(words.bound(Rule::gd, stretch) >= under - 1);
}

TEST_CASE("the bound of the negative part counts what centred tokens are off by, in each of its ways") {
  constexpr Word share = unit_word / 1000;
  const Rational stretch = 64;
  // The mean of 999 tokens whose softmax weights are 4 units above their words; the first carries omega = 1.
  // The others' weights are negative, or 0 and thus of either sign.
  for (const Word others : {Word{-1000}, Word{0}}) {
    CAPTURE(others);
    Words words;
    words.groups = {std::vector<Token>(1000, Token{0, others, share})};
    words.groups[0][0].weight = unit_word - 1000000;
    const Rational bound = words.bound(Rule::gd, stretch);
    const Rational mean = 999 * (share + 4) * word_unit * words.coordinate;
    CHECK(bound >= stretch * (unit_word - 1000000) * word_unit * mean * mean * words.square - 1);
  }
  // With a second, small group in a direction of its own, whose error is less.
  for (const bool first : {true, false}) {
    CAPTURE(first);
    Words words;
    words.dimension = 2;
    std::vector<Token> large(1000, Token{0, -1000, share}), small = {{1, -1000, 0}, {1, unit_word / 4096, 0}};
    large[0].weight = unit_word - unit_word / 1024;
    words.groups = first ? std::vector{large, small} : std::vector{small, large};
    const Rational bound = words.bound(Rule::gd, stretch);
    const Rational mean = 999 * (share + 4) * word_unit * words.coordinate;
    CHECK(bound >= stretch * (unit_word - unit_word / 1024) * word_unit * mean * mean * words.square - 1);
  }
}

TEST_CASE("the curvature's part is bounded from all that V may be") {
  Words words;
  words.dimension = 1 << 14;
  words.groups = {{{0, 0, 0}, {0, 0, 0}}};
  words.velocity.assign(words.dimension, 0);
  words.velocity[0] = unit_word / 2;
  words.curvature = 1;
  const Rational stretch = 64, bound = words.bound(Rule::gd, stretch);
  const Rational length = (unit_word / 2 + 256) * word_unit;  // within 2 sqrt(dimension) units
  CHECK(bound >= stretch * length * length * words.square - 1);
}

// Two groups that only the losses' curvature moves, the second's query of 4.9 units: what is rounded down in
// its square counts almost in full.
TEST_CASE("the squares of queries are bounded from above") {
  const Rational short_query = Rational(22136, 10000) * scale_by_power_of_two(1, -26),
                 long_query = 1 - scale_by_power_of_two(1, -30);
  const Instance instance =
      read_instance(TemporaryFile(R"({"X": [[[0], [1]], [[0], [1]]], "Y": [1, 1], "v": [1], "z": [[")" +
                                  long_query.get_str() + "\"], [\"" + short_query.get_str() + "\"]]}")
                        .path());
  const Features features(instance);
  StepGrowth growth(features, {0, 1});
  CHECK(growth.query_exponent() == 0);
  GrowthPoint point;
  point.reference = {0, 0};
  point.weight.assign(4, -3);
  point.share.assign(4, 0);
  const Word length = unit_word / 1000 * 995;
  point.velocity = {unit_word / 2, length};
  point.image = {0, 0};
  point.curvature = {Interval(1), Interval(1)};
  point.curved = {Interval(scale_by_power_of_two(1, -30), 64), Interval(1)};
  point.speed = point.step_size = Interval(1);
  const Rational stretch = scale_by_power_of_two(1, 33), second = (length + 2) * word_unit;
  point.stretch = Interval(stretch, 64);
  const Rational under =
      scale_by_power_of_two(1, -30) * long_query * long_query + second * second * short_query * short_query;
  CHECK(growth(update_rule(Rule::gd), point).upper() >= stretch * under - 1);
}

namespace {

// A group of a thousand tokens, all but two of them at -1, the reference at 1, which alone carries omega =
// -1: x~ of the reference is their mean turned round, along the first of two coordinates.
struct Turning {
  static constexpr std::size_t tokens = 1000;
  static constexpr Word share = unit_word / 1000;
  GrowthPoint point;

  Turning() {
    point.reference = {1};
    point.weight.assign(tokens, 0);
    point.weight[1] = -unit_word;
    point.share.assign(tokens, share);
    point.share[0] = 0;
    point.velocity = {0, unit_word};
    point.image = {unit_word, 0};
    point.curvature = point.curved = {Interval(0)};
    point.stretch = point.step_size = Interval(1);
  }
  // The largest length of DV[V]: every softmax weight may be 4 units more.
  static Rational length() {
    const Rational mean = (tokens - 2) * (share + 4) * word_unit;
    return mean * mean;
  }
  Rational bound(Rule rule) const {
    std::string text = R"({"X": [[[0, 0], [1, 0])";
    for (std::size_t t = 2; t < tokens; ++t) text += ", [-1, 0]";
    const Instance instance =
        read_instance(TemporaryFile(text + R"(]], "Y": [1], "v": [1, 0], "z": [[1]]})").path());
    const Features features(instance);
    StepGrowth growth(features, {0});
    CHECK(growth.token_exponent() == 1);
    CHECK(growth.query_exponent() == 0);
    return growth(update_rule(rule), point).upper();
  }
};

}  // namespace

TEST_CASE("what a step turns by counts all that its words may be off by") {
  Turning at;
  at.point.speed = Interval(scale_by_power_of_two(1, -40), 64);
  CHECK(at.bound(Rule::ngd) >= Turning::length() * scale_by_power_of_two(1, 40));
  // And all that the step's factor may be.
  at.point.stretch = Interval::hull(Interval(1), Interval(4));
  CHECK(at.bound(Rule::ngd) >= 4 * Turning::length() * scale_by_power_of_two(1, 40));
  // A velocity along DV[V].
  Turning along;
  along.point.velocity = {unit_word, 0};
  along.point.speed = Interval(scale_by_power_of_two(1, -24), 64);
  CHECK(along.bound(Rule::polyak) >= Turning::length() * scale_by_power_of_two(1, 48) - 2);
}

TEST_CASE("a curvature that is not known to a few units is refused") {
  Turning at;
  at.point.velocity = at.point.image = {unit_word / 2, 0};
  at.point.speed = Interval(1);
  at.point.curved = {Interval(2)};
  at.point.curvature = {Interval(1)};
  CHECK_NOTHROW(at.bound(Rule::ngd));
  at.point.curvature = {Interval::hull(Interval(1), Interval(2))};
  CHECK_THROWS_AS(at.bound(Rule::ngd), Imprecise);
}

// Two groups under orthogonal queries, of which only the first bends, too little for the words.
TEST_CASE("a curvature that is left out counts as an error") {
  const Instance instance =
      read_instance(TemporaryFile(R"({"X": [[[0], [1]], [[0], [1]]], "Y": [1, 1], "v": [1],)"
                                  R"( "z": [[1, 0], [0, 1]]})")
                        .path());
  const Features features(instance);
  StepGrowth growth(features, {0, 1});
  GrowthPoint point;
  point.reference = {0, 0};
  point.weight.assign(4, 0);
  point.share.assign(4, 0);
  point.velocity = point.image = {unit_word / 2, unit_word / 2};
  const Rational small = scale_by_power_of_two(1, -24);
  point.curvature = {Interval(small, 64), Interval(0)};
  point.curved = point.curvature;
  point.stretch = point.step_size = Interval(1);
  point.speed = Interval(scale_by_power_of_two(1, -60), 64);
  // DV[V] is (-small/8, 0), and V is (1, 1)/2.
  CHECK(growth(update_rule(Rule::ngd), point).upper() >= small / 16 * scale_by_power_of_two(1, 60));
}

// Hundreds of groups under the same query, of dimensions enough for the matrix of their products: every entry
// is short of almost two units, which is more than all other roundings add.
TEST_CASE("the matrix of all groups counts what each of its entries is short of" *
          doctest::test_suite("long")) {
  constexpr std::size_t count = 453, dimension = 227;
  constexpr Word weight = 9941720501945;
  const Rational query(Integer(unit_word - 2069199640100016), Integer(unit_word));
  std::string x, y, z, rest;
  for (std::size_t k = 1; k < dimension; ++k) rest += ",0";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    x += comma + "[[0],[1]]";
    y += comma + "1";
    z.append(comma).append("[\"").append(query.get_str()).append("\"").append(rest).append("]");
  }
  const Instance instance = read_instance(
      TemporaryFile(R"({"X": [)" + x + R"(], "Y": [)" + y + R"(], "v": [1], "z": [)" + z + "]}").path());
  const Features features(instance);
  GrowthPoint point;
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < count; ++i) {
    active.push_back(i);
    point.weight.insert(point.weight.end(), {3, -weight});
  }
  StepGrowth growth(features, active);
  CHECK(growth.token_exponent() == 1);
  CHECK(growth.query_exponent() == 0);
  point.reference.assign(count, 0);
  point.share.assign(2 * count, 0);
  point.velocity.assign(count, 0);
  point.image = point.velocity;
  point.curvature.assign(count, Interval(0));
  point.curved = point.curvature;
  const Rational stretch = 64;
  point.stretch = Interval(stretch, 64);
  point.speed = point.step_size = Interval(1);
  // An omega may be 2 units more than its word; the tokens are 1/2 apart.
  const Rational above = count * (weight + 2) * word_unit * query * query / 4;
  CHECK(growth(gradient_steps, point).upper() >= 1 + stretch * above);
}

TEST_CASE("tokens too small to be counted one by one are counted together") {
  Words words;
  words.groups = {std::vector<Token>(4002, Token{0, unit_word >> 22, 0})};
  words.groups[0][0].weight = 0;
  words.groups[0][1].weight = unit_word / 2;
  const Rational stretch = 64, bound = words.bound(Rule::gd, stretch);
  const Rational mass = Rational(1, 2) + 4000 * scale_by_power_of_two(1, -22);
  CHECK(bound >= stretch * mass * words.coordinate * words.coordinate * words.square - 1);
}
