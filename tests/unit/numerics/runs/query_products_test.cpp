// Images under products of queries: with a Gram matrix and without one, against exact sums, in runs and for
// margins.
#include "numerics/runs/query_products.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "numerics/forever/group_images.hpp"
#include "numerics/runs/validated_run.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using attest_test::gaussian_instance;

namespace {

Rational exactly(const Limb* a, const FixedFormat& format) {
  WorkingBall ball;
  fixed_to_arb(ball, a, format);
  Rational value = 0;
  fmpq_t fraction;
  fmpq_init(fraction);
  arf_get_fmpq(fraction, arb_midref(static_cast<arb_srcptr>(ball)));
  fmpq_get_mpq(value.backend().data(), fraction);
  fmpq_clear(fraction);
  return value;
}

// The largest |image - its exact value| / error over all images of random coordinates.
double worst_share(const std::vector<Rational>& queries, std::size_t groups, std::size_t dimension,
                   std::size_t planes, std::size_t most_kept, std::mt19937_64& random) {
  const QueryProducts products(groups, dimension, queries, planes, most_kept, Budget());
  CHECK(products.kept() == (groups <= most_kept));
  const FixedFormat format{3, 160};
  constexpr std::size_t columns = 3;
  FixedVector a(format, groups * columns), images = a;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Rational value(static_cast<long>(random() % 2000001) - 1000000,
                         static_cast<long>(random() % 900 + 1));
    REQUIRE(fixed_from_rational(a[k], value / 1000, format));
  }
  double error = 0;
  REQUIRE(products.images(a, columns, images, error, nullptr));
  const auto dot = [&](std::size_t i, std::size_t k) {
    Rational sum = 0;
    for (std::size_t j = 0; j < dimension; ++j)
      sum += queries[i * dimension + j] * queries[k * dimension + j];
    return sum;
  };
  double worst = 0;
  for (std::size_t i = 0; i < groups; ++i) {
    Rational row = 0;
    for (std::size_t k = 0; k < groups; ++k) row += abs(dot(i, k));
    CHECK(row <= Rational(products.row_sum()));
    for (std::size_t j = 0; j < columns; ++j) {
      Rational sum = -exactly(images[i * columns + j], format);
      for (std::size_t k = 0; k < groups; ++k) sum += dot(i, k) * exactly(a[k * columns + j], format);
      const Rational off = abs(sum) * Rational(Integer(1) << 160);
      worst = std::max(worst, off.convert_to<double>() / error);
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("images are within their error, from a Gram matrix and from the queries") {
  std::mt19937_64 random(5);
  for (const std::size_t planes : {1, 4}) {
    for (const bool dyadic : {true, false}) {
      std::vector<Rational> queries;
      for (std::size_t k = 0; k < 60; ++k)
        queries.emplace_back(static_cast<long>(random() % 20001) - 10000, dyadic ? 4096 : 4097);
      CHECK(worst_share(queries, 12, 5, planes, 12, random) <= 1);
      CHECK(worst_share(queries, 12, 5, planes, 11, random) <= 1);
    }
  }
}

TEST_CASE("a run without a Gram matrix encloses the same iterates") {
  const TokenData data = gaussian_instance(std::vector<std::size_t>(9, 5), 6, 4, 21);
  const RunGeometry with(data, 4, Budget(), 9), without(data, 4, Budget(), 0);
  CHECK(with.products.kept());
  CHECK_FALSE(without.products.kept());
  CHECK(without.gram_norm >= with.gram_norm * (1 - 1e-9));
  CHECK(without.gram_row_sum >= with.gram_row_sum * (1 - 1e-9));
  OptimizerSpec spec;
  spec.rule = update_rule("ngd");
  spec.step = Rational(1, 10);
  RunOptions options;
  options.steps = 300;
  const RunOutcome one = validated_run(with, spec, {}, options),
                   two = validated_run(without, spec, {}, options);
  REQUIRE(one.verdict == RunVerdict::complete);
  REQUIRE(two.verdict == RunVerdict::complete);
  CHECK(two.record.correct_bits >= 100);
  REQUIRE(one.record.checkpoints.size() == two.record.checkpoints.size());
  for (std::size_t k = 0; k < one.record.checkpoints.size(); ++k) {
    const RunPoint &first = one.record.checkpoints[k], &second = two.record.checkpoints[k];
    CHECK(overlap(first.norm, second.norm));
    CHECK(overlap(first.loss_gap, second.loss_gap));
    CHECK(overlap(first.gradient_norm, second.gradient_norm));
    if (first.step > 0) CHECK(overlap(first.one_minus_corr, second.one_minus_corr));
  }
}

TEST_CASE("margins of coordinates without a Gram matrix") {
  const TokenData data = gaussian_instance(std::vector<std::size_t>(7, 4), 5, 3, 22);
  const RunGeometry with(data, 4, Budget(), 9), without(data, 4, Budget(), 0);
  std::mt19937_64 random(6);
  std::vector<Rational> coordinates;
  for (std::size_t k = 0; k < 35; ++k) coordinates.emplace_back(static_cast<long>(random() % 999) - 499, 77);
  const GroupImages one(with, coordinates), two(without, coordinates);
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t t = 1; t < 4; ++t) CHECK(overlap(one.margin(i, 0, t), two.margin(i, 0, t)));
  }
  CHECK(overlap(one.inner_product(coordinates), two.inner_product(coordinates)));
}
