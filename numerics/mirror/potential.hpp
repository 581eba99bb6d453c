// The potential psi(W) = (1/P) sum_jk |W_jk|^P of mirror descent, P > 1 rational: its gradient and inverse
// gradient, entry by entry, as enclosures.
#pragma once

#include <vector>

#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// sign(x) |x|^(power/order), a rising function of x: encloses its values over the ball. Zero goes to zero
// exactly; a ball that touches zero keeps both signs.
Ball signed_power(const Ball& x, unsigned long power, unsigned long order, long bits);

class Potential {
 public:
  // Numerator and denominator of P are at most 64.
  explicit Potential(const Rational& exponent);

  const Rational& exponent() const { return exponent_; }
  double p() const { return p_; }  // nearest doubles
  double q() const { return q_; }

  // grad psi: sign(w)|w|^(P-1), and its inverse sign(z)|z|^(1/(P-1)).
  Ball gradient(const Ball& w, long bits) const;
  Ball inverse_gradient(const Ball& z, long bits) const;
  // (sum_k |x_k|^Q)^(1/Q), Q = P/(P-1): the dual norm. And, from s >= 0, s^(1/P) and s^(1/Q).
  Ball dual_norm(const std::vector<Ball>& x, long bits) const;
  Ball root_p(const Ball& s, long bits) const;
  Ball root_q(const Ball& s, long bits) const;

 private:
  Rational exponent_;
  double p_, q_;
  unsigned long a_, b_;  // P = a/b
};

}  // namespace attest
