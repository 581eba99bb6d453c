// The Jacobian bound against the true norm, on runs of every rule.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "numerics/numbers/decompositions.hpp"
#include "numerics/runs/descent.hpp"
#include "numerics/runs/gradient_step.hpp"
#include "tests/unit/numerics/runs/dense_run.hpp"

using namespace attest;
using attest_test::aimed;
using attest_test::counted_instance;
using attest_test::CountedInstance;
using attest_test::gaussian_instance;
using attest_test::kept;
using attest_test::Real;
using attest_test::Reference;
using attest_test::spec;

namespace {

struct JacobianCase {
  const UpdateRule* rule;
  Rational step;
  Loss loss;
  double excess;  // allowed log2(bound) - log2(norm)
};
const std::vector<JacobianCase> scalar_cases{{update_rule("gd"), 1, Loss::logistic, 0.2},
                                             {update_rule("gd"), 200, Loss::exponential, 3},
                                             {update_rule("ngd"), Rational(1, 10), Loss::logistic, 0.1},
                                             {update_rule("ngd"), 3, Loss::correlation, 3},
                                             {update_rule("polyak"), Rational(1, 2), Loss::logistic, 3}};
const std::vector<JacobianCase> cross_entropy_cases{
    {update_rule("gd"), 1, Loss::cross_entropy, 0.2},
    {update_rule("gd"), 50, Loss::cross_entropy, 7},
    {update_rule("ngd"), Rational(1, 10), Loss::cross_entropy, 0.1},
    {update_rule("polyak"), Rational(1, 2), Loss::cross_entropy, 3}};

}  // namespace

// `each` are the same data token by token.
static void check_jacobian_bound(const TokenData& data, const TokenData& each,
                                 const std::vector<JacobianCase>& cases = scalar_cases) {
  const RunGeometry geometry(data, 4);
  for (const JacobianCase& c : cases) {
    CAPTURE(c.rule->word());
    const OptimizerSpec with = spec(c.rule, c.step, c.loss);
    Descent run({geometry, with, {}, FixedFormat{6, 352}});
    for (int t = 0; t < 12; ++t) {
      REQUIRE(run.evaluate() == IterationStatus::ok);
      Reference centre(each, with, {}, &data);
      const std::vector<Real> W = kept(run, centre, {});
      centre.W = W;
      centre.advance();
      const auto size = static_cast<Eigen::Index>(W.size());
      Eigen::MatrixXd jacobian(size, size);
      const Real h("1e-200");
      for (Eigen::Index k = 0; k < size; ++k) {
        Reference moved(each, with, {}, &data);
        moved.W = W;
        moved.W[static_cast<std::size_t>(k)] += h;
        moved.advance();
        for (Eigen::Index j = 0; j < size; ++j) {
          const auto index = static_cast<std::size_t>(j);
          jacobian(j, k) = static_cast<double>((moved.W[index] - centre.W[index]) / h);
        }
      }
      FeaturePoint at = run.point();
      const double norm = jacobian.jacobiSvd().singularValues()(0);
      const double before = run.amplification_bits();
      REQUIRE(run.advance() == IterationStatus::ok);
      const double bits = run.amplification_bits() - before;
      CHECK(bits >= std::log2(norm) - 1e-9);
      CHECK(bits <= std::log2(norm) + c.excess);

      // The derivative T = jacobian - I of the step alone, about other points than -1.
      GradientStep step(geometry, with, FixedFormat{6, 352}, nullptr);
      REQUIRE(step.prepare(at, static_cast<std::uint64_t>(t)) == IterationStatus::ok);
      const auto derivative = step.derivative(at, 0x1p-10);
      REQUIRE(derivative);
      for (const double share : {0.0, 0.3, 0.5, 1.0}) {
        const double kept = share * derivative->step * derivative->fall;
        const Eigen::MatrixXd shifted = jacobian + (kept - 1) * Eigen::MatrixXd::Identity(size, size);
        const double true_norm = shifted.jacobiSvd().singularValues()(0);
        // Entries near 1 lose what cancels.
        CHECK(c.rule->jacobian_norm(*derivative, kept) >= true_norm * (1 - 1e-9) - 1e-14);
      }
    }
  }
}

TEST_CASE("the Jacobian bound dominates the true norm and is not far above it" *
          doctest::test_suite("long")) {
  const TokenData plain = gaussian_instance({3, 4, 3}, 3, 3, 12);
  check_jacobian_bound(plain, plain);
  const CountedInstance counted = counted_instance({3, 4, 3}, 3, 3, 12);
  check_jacobian_bound(counted.merged, counted.unfolded);
  const TokenData targets = aimed(plain, {1, 3, 0});
  check_jacobian_bound(targets, targets, cross_entropy_cases);
}
