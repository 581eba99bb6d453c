// Every fixed-point kernel against exact integers: stated error, range reports, aliasing.
#include "numerics/numbers/fixed_point.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "numerics/numbers/word_matrix.hpp"

using namespace attest;

namespace {

// The number as an exact integer count of ulps.
Integer ulps(const Limb* a, const FixedFormat& format) {
  Integer value = 0;
  for (std::size_t k = format.limbs; k-- > 0;) value = (value << 64) + Integer(a[k]);
  if (fixed_is_negative(a, format.limbs)) value -= Integer(1) << (64 * format.limbs);
  return value;
}

Integer floor_shift(const Integer& value, long shift) {
  mpz_t r;
  mpz_init(r);
  if (shift >= 0) {
    mpz_fdiv_q_2exp(r, value.backend().data(), static_cast<mp_bitcnt_t>(shift));
  } else {
    mpz_mul_2exp(r, value.backend().data(), static_cast<mp_bitcnt_t>(-shift));
  }
  Integer result(r);
  mpz_clear(r);
  return result;
}

bool fits(const Integer& value, const FixedFormat& format) {
  const Integer bound = Integer(1) << (64 * format.limbs - 1);
  return value >= -bound && value < bound;
}

class Source {
 public:
  explicit Source(unsigned seed) : random_(seed) {}
  // Random words with long runs of zeros and ones, small and large magnitudes, the extremes included.
  void fill(Limb* a, std::size_t limbs) {
    const unsigned kind = static_cast<unsigned>(random_() % 8);
    for (std::size_t k = 0; k < limbs; ++k) {
      const unsigned word = static_cast<unsigned>(random_() % 4);
      a[k] = word == 0 ? 0 : word == 1 ? ~Limb{0} : random_();
    }
    if (kind == 0) std::fill(a, a + limbs, 0);
    if (kind == 1) std::fill(a, a + limbs, ~Limb{0});
    if (kind == 2) {
      std::fill(a, a + limbs, 0);
      a[limbs - 1] = Limb{1} << 63;
    }
    if (kind >= 4) {  // sign-extended small number
      const std::size_t top = random_() % limbs;
      const Limb sign = random_() % 2 == 0 ? 0 : ~Limb{0};
      for (std::size_t k = top; k < limbs; ++k) a[k] = k == top && limbs > 1 && k + 1 < limbs ? a[k] : sign;
    }
  }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

const std::size_t limb_counts[] = {1, 2, 3, 4, 5, 8, 9, 13};

}  // namespace

TEST_CASE("products are floors of exact products, also in place") {
  Source source(1);
  for (const std::size_t limbs : limb_counts) {
    const FixedFormat format{limbs, static_cast<long>(64 * limbs) - 20};
    FixedVector v(format, 3);
    for (int round = 0; round < 400; ++round) {
      source.fill(v[0], limbs);
      source.fill(v[1], limbs);
      const long shift = static_cast<long>(source.random()() % 90) - 60;
      const Integer a = ulps(v[0], format), b = ulps(v[1], format);
      const Integer expected = floor_shift(a * b, format.fraction_bits - shift);
      const bool ok = fixed_multiply(v[2], v[0], v[1], format, shift);
      REQUIRE(ok == fits(expected, format));
      if (ok) {
        REQUIRE(ulps(v[2], format) == expected);
        FixedVector copy = v;
        REQUIRE(fixed_multiply(copy[0], copy[0], copy[1], format, shift));
        REQUIRE(ulps(copy[0], format) == expected);
        copy = v;
        REQUIRE(fixed_multiply(copy[1], copy[0], copy[1], format, shift));
        REQUIRE(ulps(copy[1], format) == expected);
      }
      const Integer square = floor_shift(a * a, format.fraction_bits - shift);
      FixedVector copy = v;
      REQUIRE(fixed_multiply(copy[0], copy[0], copy[0], format, shift) == fits(square, format));
      if (fits(square, format)) REQUIRE(ulps(copy[0], format) == square);
      REQUIRE(fixed_compare(v[0], v[1], limbs) == (a < b ? -1 : a > b ? 1 : 0));
      if (fits(a + b, format)) {
        fixed_add(copy[2], v[0], v[1], limbs);
        REQUIRE(ulps(copy[2], format) == a + b);
      }
      if (fits(a - b, format)) {
        copy = v;
        fixed_subtract(copy[0], copy[0], copy[1], limbs);
        REQUIRE(ulps(copy[0], format) == a - b);
      }
    }
  }
}

TEST_CASE("products scaled beyond the format are refused at once") {
  const FixedFormat format{3, 160};
  for (const int sign : {1, -1}) {
    FixedVector v(format, 2);
    fixed_from_rational(v[0], Rational(sign), format);
    fixed_from_rational(v[1], Rational(1, 3), format);
    CHECK_FALSE(fixed_multiply(v[1], v[0], v[1], format, 1L << 46));
    REQUIRE(fixed_multiply(v[0], v[0], v[0], format, -(1L << 46)));
    CHECK(fixed_is_zero(v[0], format.limbs));
  }
}

TEST_CASE("product sums are exact") {
  Source source(2);
  for (const std::size_t limbs : limb_counts) {
    const FixedFormat format{limbs, static_cast<long>(64 * limbs) - 31};
    FixedVector v(format, 2);
    ProductSum sum(format);
    Integer expected = 0;
    for (int round = 0; round < 100; ++round) {
      source.fill(v[0], limbs);
      source.fill(v[1], limbs);
      sum.add(v[0], v[1]);
      expected += ulps(v[0], format) * ulps(v[1], format);
    }
    WorkingBall ball;
    sum.get(ball);
    REQUIRE(arb_is_exact(ball));
    fmpz_t integer;
    fmpz_init(integer);
    arb_mul_2exp_si(ball, ball, 2 * format.fraction_bits);
    REQUIRE(arb_get_unique_fmpz(integer, ball) != 0);
    Integer got;
    fmpz_get_mpz(got.backend().data(), integer);
    fmpz_clear(integer);
    REQUIRE(got == expected);
  }
}

TEST_CASE("conversions from balls and rationals enclose, to balls are exact, to double are within 2^-52") {
  Source source(3);
  for (const std::size_t limbs : limb_counts) {
    const FixedFormat format{limbs, static_cast<long>(64 * limbs) - 13};
    FixedVector v(format, 2);
    for (int round = 0; round < 500; ++round) {
      source.fill(v[0], limbs);
      const Integer a = ulps(v[0], format);
      if (-a == Integer(1) << (64 * limbs - 1)) continue;  // the one magnitude outside the documented range
      WorkingBall ball;
      fixed_to_arb(ball, v[0], format);
      REQUIRE(arb_is_exact(ball));
      REQUIRE(fixed_from_arb(v[1], ball, format) == 1);
      REQUIRE(ulps(v[1], format) == a);
      const double guess = fixed_to_double(v[0], format);
      const Rational exact(a, Integer(1) << static_cast<unsigned>(format.fraction_bits));
      const Rational error = abs(Rational(guess) - exact);
      REQUIRE(error * (Integer(1) << 52) <= abs(exact));
      bool was_exact = false;
      REQUIRE(fixed_from_rational(v[1], exact, format, &was_exact));
      REQUIRE(was_exact);
      REQUIRE(ulps(v[1], format) == a);

      // A ball with a midpoint finer than the ulp and a radius: every point within the stated error.
      const long extra = static_cast<long>(source.random()() % 200);
      const Integer fine = (a << static_cast<unsigned>(extra)) + Integer(source.random()() % 1000) - 500;
      fmpz_t integer;
      fmpz_init(integer);
      fmpz_set_mpz(integer, fine.backend().data());
      arb_set_fmpz(ball, integer);
      fmpz_clear(integer);
      arb_mul_2exp_si(ball, ball, -extra - format.fraction_bits);
      const double radius = static_cast<double>(source.random()() % 1000);
      mag_set_d(arb_radref(static_cast<arb_ptr>(ball)), radius);
      mag_mul_2exp_si(arb_radref(static_cast<arb_ptr>(ball)), arb_radref(static_cast<arb_ptr>(ball)),
                      -format.fraction_bits);
      const double stated = fixed_from_arb(v[1], ball, format);
      const Integer floor = floor_shift(fine, extra);
      REQUIRE((stated >= 0) == fits(floor, format));
      if (stated >= 0) {
        REQUIRE(ulps(v[1], format) == floor);
        REQUIRE(stated >= radius + 1 - 1e-9);
        REQUIRE(stated <= radius * (1 + 1e-6) + 1.001);
      }
    }
  }
}

TEST_CASE("word matrices: dot products are floors of exact ones, for any exponent spread") {
  Source source(4);
  std::mt19937_64& random = source.random();
  for (const std::size_t limbs : limb_counts) {
    const FixedFormat format{limbs, static_cast<long>(64 * limbs) - 24};
    for (int kind = 0; kind < 6; ++kind) {
      const std::size_t rows = 6, columns = 1 + random() % (kind == 1 ? 200 : 12);
      std::vector<Rational> entries;
      for (std::size_t k = 0; k < rows * columns; ++k) {
        const double mantissa = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -64);
        int exponent = 0;
        if (kind == 1) exponent = -static_cast<int>(random() % 12);
        if (kind == 2) exponent = -static_cast<int>(random() % 200);
        if (kind == 3) exponent = static_cast<int>(random() % 70);
        Rational x(std::ldexp(mantissa, exponent));
        if (kind == 4) x = Rational(static_cast<int>(random() % 3) - 1);
        if (kind == 5)
          x = Rational(static_cast<int>(random() % 200) - 100, 1 + static_cast<int>(random() % 99));
        entries.push_back(x);
      }
      const std::size_t planes = 5;
      const WordMatrix matrix(rows, columns, entries, planes);
      if (kind <= 4) REQUIRE(matrix.truncation() == 0);
      if (kind == 5) REQUIRE(matrix.truncation() <= std::ldexp(1.0, -300));
      FixedVector a(format, columns), r(format, 1);
      Integer sum = 0;
      for (std::size_t k = 0; k < columns; ++k) {
        source.fill(a[k], limbs);
        if (random() % 2 == 0) a[k][limbs - 1] = random() % 2 == 0 ? 3 : ~Limb{2};
      }
      FixedOperand operand;
      operand.prepare(format, a[0], columns, limbs);
      for (std::size_t row = 0; row < rows; ++row) {
        Rational exact = 0;
        double absolute = 0, row_sum = 0;
        for (std::size_t k = 0; k < columns; ++k) {
          exact += entries[row * columns + k] * Rational(ulps(a[k], format));
          absolute += std::abs(fixed_to_double(a[k], format));
          row_sum += std::abs(static_cast<double>(entries[row * columns + k]));
        }
        REQUIRE(matrix.row_sum(row) >= row_sum * (1 - 1e-15));
        const bool ok = matrix.dots(r[0], limbs, row, 1, operand);
        const Integer floor =
            floor_shift(numerator(exact) / 1, 0) / denominator(exact);  // for the range only
        if (ok) {
          const Rational error = exact - Rational(ulps(r[0], format));
          if (matrix.truncation() == 0) {
            REQUIRE(error >= 0);
            REQUIRE(error < 1);
          } else {
            const double allowed =
                1 + std::ldexp(matrix.truncation() * absolute, static_cast<int>(format.fraction_bits)) *
                        (1 + 1e-12);
            REQUIRE(abs(error) <= Rational(allowed));
          }
        } else {
          const Integer bound = Integer(1) << (64 * limbs - 1);
          REQUIRE(abs(floor) >= bound - 1);
        }
      }
      // Several rows from any one on, into places apart.
      const std::size_t first = random() % rows;
      FixedVector several(format, 2 * rows);
      if (!matrix.dots(several[0], 2 * limbs, first, rows - first, operand)) continue;
      for (std::size_t row = first; row < rows; ++row) {
        REQUIRE(matrix.dots(r[0], limbs, row, 1, operand));
        REQUIRE(std::equal(r[0], r[0] + limbs, several[2 * (row - first)]));
      }
    }
  }
}

TEST_CASE("operands may be strided") {
  const FixedFormat format{2, 100};
  FixedVector a(format, 6);
  for (std::size_t k = 0; k < 6; ++k) a[k][0] = 1000 * k + 7, a[k][1] = k % 2 == 0 ? k : ~Limb{0} - k;
  std::vector<Rational> entries{Rational(3), Rational(-5, 8), Rational(7)};
  const WordMatrix matrix(1, 3, entries, 2);
  FixedOperand operand;
  operand.prepare(format, a[1], 3, 2 * format.limbs);
  FixedVector r(format, 1);
  REQUIRE(matrix.dots(r[0], 2, 0, 1, operand));
  const Rational exact = Rational(ulps(a[1], format)) * 3 - Rational(ulps(a[3], format)) * 5 / 8 +
                         Rational(ulps(a[5], format)) * 7;
  const Rational error = exact - Rational(ulps(r[0], format));
  CHECK(error >= 0);
  CHECK(error < 1);
}
