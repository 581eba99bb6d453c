// Bounds of pairs of errors against random pairs in a space of a few dimensions.
#include "numerics/updates/pair_error.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "numerics/numbers/decompositions.hpp"

using namespace attest;

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Eigen::Index pair_dimension = 5;

class Space {
 public:
  explicit Space(unsigned seed) : random_(seed) {}
  double number() { return normal_(random_); }
  Vector vector() {
    return Vector::NullaryExpr(pair_dimension, [&] { return number(); });
  }
  // Of 2-norm 1.
  Matrix matrix() {
    const Matrix any = Matrix::NullaryExpr(pair_dimension, pair_dimension, [&] { return number(); });
    return any / any.jacobiSvd().singularValues()(0);
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

// ||x e + y f||^2 against the bound for many x, y.
bool bounded(const PairError& error, const Vector& e, const Vector& f) {
  for (int k = 0; k < 64; ++k) {
    const double x = std::cos(0.05 * k), y = std::sin(0.05 * k);
    const double most = x * x * error.ee().approx_mid() + 2 * x * y * error.ef().approx_mid() +
                        y * y * error.ff().approx_mid();
    if ((x * e + y * f).squaredNorm() > most * (1 + 1e-9) + 1e-300) return false;
  }
  return true;
}

Magnitude magnitude(double value) {
  Magnitude result;
  mag_set_d(result, value);
  return result;
}

}  // namespace

TEST_CASE("a pair of errors stays below its bound, whatever the derivative and the noise in their bounds") {
  Space space(7);
  for (int run = 0; run < 40; ++run) {
    const double beta = 0.05 * (run % 20);
    PairError error;
    Vector e = Vector::Zero(pair_dimension), f = e;
    for (int t = 0; t < 30; ++t) {
      const double kept = std::abs(space.number()), spread = std::abs(space.number());
      const double noise = std::ldexp(1.0, -20 - t);
      const Matrix T = spread * space.matrix() - kept * Matrix::Identity(pair_dimension, pair_dimension);
      f = beta * f + T * e + noise * space.vector().normalized();
      e += f;
      error.step(Ball(beta), kept, spread, magnitude(noise));
      REQUIRE(bounded(error, e, f));
      Magnitude first;
      error.first(first);
      REQUIRE(e.norm() <= mag_get_d(first) * (1 + 1e-9));
    }
  }
}

TEST_CASE("bounds do not grow where the iteration contracts, and a state is what was saved") {
  PairError error;
  error.step(Ball(0.5), 0, 0, magnitude(1));
  for (int t = 0; t < 2000; ++t) error.step(Ball(0.5), 0.02, 0.02, magnitude(0));
  Magnitude first;
  error.first(first);
  CHECK(mag_get_d(first) < 8);

  PairError copy;
  REQUIRE(copy.set(error.ee(), error.ef(), error.ff()));
  Ball wide(1.0);
  arb_add_error_2exp_si(wide.raw(), -10);
  CHECK_FALSE(copy.set(error.ee(), wide, error.ff()));
  error.step(Ball(0.5), 0.3, 0.2, magnitude(1));
  copy.step(Ball(0.5), 0.3, 0.2, magnitude(1));
  CHECK(arb_equal(copy.ee().raw(), error.ee().raw()));
  CHECK(arb_equal(copy.ef().raw(), error.ef().raw()));
}
