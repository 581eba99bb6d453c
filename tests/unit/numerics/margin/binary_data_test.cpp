// Data in the precision they came in: every reading of an array is its exact value.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "numerics/numbers/dyadic.hpp"
#include "numerics/numbers/exact_array.hpp"
#include "numerics/numbers/integer_matrix.hpp"

namespace attest {
namespace {

// Numbers of every size that the format has, subnormal ones and both zeros among them.
template <class Number>
std::vector<Number> numbers_of_all_sizes() {
  std::mt19937_64 random(7);
  const int most = std::numeric_limits<Number>::max_exponent;
  const int least = std::numeric_limits<Number>::min_exponent - std::numeric_limits<Number>::digits;
  std::vector<Number> values{Number(0), -Number(0), std::numeric_limits<Number>::max(),
                             std::numeric_limits<Number>::denorm_min()};
  while (values.size() < 96) {
    const auto fraction = static_cast<Number>(std::ldexp(static_cast<double>(random() >> 11), -53) - 0.5);
    const int span = most - least;
    values.push_back(std::ldexp(fraction, least + static_cast<int>(random() % static_cast<unsigned>(span))));
  }
  return values;
}

template <class Number>
void check_every_reading() {
  const std::vector<Number> values = numbers_of_all_sizes<Number>();
  // At an odd address, as members of archives are.
  const auto bytes = std::make_shared<std::string>(1, ' ');
  bytes->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
  const BinaryArray lying =
      BinaryArray::in(std::string_view(*bytes).substr(1), BinaryArray::Precision{sizeof(Number)}, bytes);
  const ExactArray array = ExactArray::from_binary(lying);
  CHECK(array == ExactArray::from_binary64({values.begin(), values.end()}));
  CHECK(!std::signbit(array.binary64()[1]));
  const IntegerMatrix integers(array, 8);
  for (std::size_t k = 0; k < values.size(); ++k) {
    CHECK(array.exact(k) == Rational(static_cast<double>(values[k])));
    Integer sum = 0;
    for (std::size_t plane = integers.planes(); plane-- > 0;)
      sum = (sum << 64) + Integer(integers.magnitude(k / 8, k % 8, plane));
    const Rational magnitude = Rational(sum) * power_of_two(-static_cast<long>(integers.padding()));
    CHECK(denominator(magnitude) == 1);
    CHECK((integers.negative(k / 8, k % 8) ? -1 : 1) * magnitude * integers.scale() == array.exact(k));
  }
  const std::vector<std::pair<std::size_t, std::size_t>> ranges{{90, 96}, {3, 3}, {0, 2}};
  const ExactArray part = array.ranges(ranges);
  REQUIRE(part.size() == 8);
  CHECK(part.binary64().precision() == lying.precision());
  for (std::size_t k = 0; k < 8; ++k) CHECK(part.exact(k) == array.exact(k < 6 ? 90 + k : k - 6));
}

TEST_CASE("binary32 data are read where they lie") {
  check_every_reading<float>();
}

TEST_CASE("binary64 data are read where they lie") {
  check_every_reading<double>();
}

TEST_CASE("arrays of either precision and of rationals are equal when their numbers are") {
  const ExactArray narrow = ExactArray::from_binary(BinaryArray::of(std::vector<float>{0.5F, -3}));
  CHECK(narrow == ExactArray::from_rationals({Rational(1, 2), -3}));
  CHECK(!(narrow == ExactArray::from_rationals({Rational(1, 3), -3})));
  CHECK(!(narrow == ExactArray::from_binary64({0.5, -3, 0})));
  const ExactArray thirds = ExactArray::from_rationals({Rational(1, 3), 1, 2});
  const std::vector<std::pair<std::size_t, std::size_t>> whole{{1, 3}};
  CHECK(thirds.ranges(whole) == ExactArray::from_binary64({1, 2}));
}

}  // namespace
}  // namespace attest
