// A bound of a pair of errors (e, f) in a Euclidean space by a 2 x 2 matrix Q: G <= Q for their Gram matrix
// G = [<e,e>, <e,f>; <e,f>, <f,f>], that is ||x e + y f||^2 <= (x,y) Q (x,y)' for all x, y.
//
// One number for each of e and f would forget that a velocity which undoes an error of the position is
// harmless.
#pragma once

#include "numerics/numbers/working_ball.hpp"

namespace attest {

class PairError {
 public:
  // One step of e' = e + f', f' = beta f + T e + noise with ||T + kept I|| <= spread, ||noise|| <= the bound
  // given.
  //
  // With M = [1 - kept, beta; -kept, beta] and b = (1,1)': (e', f') = M (e, f) + b w, ||w|| <= w0 = spread
  // ||e|| + noise, so by (p + q)^2 <= (1 + a) p^2 + (1 + 1/a) q^2 the matrix (1 + a) M Q M' + (1 + 1/a) w0^2
  // bb' bounds the new pair, for any a > 0. The a that makes it least in a fixed metric is taken.
  void step(const Ball& beta, double kept, double spread, const Magnitude& noise);

  // log2 of how much the pair would grow in that metric by such a step without noise; a guess, for choosing
  // kept. 0 when there is no error.
  double growth_bits(double beta, double kept, double spread) const;

  // A bound of ||e||.
  void first(mag_ptr bound) const;

  // <e,e>, <e,f>, <f,f>: exact, whatever the source.
  const WorkingBall& ee() const { return ee_; }
  const WorkingBall& ef() const { return ef_; }
  const WorkingBall& ff() const { return ff_; }
  // Restores these; false unless all three are exact.
  bool set(const Ball& ee, const Ball& ef, const Ball& ff);

 private:
  WorkingBall ee_, ef_, ff_;  // midpoints only
};

}  // namespace attest
