// Error counts that only large sizes use up: the exponential at many bits, sums of many rounded words, groups
// of many tokens and of many dimensions.
#include <doctest/doctest.h>
#include <mpfr.h>

#include "proofs/checker/base/exponential.hpp"
#include "proofs/checker/runs/step_growth.hpp"
#include "tests/checker/files.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

constexpr Word one = Word{1} << word_point;

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
    point.weight[0] = -one;
    point.share.assign(tokens, share);
    point.velocity.assign(dimension, 0);
    point.image = point.velocity;
    point.curvature = point.curved = {Interval(0)};
    point.speed = point.step_size = Interval(1);
    // Queries over their power of two have a square of 4^-exponent.
    point.stretch = Interval::between(1, 1, 2 * growth.query_exponent(), 64);
    return growth(Rule::gd, point);
  }
};

}  // namespace

TEST_CASE("the exponential on [0, 1) at many bits is within its error, which grows with its terms") {
  constexpr std::size_t precision = 1 << 13;
  UnitExponential& function = UnitExponential::at(precision);
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
  for (const Word total : {Word{3}, Word{7}, one - 1, one / 3}) {
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
      const Word stored = one - 1 - error, exact = stored + error, share = one / static_cast<Word>(count);
      const std::vector<const Word*> vectors(count, &stored);
      const std::vector<Word> shares(count, share);
      const Word found = largest_scatter_eigenvalue(vectors, shares, 1, error);
      CHECK(covers(found, Integer(count) * Integer(share) * Integer(exact) * Integer(exact)));
    }
  }
}

TEST_CASE("centred tokens are as far off as all softmax weights and all coordinates together") {
  // Softmax weights 4 units above their words: x~_0 = -sum s x.
  {
    const OneGroup group{1000, 1, one / 1000, 1};
    Rational x;
    const Interval bound = group.bound(x);
    const Rational mean = 999 * (one / 1000 + 4) * x * scale_by_power_of_two(1, -word_point);
    CHECK(bound.upper() >= 1 + mean * mean);
  }
  // Coordinates almost a unit above their words.
  {
    const OneGroup group{2, 1 << 14, one, 1 - scale_by_power_of_two(1, -57)};
    Rational x;
    const Interval bound = group.bound(x);
    CHECK(bound.upper() >= 1 + (1 << 14) * x * x);
  }
}
