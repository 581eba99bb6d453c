// How many bits a run is tried with: what a failed attempt teaches, when more bits do not help, and when
// fewer do.
#include "numerics/runs/precision.hpp"

#include <doctest/doctest.h>

using namespace attest;

namespace {

RunAttempt failed_at(std::uint64_t step, double amplification_bits, bool sharp = true) {
  RunAttempt attempt;
  attempt.ending = RunEnding::precision;
  attempt.step = step;
  attempt.amplification_bits = amplification_bits;
  attempt.sharp = sharp;
  return attempt;
}

long fraction_bits(const RunPrecision& precision) {
  return precision.format()->fraction_bits;
}

}  // namespace

TEST_CASE("the first attempt has the bits wanted and some more, whole words in all") {
  const RunPrecision chosen(100, 0, nullptr);
  CHECK_FALSE(chosen.is_fixed());
  CHECK(fraction_bits(chosen) >= 152);
  CHECK((chosen.format()->fraction_bits + chosen.format()->integer_bits()) % 64 == 0);
  const RunPrecision fixed(100, 40, nullptr);
  CHECK(fixed.is_fixed());
  CHECK(fraction_bits(fixed) < 100);
  const FixedFormat format = *chosen.format();
  CHECK(fraction_bits(RunPrecision(20, 0, &format)) == format.fraction_bits);  // as the run that goes on
}

TEST_CASE("a failed attempt predicts what the whole run takes, within bounds") {
  RunPrecision little(100, 0, nullptr);
  const long had = fraction_bits(little);
  CHECK(little.refine(failed_at(100, 1), 200));
  CHECK(fraction_bits(little) >= had + 64);  // a word at least
  CHECK(fraction_bits(little) < 2 * had);
  RunPrecision much(100, 0, nullptr);
  CHECK(much.refine(failed_at(10, 500), 1000000));
  CHECK(fraction_bits(much) >= 4 * had);
  CHECK(fraction_bits(much) < 4 * had + 64);
}

TEST_CASE("a step that fails sharply twice fails with any precision") {
  RunPrecision precision(100, 0, nullptr);
  CHECK(precision.refine(failed_at(7, 3), 100));
  CHECK_FALSE(precision.refine(failed_at(7, 3), 100));
  RunPrecision blurred(100, 0, nullptr);
  CHECK(blurred.refine(failed_at(7, 3, false), 100));
  CHECK(blurred.refine(failed_at(7, 3, false), 100));
  CHECK(blurred.refine(failed_at(7, 3), 100));
  CHECK_FALSE(blurred.refine(failed_at(7, 3), 100));
}

TEST_CASE("a wider range doubles the integer bits; there is an end to all bits") {
  RunPrecision precision(100, 0, nullptr);
  const FixedFormat before = *precision.format();
  precision.widen();
  CHECK(precision.format()->integer_bits() == 2 * before.integer_bits());
  CHECK(precision.format()->fraction_bits >= before.fraction_bits);
  for (int k = 0; k < 40 && precision.format(); ++k) precision.widen();
  CHECK_FALSE(precision.format());
}

TEST_CASE("room for the coordinates that a pilot saw, but not in a run that goes on with others' numbers") {
  RunPrecision precision(100, 0, nullptr);
  precision.make_room(0);
  precision.make_room(0x1p22);
  CHECK(precision.format()->integer_bits() == 32);
  precision.make_room(0x1p23);
  CHECK(precision.format()->integer_bits() == 64);
  precision.make_room(1.7e308);
  CHECK((!precision.format() || precision.format()->integer_bits() == 2048));
  const FixedFormat other{3, 160};
  RunPrecision resumed(100, 0, &other);
  resumed.make_room(1e30);
  CHECK(resumed.format()->integer_bits() == 32);
}

TEST_CASE("errors that grow early take bits early; bits are never added on the way") {
  GrowthProfile growth;
  for (const std::uint64_t t : {0, 100, 200, 201, 1000}) growth.sample(t, t <= 200 ? 2.0 : 0.0);
  CHECK(growth.until(0) == 0);
  CHECK(growth.until(100) == doctest::Approx(200));
  CHECK(growth.until(150) == doctest::Approx(300));
  CHECK(growth.until(5000) == doctest::Approx(401));
  RunPrecision precision(100, 0, nullptr);
  precision.expect(growth, 2000, 0);
  CHECK(fraction_bits(precision) >= 100 + 401 + 28);
  CHECK(precision.format_at(0) == *precision.format());
  for (std::uint64_t t = 1; t < 2000; ++t) {
    const FixedFormat before = precision.format_at(t - 1), now = precision.format_at(t);
    CHECK(now.limbs <= before.limbs);
    if (now.limbs != before.limbs) CHECK(t % RunPrecision::stretch == 0);
  }
  CHECK(precision.format_at(1999).fraction_bits < 100 + 52 + 64);
  const long planned = fraction_bits(precision);
  CHECK(precision.refine(failed_at(50, 200), 2000));  // a failure moves the whole plan
  CHECK(fraction_bits(precision) > planned);
  CHECK(precision.format_at(1999).fraction_bits >= 100 + 52 + 64);
}

TEST_CASE("growth beyond all numbers is not believed") {
  GrowthProfile growth;
  growth.sample(0, 500);
  growth.sample(1000, 500);
  RunPrecision precision(100, 0, nullptr);
  precision.expect(growth, 1000, 0);
  CHECK(fraction_bits(precision) < 100 + 52 + 64);
  CHECK(precision.format_at(500) == *precision.format());
}

TEST_CASE("a run that goes on follows the plan it began with, or keeps its bits") {
  GrowthProfile growth;
  growth.sample(0, 1);
  growth.sample(1000, 0);
  RunPrecision whole(100, 0, nullptr);
  whole.expect(growth, 1000, 0);
  const FixedFormat there = whole.format_at(700);
  RunPrecision resumed(100, 0, &there);
  resumed.expect(growth, 1000, 700);
  CHECK(resumed.format_at(700) == there);
  CHECK(resumed.format_at(999) == whole.format_at(999));
  const FixedFormat other{there.limbs + 3, there.fraction_bits + 192};
  RunPrecision kept(100, 0, &other);
  kept.expect(growth, 1000, 700);
  CHECK(kept.format_at(700) == other);
  CHECK(kept.format_at(999) == other);
}

TEST_CASE("steps that take many bits each get room for a few more of them, and the last attempt all bits") {
  GrowthProfile even, uneven;
  for (std::uint64_t t = 0; t < 100; ++t) {
    even.sample(t, 2);
    uneven.sample(t, t % 4 == 0 ? 32 : 0);
  }
  CHECK(uneven.most_from(0) == 32);
  CHECK(even.most_from(99) == 2);
  RunPrecision calm(100, 0, nullptr), rough(100, 0, nullptr);
  calm.expect(even, 100, 0);
  rough.expect(uneven, 100, 0);
  CHECK(rough.format_at(64).fraction_bits >= calm.format_at(64).fraction_bits + 112);
  RunPrecision precision(100, 0, nullptr);
  while (fraction_bits(precision) < 3500) CHECK(precision.refine(failed_at(100, 3396, false), 100));
  CHECK(fraction_bits(precision) < 3700);
  CHECK(precision.refine(failed_at(100, 3396, false), 100));
  REQUIRE(precision.format());
  CHECK(precision.format()->limbs == max_fixed_limbs);
}
