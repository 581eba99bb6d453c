// How many bits a run is tried with: what a failed attempt teaches, and when more bits do not help.
#include "numerics/runs/run_precision.hpp"

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
