// Powers with signs, and boxes of errors that turn.
#include "numerics/mirror/potential.hpp"

#include <doctest/doctest.h>

#include <random>

#include "numerics/mirror/error_frame.hpp"

using attest::Ball;
using attest::Potential;
using attest::Rational;
using attest::signed_power;

TEST_CASE("a signed power encloses every value, zero and both signs included") {
  std::mt19937_64 random(5);
  std::uniform_int_distribution<long> number(-300, 300);
  const unsigned long powers[][2] = {{4, 3}, {3, 4}, {1, 2}, {2, 1}, {1, 1}, {7, 3}};
  for (int k = 0; k < 4000; ++k) {
    const auto& [power, order] = powers[static_cast<std::size_t>(k) % 6];
    const Rational middle(number(random), 64), radius(std::abs(number(random)), k % 3 == 0 ? 64 : 100000);
    const Ball x(middle - radius, middle + radius, 80);
    const Ball y = signed_power(x, power, order, 80);
    // A member of the ball: y^order = sign |x|^power.
    const Rational member = middle + radius * Rational(number(random), 300);
    Rational size = 1;
    for (unsigned long i = 0; i < power; ++i) size *= abs(member);
    Ball root;
    arb_root_ui(root.raw(), Ball(size, 200).raw(), order, 200);
    const Ball truth = member < 0 ? neg(root) : root;
    CHECK(overlap(y, truth));
  }
  CHECK(arb_is_zero(signed_power(Ball(), 3, 4, 64).raw()) != 0);
}

TEST_CASE("the inverse gradient undoes the gradient") {
  for (const Rational& p : {Rational(7, 4), Rational(3), Rational(2), Rational(11, 10)}) {
    const Potential potential(p);
    for (const double w : {-3.5, -1e-9, 0.0, 0.25, 1e6}) {
      const Ball there = potential.gradient(Ball(w), 200);
      CHECK(potential.inverse_gradient(there, 200).contains(Rational(w)));
    }
  }
}

TEST_CASE("a frame of errors holds every error that its steps allow") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  constexpr Eigen::Index size = 5;
  attest::ErrorFrame frame(size);
  // In integers scaled far up: the iteration of one error, in long doubles, against the box.
  Eigen::Matrix<long double, size, 1> error = Eigen::Matrix<long double, size, 1>::Zero();
  for (int t = 0; t < 300; ++t) {
    Eigen::MatrixXd jacobian = 0.95 * Eigen::MatrixXd::Identity(size, size);
    for (Eigen::Index k = 0; k < size; ++k) {
      for (Eigen::Index l = 0; l < size; ++l) jacobian(k, l) += 0.08 * normal(random);
    }
    const Eigen::VectorXd noise = Eigen::VectorXd::Constant(size, 1e-30);
    REQUIRE(frame.step(jacobian, 1e-8, noise));
    error = jacobian.cast<long double>() * error;
    for (Eigen::Index k = 0; k < size; ++k) {
      error[k] += 0.5e-8L * error[(k + 1) % size] / size;
      error[k] += (random() % 2 == 0 ? 1 : -1) * 0.999e-30L;
    }
    const Eigen::VectorXd box = frame.coordinates();
    for (Eigen::Index k = 0; k < size; ++k) CHECK(std::abs(static_cast<double>(error[k])) <= box[k]);
  }
}
